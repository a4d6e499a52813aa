// Pages whose words (docs/search_words.json) are asked for come first, and pages for contributors last.
const WORDS = {};  // filled in by conf.py: the words of each page
const LAST = ["changelog", "contributing", "design", "evidence", "methods", "project", "stability", "tools"];
const EVERYWHERE = new Set(["averag", "precis", "recal", "score", "model"]);
const stemmed = text => {
  const stemmer = new Stemmer(), words = text.toLowerCase().match(/[\p{L}\p{N}]+/gu) || [];
  return new Set(words.filter(word => !stopwords.has(word)).map(word => stemmer.stemWord(word)));
};
let known;  // [page, the words of an entry] for each entry
function asked() {
  return new URLSearchParams(window.location.search).get("q") || "";
}
function boost(page) {
  known ||= Object.entries(WORDS).flatMap(([of, all]) => all.map(entry => [of, stemmed(entry)]));
  const words = stemmed(asked()), found = known.filter(([of, entry]) =>
    of === page && entry.size && [...entry].every(word => words.has(word))
    && (entry.size === words.size || ![...entry].every(word => EVERYWHERE.has(word))));
  return found.length && 40 + 10 * Math.max(...found.map(([, entry]) => entry.size));
}
var Scorer = {
  score: ([page, , , , score]) => score + boost(page) - (LAST.includes(page) ? 20 : 0),
  objNameMatch: 11,
  objPartialMatch: 6,
  objPrio: {0: 15, 1: 5, 2: -5},
  objPrioDefault: 0,
  title: 15,
  partialTitle: 7,
  term: 5,
  partialTerm: 2,
};
// A page that lacks one of several words is found, too, where no page has them all, and where the
// others are its words.
document.addEventListener("DOMContentLoaded", () => {
  const all = Search.performTermsSearch;
  const without = (words, excluded) => {
    const found = all(words, excluded);
    if (found.length || words.size < 2) return found;
    return [...words].flatMap(word => without(new Set([...words].filter(w => w !== word)), excluded));
  };
  const byWords = () => {
    const {docnames, titles, filenames} = Search._index, score = Scorer.term;
    const page = (name, i) => [name, titles[i], "", null, score, filenames[i], SearchResultKind.text];
    return docnames.map(page).filter(([name]) => boost(name));
  };
  Search.performTermsSearch = (words, excluded) => {
    const found = [...byWords(), ...without(words, excluded)];  // the last of a page is kept
    return [...new Map(found.map(result => [result[0], result])).values()];
  };
});
