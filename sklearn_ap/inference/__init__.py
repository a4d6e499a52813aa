"""Questions about scores: how certain they are, and how much data that takes."""
