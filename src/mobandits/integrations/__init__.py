"""Plugins for gateways, which have an agent route their requests.

`mobandits.integrations.litellm` is the plugin for LiteLLM, with the extra `litellm`.
"""
