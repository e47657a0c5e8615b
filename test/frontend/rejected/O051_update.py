from freehold import Acc, Out, Raw, f32, i8
import freehold as fh


def kernel(y: Out["N"], a: Acc["N"], b: Acc[i8, "N"], r: Raw[f32, "N"]):
    a.maximum_at(1, 0)
    b.add_at(1, 0)
    a.at(0).bitwise_or(fh.zeros(64, f32))
    with fh.unsafe("to see what there is"):
        r.atomic_xor(1, 0)
    y.store(0)
