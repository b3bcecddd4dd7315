"""The paper paretobandit2026: its published numbers, and a router of ours on its prompts."""

from mobandits_papers.paretobandit2026 import published

__all__ = ["published"]
