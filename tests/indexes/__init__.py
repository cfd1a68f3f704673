"""Tests of `unmove.indexes`."""
