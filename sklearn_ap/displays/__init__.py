"""Pictures of scores: the precision-recall display."""
