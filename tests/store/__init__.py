"""Tests of `unmove.store`."""
