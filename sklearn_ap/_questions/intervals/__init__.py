"""How certain a score is, and whether one model is better than another."""
