# Freehold in a container, without a GPU and with one (`docker run --gpus all`): the driver comes from the host.
#   docker build -t freehold . && docker run --rm freehold
FROM python:3.12-slim
RUN apt-get update && apt-get install -y --no-install-recommends gcc libc6-dev && rm -rf /var/lib/apt/lists/*
WORKDIR /freehold
COPY . .
RUN pip install --no-cache-dir -c constraints.txt .
CMD ["python", "examples/quickstart.py"]
