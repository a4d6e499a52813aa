"""Files as arrays, by pyarrow: for the command line, ``large`` and ``retrieval``."""
