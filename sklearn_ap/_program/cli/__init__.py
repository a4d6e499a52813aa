"""What the command line reads, computes and prints.

``arguments`` and ``output`` import nothing heavy, so that the help need not wait.
"""
