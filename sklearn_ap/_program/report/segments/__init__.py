"""The parts of a report about segments, such as months and countries."""
