"""Plugins for gateways, which have an agent route their requests, and for OpenFeature.

`mobandits_client.integrations.litellm` is the plugin for LiteLLM, with the extra `litellm` of this package;
`mobandits_client.integrations.openfeature` is the provider for OpenFeature, which needs openfeature-sdk.
"""
