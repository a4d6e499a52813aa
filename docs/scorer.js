// Pages that answer what people search for come first; the rest is Sphinx's default.
const FIRST = {
  "ap@k": "definitions", "auprc": "average_precision", "detection": "detections",
  "detections": "detections", "few labels": "few_labels", "importance sampling": "few_labels",
  "inclusion probability": "few_labels", "judge": "few_labels", "llm judge": "few_labels",
  "map": "detections", "map@10": "definitions", "map@k": "definitions",
  "p-value": "comparison", "pr auc": "average_precision", "rag": "few_labels",
  "significance": "comparison", "significant": "comparison", "string label": "string_labels",
  "string labels": "string_labels", "threshold": "threshold",
};
var Scorer = {
  score: ([docname, , , , score]) => {
    const asked = new URLSearchParams(window.location.search).get("q") || "";
    return FIRST[asked.trim().toLowerCase()] === docname ? score + 1000 : score;
  },
  objNameMatch: 11,
  objPartialMatch: 6,
  objPrio: {0: 15, 1: 5, 2: -5},
  objPrioDefault: 0,
  title: 15,
  partialTitle: 7,
  term: 5,
  partialTerm: 2,
};
