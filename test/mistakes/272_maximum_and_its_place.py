"""The largest of each row and its place, as torch's `max` has them."""

import numpy as np

import freehold as fh
from freehold import Out, Ref, i32

x = np.sin(np.arange(8 * 128, dtype=np.float32)).reshape(8, 128)
y = np.zeros(8, np.float32)
places = np.zeros(8, np.int32)


@fh.kernel
def largest(y: Out["M"], places: Out[i32, "M"], x: Ref["M", 128]):
    t = x.load((y.index[0], 0), (4, 128))
    value, place = t.max(1)
    y.store(value)
    places.store(place)


@fh.kernel
def largest_fixed(y: Out["M"], places: Out[i32, "M"], x: Ref["M", 128]):
    t = x.load((y.index[0], 0), (4, 128))
    value, place = t.max(1), t.argmax(1)
    y.store(value)
    places.store(place)


def mistake():
    largest(fh.partition(y, 4), fh.partition(places, 4), x).sync()


def fixed():
    largest_fixed(fh.partition(y, 4), fh.partition(places, 4), x).sync()
    return np.stack((y, places)), np.stack((x.max(1), x.argmax(1)))
