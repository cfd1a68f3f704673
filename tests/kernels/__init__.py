"""Tests of `unmove.kernels`."""
