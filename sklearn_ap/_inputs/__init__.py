"""What users pass: checked once, and brought to one form."""
