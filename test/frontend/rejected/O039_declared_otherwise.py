from freehold import Out, Ref, f16, f32


GIVEN = {"x": (f16, 1), "z": (f32, 1)}


def kernel(y: Out["N"], x: Ref[f32, "N"], z: Ref["M", "N"]):
    y.store(x.load_like(y))
