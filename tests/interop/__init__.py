"""Tests of `unmove.interop`."""
