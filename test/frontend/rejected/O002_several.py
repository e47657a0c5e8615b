from freehold import Out, Ref


def kernel(y: Out["N"], x: Ref["N"]):
    import math
    try:
        t = x.load_like(y)
    except ValueError:
        t = 0
    with open("log") as f:
        f.write(f"{t}")
    assert (n := 3) > 2
    y.store(t)
