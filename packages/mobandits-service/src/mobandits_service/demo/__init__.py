"""A decision service to look at: the LLM-routing agent, with a past, under a load of real prompts."""
