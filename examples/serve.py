"""A tiny model with random weights behind OpenAI's interface, and OpenAI's client that talks to it. Needs no GPU."""

from __future__ import annotations

import socket
import tempfile
import threading
import time
from pathlib import Path

import uvicorn
from openai import OpenAI

import freehold as fh
from freehold.engine import Engine, demo
from freehold.engine.server import application


def main() -> None:
    """Makes the model, serves it, and asks it something."""
    with tempfile.TemporaryDirectory() as folder, socket.socket() as sock:
        sock.bind(("127.0.0.1", 0))
        port = sock.getsockname()[1]
        device = None if fh.gpu_available() else fh.HOST
        with Engine(demo.make(Path(folder) / "tiny"), device=device, tokens=64, sequences=4, pages=32) as engine:
            server = uvicorn.Server(uvicorn.Config(application(engine), log_level="error"))
            thread = threading.Thread(target=server.run, kwargs={"sockets": [sock]})
            thread.start()
            while not server.started:
                time.sleep(0.01)
            client = OpenAI(base_url=f"http://127.0.0.1:{port}/v1", api_key="none")
            print(
                f"http://127.0.0.1:{port}/v1 has {client.models.list().data[0].id}, which says what random weights say:"
            )
            messages = [{"role": "user", "content": "Is it safe?"}]
            for chunk in client.chat.completions.create(model="tiny", messages=messages, max_tokens=12, stream=True):  # pyright: ignore[reportCallIssue, reportArgumentType, reportUnknownVariableType]
                print(chunk.choices[0].delta.content or "", end="", flush=True)  # pyright: ignore[reportUnknownMemberType, reportUnknownArgumentType]
            print()
            client.close()
            server.should_exit = True
            thread.join()


if __name__ == "__main__":
    main()
