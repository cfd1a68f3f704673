"""Tests of `unmove.api`."""
