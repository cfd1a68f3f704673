"""Tests of `unmove.successors`."""
