"""The former engine: what the comparisons of before still need of it, and with which it goes."""
