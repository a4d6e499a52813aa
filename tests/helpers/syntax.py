"""Files of Python, parsed once for all tests that read their syntax."""

import ast
from functools import cache


@cache
def tree_of(path):
    return ast.parse(path.read_text())


@cache
def nodes_of(path):
    return [*ast.walk(tree_of(path))]
