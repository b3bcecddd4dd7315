"""Plugins for gateways, which have an agent route their requests.

`mobandits_client.integrations.litellm` is the plugin for LiteLLM, with the extra `litellm` of this package.
"""
