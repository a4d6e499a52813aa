"""Writes the table of differences.md from sklearn_ap.compat.differences.

python docs/differences_page.py
"""

from pathlib import Path

from sklearn_ap import compat

PAGE = Path(__file__).parent / "differences.md"
BEGIN = "<!-- docs/differences_page.py writes this table. -->"
END = "<!-- The end of the table. -->"


def table():
    lines = ["| input | scikit-learn | sklearn_ap | why |", "|---|---|---|---|"]
    for row in compat.differences().reset_index().itertuples():
        answers = f"`{row.scikit_learn}` | `{row.sklearn_ap}`"
        lines.append(f"| {row.input}: `{row.call}` | {answers} | {row.why} |")
    return "\n".join(lines)


def page():
    """The page with its table written anew."""
    before, _, rest = PAGE.read_text().partition(BEGIN)
    _, _, after = rest.partition(END)
    return f"{before}{BEGIN}\n\n{table()}\n\n{END}{after}"


if __name__ == "__main__":
    PAGE.write_text(page())
