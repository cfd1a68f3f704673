"""Tests of `unmove.probe`."""
