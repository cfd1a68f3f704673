"""`python -m unmove` is the program too."""

from unmove.cli.app import main

main()
