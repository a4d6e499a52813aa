"""What trec_eval computes, written once more in slow loops over the lines of its files."""

import struct
from collections import defaultdict


def lines_of(text):
    return [line.split() for line in text.splitlines() if line.strip()]


def rankings(qrels, run, relevance_level=1, drop_unjudged=False):
    """The labels of each judged query of a run from the top, and how many documents are relevant.

    Scores are rounded to float32, and documents with equal ones come by descending name.
    """
    labels, retrieved = defaultdict(dict), defaultdict(list)
    for query, _, document, label in lines_of(qrels):
        labels[query][document] = int(label)
    for query, _, document, _, score, _ in lines_of(run):
        retrieved[query].append((struct.unpack("f", struct.pack("f", float(score)))[0], document))
    found = {}
    for query in labels.keys() & retrieved.keys():
        judged = labels[query]
        ranked = [document for _, document in sorted(retrieved[query], reverse=True)]
        if drop_unjudged:
            ranked = [document for document in ranked if document in judged]
        hits = [judged.get(document, 0) >= relevance_level for document in ranked]
        found[query] = hits, sum(label >= relevance_level for label in judged.values())
    return found


def measures(hits, n_relevant, k):
    precisions = [sum(hits[: i + 1]) / (i + 1) for i, hit in enumerate(hits) if hit]
    top = sum(hits[:k])
    return {
        "map": sum(precisions) / n_relevant if n_relevant else 0.0,
        "map_cut": sum(precisions[:top]) / n_relevant if n_relevant else 0.0,
        "P": top / k,
        "recall": top / n_relevant if n_relevant else 0.0,
        "recip_rank": 1 / (1 + hits.index(True)) if any(hits) else 0.0,
    }
