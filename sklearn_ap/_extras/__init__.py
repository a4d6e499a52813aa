"""Optional packages: how one is imported, and the bar that one draws; and what may be printed."""
