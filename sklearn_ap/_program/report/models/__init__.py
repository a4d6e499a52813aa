"""The parts of a report about all rows: scores, comparison, curve, top rows and paper."""
