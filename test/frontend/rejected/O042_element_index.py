import freehold as fh
from freehold import Acc, Out, Raw, Ref


def kernel(y: Out["N"], x: Ref["N"], a: Acc["N"], r: Raw["N"]):
    y.store(x.gather(x.gather(0)))
    y.store(x.gather(fh.arange(128) < 3))
    y.store(x.gather(0, mask=fh.arange(128)))
    y.store(x.load_from((0.5,), (128,)))
    a.add(1.0)
    a.at(0).add(fh.zeros((2, 2)))
    with fh.unsafe("to see what is refused"):
        r.scatter(1.0, 0, order="acquire")
        r.atomic_add(1.0, 0, scope="everywhere")
        r.gather(0, scope="device")
