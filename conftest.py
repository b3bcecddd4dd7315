"""Modules whose examples cannot run here, because what they need is not installed."""

import importlib.util

# In an environment of its own: see `make test-litellm`.
collect_ignore = []
if importlib.util.find_spec("litellm") is None:
    collect_ignore.append("packages/mobandits-client/src/mobandits_client/integrations/litellm.py")
