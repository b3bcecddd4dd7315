"""Pages and figures of reproduced papers."""
