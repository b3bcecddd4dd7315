"""Recipes around other recipes, and policies around other policies."""
