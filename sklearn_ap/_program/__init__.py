"""What is for people alone: the report, and the command line."""
