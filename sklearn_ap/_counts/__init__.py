"""Labels and scores in, the counts that every average precision is made of out."""
