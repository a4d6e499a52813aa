"""Questions about scores: how certain they are, and how much data that takes.

Users import their functions from ``sklearn_ap``: this folder is no address.
"""
