"""Kernels of the solver."""
