"""Pictures of scores: the precision-recall display.

Users import it from ``sklearn_ap``: this folder is no address.
"""
