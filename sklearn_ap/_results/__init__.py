"""Results as users see them: printed, in notebooks, as frames."""
