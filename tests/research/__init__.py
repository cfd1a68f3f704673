"""Tests of `unmove.research`."""
