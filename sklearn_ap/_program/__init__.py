"""The report and the command line, whose output is for people."""
