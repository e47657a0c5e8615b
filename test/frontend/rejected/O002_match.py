from freehold import Const, Out, Ref


def kernel(y: Out["N"], x: Ref["N"], kind: Const[str] = "a", n: int = 3):
    t = x.load_like(y)
    match kind:
        case {"a": b}:
            t = t + b
    y.store(t)
