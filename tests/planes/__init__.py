"""Tests of `unmove.planes`."""
