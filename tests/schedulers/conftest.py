"""As for the manager: SQLite, and MongoDB where a test asks for it."""

from tests.manager.conftest import place

__all__ = ["place"]
