"""What all results share: sentences, tables, frames, dicts and a picture, made from numbers."""
