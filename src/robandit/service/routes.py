"""Every verb of the service."""

from robandit.service import openfeature  # noqa: F401  (it adds its verbs to those of api)
from robandit.service.api import ROUTES, Route

__all__ = ["ROUTES", "Route"]
