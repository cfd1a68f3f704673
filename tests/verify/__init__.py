"""Tests of `unmove.verify`."""
