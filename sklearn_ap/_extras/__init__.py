"""Optional packages: how one is imported, and the progress bar that one of them draws."""
