"""Tests of `unmove.papers`."""
