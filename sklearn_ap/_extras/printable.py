"""Names as they may be printed."""


def printable(text: str) -> str:
    r"""Write what no terminal should get as Python does: ESC as \x1b, a line break as \n."""
    if text.isprintable():
        return text
    return "".join(letter if letter.isprintable() else ascii(letter)[1:-1] for letter in text)
