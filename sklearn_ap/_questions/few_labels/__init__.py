"""The choice of rows to label, and scores from labels of some rows."""
