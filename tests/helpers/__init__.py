"""What tests share: references, simulated data, tools that run, and readers of pages."""
