"""The input, the computations and the output of the command line.

``arguments`` and ``output`` import nothing heavy, so that the help need not wait.
"""
