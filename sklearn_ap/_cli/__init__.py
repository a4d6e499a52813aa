"""The command line: files in, results of public functions out."""
