"""What the command line reads, computes and prints.

``arguments`` and ``output`` import nothing heavy, so that the help need not wait.
"""

__all__ = [
    "arguments",
    "commands",
    "definition_names",
    "example",
    "output",
    "predictions",
    "scores",
]
