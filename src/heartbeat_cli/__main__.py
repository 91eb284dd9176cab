"""`python -m heartbeat_cli`, the same as the console script."""

from heartbeat_cli.main import main

if __name__ == "__main__":
    main()
