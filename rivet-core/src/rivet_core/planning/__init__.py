"""Intent, catalogue facts and state become a plan; pure."""
