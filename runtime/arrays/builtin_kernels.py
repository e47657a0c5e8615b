"""Kernels that the runtime itself launches: conversion of elements, random numbers."""

from __future__ import annotations

from freehold.frontend.language import Const, Out, Ref, arange, cos, i64, log, random_uniform, sqrt
from freehold.runtime.jit.kernel import kernel


@kernel
def convert(target: Out, source: Ref):
    """Copies a tensor of any rank, with its elements converted."""
    target.store(source.load_like(target).astype(target.dtype))


@kernel
def uniform(target: Out["N"], seed: i64, T: Const[int]):
    """Numbers from 0 up to but not 1, in f32, by position; then converted."""
    at = target.index[0].astype(i64) * T + arange(T).astype(i64)
    target.store(random_uniform(seed, at).astype(target.dtype))


@kernel
def normal(target: Out["N"], seed: i64, T: Const[int]):
    """Normally distributed numbers, by position (Box and Muller, 1958); then converted."""
    at = (target.index[0].astype(i64) * T + arange(T).astype(i64)) * 2
    radius = sqrt(-2.0 * log(1.0 - random_uniform(seed, at)))
    target.store((radius * cos(6.283185307179586 * random_uniform(seed, at + 1))).astype(target.dtype))
