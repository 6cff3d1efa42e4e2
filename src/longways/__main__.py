"""`python -m longways`: the same as the command `longways`."""

from longways.cli import main

if __name__ == "__main__":
    main()
