"""Tests of `unmove.cluster`."""
