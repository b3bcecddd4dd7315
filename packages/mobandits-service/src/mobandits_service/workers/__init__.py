"""Workers that decide, and the learner that learns for all of them, on one store in PostgreSQL."""
