"""Tests of `unmove.solver`."""
