"""Lines of tables fit, and names stay distinct."""

import pytest

from sklearn_ap._writing.table import Table


@pytest.mark.parametrize(
    ("names", "widest"),
    [
        ([("yolo", "baseball glove at 0.55"), ("yolo", "baseball bat at 0.55")], 110),
        ([(f"model of the year {i}", f"a class with a number {i}") for i in "12"], 116),
        ([("a name that is much longer than a column",), ("short",)], 114),
    ],
)
def test_names_of_a_line_share_the_room_beside_its_numbers(names, widest):
    """32 letters stay for them where numbers leave no room."""
    numbers = ["0" * 80]
    n_names = len(names[0])
    body = [[*name, *numbers] for name in names]
    table = Table([""] * n_names + [""], body, ["<"] * n_names + [">"], n_names)
    lines = table.as_text()
    assert max(map(len, lines)) == widest
    assert len({*lines}) == 3
    assert ("…" in lines[1]) == (len("".join(names[0])) > 32)
