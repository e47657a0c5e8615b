from dataclasses import dataclass
import freehold as fh
from freehold import Out, Ref, Tile


@dataclass(frozen=True)
class Scale:
    by: float

    def of(self, t):
        return t * self.by


SCALE = Scale(2.0)


def kernel(y: Out["N"], x: Ref["N"]):
    a = x.load((0,), (128,))
    y.store(SCALE.of(a, 3.0))
