"""Kernels of the codec."""
