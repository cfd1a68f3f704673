"""Tests of `unmove.cli`."""
