"""`python -m spearmint_int` is `spearmint-int`."""

from spearmint_int.cli import main

if __name__ == "__main__":
    main()
