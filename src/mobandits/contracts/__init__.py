"""The agreements between rooms: recipes, policies, orders, environments, metrics, states."""
