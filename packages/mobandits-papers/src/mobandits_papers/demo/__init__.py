"""The demonstration on real prompts."""
