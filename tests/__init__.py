"""Tests of unmove; the folders mirror the package, `reference/` is the slow twin."""
