"""The live page: experiments, their figures and their jobs, for whoever has the token."""

from __future__ import annotations

from spearmint_int.dashboard.access import Access
from spearmint_int.dashboard.app import make_app
from spearmint_int.dashboard.catalogue import Catalogue, on_server
from spearmint_int.dashboard.source import Source

__all__ = ["Access", "Catalogue", "Source", "make_app", "on_server"]
