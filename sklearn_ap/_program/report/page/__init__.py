"""What a page is made of, and how it is shown: as HTML, as text, with pictures."""
