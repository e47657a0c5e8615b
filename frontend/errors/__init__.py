"""Errors about a kernel's source (O0xx): what of Python a kernel may use, and how tiles may be combined."""

from freehold.frontend.errors.computations import *  # noqa: F403 -- every error
from freehold.frontend.errors.declarations import *  # noqa: F403 -- every error
from freehold.frontend.errors.sharing import *  # noqa: F403 -- every error
