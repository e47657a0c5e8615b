from freehold import Const, Out, Ref


def kernel(y: Out["N"], x: Ref["N"], MODE: Const[int] = 1):
    match MODE:
        case 1:
            y.store(x.load_like(y))
        case _:
            y.store(0.0)
