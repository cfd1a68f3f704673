"""Tests of `unmove.games`."""
