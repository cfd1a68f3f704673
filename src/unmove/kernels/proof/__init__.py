"""Kernels of the proof."""
