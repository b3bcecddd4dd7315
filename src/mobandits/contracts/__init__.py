"""The contracts: recipe, policy, order, environment, metric, and what recipes assume of data."""
