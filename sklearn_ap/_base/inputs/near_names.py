"""Known names close to one that is not known."""

from difflib import get_close_matches


def near_names(known: dict[str, str], complete_list: str, *spellings: str) -> str:
    """List known names close to a spelling, as ``known`` shows them, or name the complete list."""
    near = [name for text in spellings for name in known if len(text) > 2 and text in name]
    near += [name for text in spellings for name in get_close_matches(text, known, n=3)]
    shown = list(dict.fromkeys(known[name] for name in near))[:3]
    return f"Near it: {', '.join(shown) or f'none; {complete_list} lists all'}."
