"""The part of a report about thresholds: which to use, and what each finds."""
