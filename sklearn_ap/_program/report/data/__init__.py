"""What a report is given: checked predictions, and the answers of public functions about them."""
