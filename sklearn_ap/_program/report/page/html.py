"""A report as one HTML file with its pictures inside."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from sklearn_ap._base.text import escape_html, escape_lines
from sklearn_ap._program.report.page.page import (
    CALLS,
    LONGEST_WORDS,
    NO_WARNING,
    Finding,
    Part,
    Top,
    add_warnings,
    omitted_part,
)
from sklearn_ap._program.report.page.pictures import lacking_pictures
from sklearn_ap._program.report.page.words import (
    DASH,
    LESS_OR_EQUAL,
    set_minus_signs,
    short_names,
    shorten_names,
)

SHORT_NAME = 12  # letters; a name that is no longer stays in one line if it has no space
LONGEST_NAME = 24  # letters; a longer name may be broken, as there are no spaces in it
MOST_COLUMNS_BESIDE = 4  # of a table that has room beside a picture on paper
DOCS = "https://github.com/sklearn-ap/sklearn-ap/blob/main/docs"
NUMBER_STARTS = *"0123456789+-<[", DASH, LESS_OR_EQUAL  # first letters of cells with numbers
UNBROKEN = re.compile(r"--[a-z]+\b|\b\d{4}-\d{2}(-\d{2})?\b")  # options and dates
BREAK = "<wbr>"
WORD_END = re.compile(r"_|(?<=[^\W\d_]{2})[.](?=[^\W\d_]{2})")  # in a name
LONG_WORD = re.compile(r"\w{17,}")  # that may be broken before capitals
CAMEL_CASE = re.compile(r"(?<=[a-z])(?=[A-Z])")
LIMITS = re.compile(r"\[.*\]")  # of a number in a cell
INTERVAL = re.compile(r"\([^()]*interval [^()]*\)")
PVALUE = re.compile(r"\bp (=|&lt;|&gt;) ")  # whose parts stay in one line
# Names of models are set apart between some words and others: a name may be a word, such as "a".
WORDS_BEFORE = (
    "and|as|between|but|by|for|from|minus|of|or|than|that|when|with|For|use|Use|where|Where"
)
BEFORE_NAME = r"^|(?<=[.:;,] )|" + re.sub("[A-Za-z]+", r"(?<=\g<0> )", WORDS_BEFORE)
WORDS_AFTER = (
    "after|and|are|as|before|cannot|elsewhere|fall|falls|finds|for|from|has|in|is|may|minus|or|"
    "outside|over|ranks|reach|reaches|rises|scores?|since|still|until|with|without|[01][.]"
)
AFTER_NAME = f"(?=$|[.:;,]| [(]| (?:{WORDS_AFTER}))"
SENTENCE_END = r"(?<=[.]) "
COLORS = "first", "second", "third"  # the classes of models in the style of the page
LEADING = "comparison", "curve", "score"  # parts whose picture stands beside the first lines
HEAD = """<!DOCTYPE html>
<html lang="en">
<head><meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title}</title>
<style>
{style}</style></head>
<body><main>"""


def as_file(top: Top, parts: tuple[Part, ...]) -> str:
    """Write a whole page, which loads nothing from elsewhere."""
    style = Path(__file__).with_name("page.css").read_text(encoding="utf-8")
    drawn = _draw_pictures(parts)
    overview = _overview_place(drawn) if top.summary and not lacking_pictures() else 0
    lines = [
        HEAD.format(title=escape_html(top.title), style=style),
        *_first_html(top, drawn, overview),
        *(f"<p>{escape_html(text)}</p>" for text in [lacking_pictures()] if text),
        *(
            _section_html(i, part, i == overview)
            for i, part in enumerate(drawn, 1)
            if part.sentence != NO_WARNING
        ),
        _calls_html(top.call, parts),
        "</main></body>\n</html>\n",
    ]
    return "\n".join(lines)


def _draw_pictures(parts: tuple[Part, ...]) -> tuple[Part, ...]:
    """Draw the pictures of all parts, and add the warnings while drawing to the last part."""
    return parts if lacking_pictures() else add_warnings([*map(_draw_picture, parts[:-1])])


def _draw_picture(part: Part) -> Part:
    """Draw the picture of a part. If it cannot be drawn, the part is left out."""
    if part.picture is None:
        return part
    try:
        _, texts = part.picture.image
    except ValueError as error:
        sentence = omitted_part(error).sentence
        return replace(part, sentence=sentence, more=(), cells=(), notes=(), picture=None, call="")
    return replace(part, warnings=[*dict.fromkeys([*part.warnings, *texts])])


def _first_html(top: Top, parts: Sequence[Part], overview: int) -> Iterator[str]:
    """Write what is read first: the first answer as the heading, the others, and a picture.

    ``overview`` is the number of the part that has the picture, or 0.
    """
    heading, findings = _heading_and_findings(top)
    topic = f'<p class="topic">{escape_html(top.title)}</p>' if heading != top.title else ""
    yield f"<header>{topic}<h1>{_heading_html(heading, top.models)}</h1></header>"
    yield '<div class="first"><div>'
    if findings:
        yield '<dl class="summary">'
        for question, answer, number in findings:
            link = f'<a href="#part-{number}">{escape_html(question)}</a>'
            yield f"<dt>{link}</dt><dd>{_answer_html(answer, top.models)}</dd>"
        yield "</dl>"
    yield from (f"<p>{escape_html(text)}</p>" for text in top.small_print)
    yield "</div>"
    if overview:
        part = parts[overview - 1]
        link = f'<a href="#part-{overview}">{overview}. {escape_html(part.title)}</a>'
        yield _figure_html(part, "overview", link)
    yield "</div>"


def _heading_and_findings(top: Top) -> tuple[str, Sequence[Finding]]:
    """Take the first sentence about models as the heading, and the title if there is none."""
    if not top.has_model:
        return top.title, top.summary
    model, *others = top.summary
    heading, *rest = re.split(SENTENCE_END, model.answer, maxsplit=1)
    kept = [model._replace(answer=text) for text in rest]
    return heading, [*kept, *others]


def _answer_html(answer: str, models: Sequence[str]) -> str:
    """Write an answer, in which what stands behind the first sentence is less bold."""
    sentence, *rest = re.split(SENTENCE_END, answer, maxsplit=1)
    details = [f'<span class="details">{_words_html(text, models)}</span>' for text in rest]
    return " ".join([_words_html(sentence, models), *details])


def _overview_place(parts: Sequence[Part]) -> int:
    """Return the number of the part whose picture stands beside the first lines, or 0.

    That is the first one of segments that differ, or else that of all models. There is none if it
    is the first part, which is in sight there.
    """
    pictured = [(i, part) for i, part in enumerate(parts, 1) if part.picture is not None]
    leading = [i for i, part in pictured if part.tells_change]
    leading += [i for name in LEADING for i, part in pictured if part.name == name]
    return leading[0] if leading and leading[0] > 1 else 0


def _figure_html(part: Part, kind: str = "", link: str = "") -> str:
    """Write the picture of a part below what it shows."""
    picture = part.picture
    if picture is None:
        return ""
    names = [*short_names(part.models).values()]
    finding, subject = (
        shorten_names(text, part.models) for text in (picture.finding, picture.subject)
    )
    finding = f"<b>{_words_html(finding, names)}</b>" if finding else ""
    subject = escape_html(set_minus_signs(subject))
    caption = f"<figcaption>{finding}{subject}</figcaption>" if finding or subject else ""
    return f'<figure class="{kind}">{caption}{picture.image[0]}{link}</figure>'


def _section_html(number: int, part: Part, is_again: bool = False) -> str:
    """Write a part, whose picture may also stand beside the first lines.

    It is not repeated in one of the first parts, which are near to these.
    """
    page = f"{DOCS}/{part.page}.md"
    link = f' <a class="more" href="{page}" target="_blank">What is this?</a>' if part.page else ""
    lines = [
        f'<section id="part-{number}"><div class="sheet">',
        f'<p class="topic">{number}. {escape_html(part.title)}{link}</p>',
        f"<h2>{_heading_html(part.sentence, part.models)}</h2>",
        *(f'<p class="lead">{_words_html(text, part.models)}</p>' for text in part.more),
    ]
    is_near = is_again and part.name in LEADING
    if part.picture is not None and not lacking_pictures() and not is_near:
        lines.append(_figure_html(part, "again" if is_again else ""))
    tables = [*_tables_html(part)]
    notes = [f"<p>{_words_html(' '.join(part.notes), part.models)}</p>"] if part.notes else []
    # What has room beside the picture on paper comes first.
    is_wide = bool(part.picture) and len(part.cells[0]) > MOST_COLUMNS_BESIDE
    lines += [*notes, "</div>", *tables] if is_wide else [*tables, *notes, "</div>"]
    if part.copied_text:
        lines.append(f'<pre class="copy">{escape_lines(part.copied_text)}</pre>')
    return "\n".join([*lines, "</section>"])


def _words_html(text: str, models: Sequence[str] = ()) -> str:
    """Escape a text, set names apart, and keep options, dates and p-values in one line.

    The names of a few models have the colours of their pictures.
    """
    if not models:
        return _escaped_words(text)
    names = "|".join(map(re.escape, sorted(models, key=len, reverse=True)))
    parts = re.split(f"(?:{BEFORE_NAME})({names}){AFTER_NAME}", text)
    return "".join(
        _name_html(each, models) if i % 2 else _escaped_words(each) for i, each in enumerate(parts)
    )


def _name_html(name: str, models: Sequence[str]) -> str:
    """Write the name of a model, in the colour that it has in pictures, if it has one."""
    place = models.index(name)
    color = f' class="{COLORS[place]}"' if place < len(COLORS) else ""
    return f"<b{color}>{_breakable(name)}</b>"


def _breakable(name: str) -> str:
    """Escape a name, which may be broken between its words unless it is short."""
    if len(name) <= SHORT_NAME:
        return escape_html(name)
    text = LONG_WORD.sub(lambda word: CAMEL_CASE.sub(BREAK, word[0]), escape_html(name))
    return WORD_END.sub(rf"\g<0>{BREAK}", text)


def _heading_html(text: str, models: Sequence[str]) -> str:
    """Write a heading, whose intervals are less bold than what they are of."""
    return INTERVAL.sub(r'<span class="limits">\g<0></span>', _words_html(text, models))


def _escaped_words(text: str) -> str:
    text = escape_html(set_minus_signs(text))
    text = UNBROKEN.sub(r'<span class="option">\g<0></span>', text)
    return PVALUE.sub("p&nbsp;\\1&nbsp;", text)


def _calls_html(page_call: str, parts: Iterable[Part]) -> str:
    """Write the call that makes the page, which may be long, and those of all parts, in Python."""
    calls = [f"# {part.title}\n{part.call}" for part in parts if part.call]
    lines = [
        f'<section class="calls"><h2>{CALLS}</h2>',
        f'<pre class="page">{escape_lines(page_call)}</pre>',
    ]
    if calls:
        text = escape_lines("\n".join(calls))
        lines.append(f'<pre class="call">{text}</pre>')
    return "\n".join([*lines, "</section>"])


def _tables_html(part: Part) -> Iterator[str]:
    """Write the table of a part. A long one is closed, and its most relevant rows stand above."""
    if not part.cells:
        return
    head, *rows = part.cells
    table = _table_html(part.cells)
    if part.table:
        yield f"<details><summary>{part.table}</summary>{table}</details>"
    elif len(rows) <= part.most_rows:
        yield table
    else:
        yield _table_html([head, *(rows[place] for place in part.first_rows)])
        yield f'<p class="rows">{len(part.first_rows)} of {len(rows)} rows</p>'
        yield f"<details><summary>All {len(rows)} rows</summary>"
        yield f"{table}</details>"


def _table_html(cells: Sequence[Sequence[str]]) -> str:
    head, *body = cells
    kinds = [_column_kind(column) for column in zip(*body, strict=True)]
    heads = (
        f'<th scope="col" class="{_head_kind(text, kind)}">{escape_html(text)}</th>'
        for text, kind in zip(head, kinds, strict=True)
    )
    top = f"<thead><tr>{''.join(heads)}</tr></thead>"
    rows = "".join(_row_html(row, kinds) for row in body)
    return f'<div class="scrolls"><table>\n{top}\n<tbody>\n{rows}</tbody></table></div>'


def _row_html(row: Sequence[str], kinds: Sequence[str]) -> str:
    """Write a row, whose first cell is its head unless it is empty."""
    heads = ['th scope="row"' if row[0] else "td", *["td"] * (len(row) - 1)]
    cells = (
        f'<{tag} class="{kind}">{_cell_html(text, kind)}</{tag[:2]}>'
        for tag, kind, text in zip(heads, kinds, row, strict=True)
    )
    return f"<tr>{''.join(cells)}</tr>\n"


def _cell_html(text: str, kind: str) -> str:
    cell = _breakable(set_minus_signs(text) if kind in ("numbers", "words") else text)
    return LIMITS.sub(r'<span class="interval">\g<0></span>', cell) if kind == "numbers" else cell


def _head_kind(text: str, column_kind: str) -> str:
    """Return the class of a head: that of its column, and whether a word of it may be broken."""
    has_long_word = max(map(len, text.split()), default=0) > LONGEST_NAME
    return f"long {column_kind}" if has_long_word and "long" not in column_kind else column_kind


def _column_kind(column: Sequence[str]) -> str:
    """Return the class of a column in the style of the page."""
    longest = max(map(len, column))
    if longest > LONGEST_WORDS and any(" " in text for text in column):
        return "words"
    if any(text.startswith(NUMBER_STARTS) for text in column):
        return "numbers"
    return "long names" if longest > LONGEST_NAME else "names"
