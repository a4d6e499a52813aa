// Pages that answer what people search for come first; the rest is Sphinx's default.
const FIRST = {
  average_precision: ["auprc", "pr auc"],
  comparison: ["p-value", "significance", "significant"],
  definitions: ["ap@k", "map@10", "map@k"],
  detections: ["coco", "detection", "detections", "map", "missed objects", "pycocotools"],
  drawing: ["band", "confidence band"],
  few_labels: ["active evaluation", "delayed labels", "few labels", "importance sampling",
    "inclusion probability", "judge", "llm judge", "prediction-powered inference",
    "verification bias"],
  large: ["spark", "spark connect"],
  molecules: ["ef1%", "enrichment", "enrichment factor", "scaffold"],
  queries: ["judged@k", "rag", "recommender", "recommenders", "sparse", "trec_eval", "unjudged"],
  recipes: ["graded relevance", "positive-unlabelled", "soft labels"],
  reporting: ["latex"],
  sample_size: ["power", "sample size"],
  scorers: ["string label", "string labels"],
  segments: ["drift", "fairness", "monitoring", "segment", "segments", "slice", "slices",
    "subgroup", "subgroups"],
  threshold: ["threshold"],
};
var Scorer = {
  score: ([docname, , , , score]) => {
    const asked = new URLSearchParams(window.location.search).get("q") || "";
    return FIRST[docname]?.includes(asked.trim().toLowerCase()) ? score + 1000 : score;
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
