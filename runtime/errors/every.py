"""All errors of launches by their names."""
# ruff: noqa: F403 -- each name stands once, where its class is

from freehold.runtime.errors.arguments import *
from freehold.runtime.errors.contracts import *
from freehold.runtime.errors.deployment import *
from freehold.runtime.errors.foreign import *
from freehold.runtime.errors.gpus import *
from freehold.runtime.errors.kernel_checks import *
from freehold.runtime.errors.operations import *
from freehold.runtime.errors.partitions import *
from freehold.runtime.errors.tensors import *
from freehold.runtime.errors.tuning import *
