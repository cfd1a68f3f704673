"""Tests of `unmove.engine`."""
