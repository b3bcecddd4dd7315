"""The agreements between rooms: recipe, policy, order, environment, metric, and what they assume."""
