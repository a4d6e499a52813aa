"""Tests: a folder for each room of the package, and those of pages, laws and the project."""
