"""The codec of a table file."""
