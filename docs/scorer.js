// The rules of the search: pages whose words (docs/search_words.json) are asked for come first, then
// pages with the rarest of the words that are asked for, and pages for contributors last. Sphinx puts
// this file into language_data.js, which runs after searchtools.js and before the first query.
{
  const WORDS = {};  // filled in by conf.py: the words of each page
  const LAST = [
    "changelog", "contributing", "design", "evidence", "extending", "methods", "tools",
  ];
  const EVERYWHERE = new Set(["averag", "precis", "recal", "score", "model"]);
  const SKIPPED = new Set(  // the stop words of Sphinx differ between its versions, and have "few"
    "a an and at by do for i in is my of on or the to versus vs".split(" "));
  const stemmer = new Stemmer();
  const stemmed = text => {
    const general = text.toLowerCase().replace(/@\d+(?![.:\d])/g, "@k");  // AP@20 is AP@k
    const words = general.match(/[\p{L}\p{N}]+/gu) || [];
    return new Set(words.filter(word => !SKIPPED.has(word)).map(word => stemmer.stemWord(word)));
  };
  const asked = stemmed(new URLSearchParams(window.location.search).get("q") || "");
  const isAskedFor = entry => [...entry].every(word => asked.has(word))
    && (entry.size === asked.size || ![...entry].every(word => EVERYWHERE.has(word)));
  const nAskedOf = entries =>
    new Set(entries.map(stemmed).filter(isAskedFor).flatMap(entry => [...entry])).size;
  const N_ASKED = new Map(Object.entries(WORDS).map(([page, entries]) => [page, nAskedOf(entries)]));
  const boost = page =>
    N_ASKED.get(page) ? 40 + 10 * N_ASKED.get(page) : LAST.includes(page) ? -20 : 0;
  var Scorer = {
    score: ([page, , , , score]) => score + boost(page),
    objNameMatch: 11,
    objPartialMatch: 6,
    objPrio: {0: 15, 1: 5, 2: -5},
    objPrioDefault: 0,
    title: 15,
    partialTitle: 7,
    term: 5,
    partialTerm: 2,
  };
  // Sphinx finds only pages that have all words. Here a page may lack some: it needs a third of what
  // the best page has, where rare words count more.
  const withAll = Search.performTermsSearch;
  Search.performTermsSearch = (words, excluded) => {
    const pages = new Map();
    let possible = 0;
    for (const word of words) {
      const found = withAll(new Set([word]), excluded);
      const rarity = Math.log((Search._index.docnames.length + 2) / (found.length + 1));
      possible += rarity;
      for (const result of found) {
        const page = pages.get(result[0]) || {result, has: 0, score: 0};
        page.has += rarity;
        page.score += rarity * result[4];
        pages.set(result[0], page);
      }
    }
    const needed = Math.max(...[...pages.values()].map(page => page.has)) / 3;
    return [...pages.values()]
      .filter(({result, has}) => has >= needed || N_ASKED.get(result[0]))
      .map(({result, score}) => [...result.slice(0, 4), score / possible, ...result.slice(5)]);
  };
  // An excerpt has 240 characters: none are for empty lines, and for what says little of the page.
  const textOf = Search.htmlToText;
  const SAYS_LITTLE = [
    "h1", ".bd-header-article", ".prev-next-footer", ".bd-sidebar-secondary",
    ".from-the-top", ".related-words", ".sphx-glr-download-link-note",
  ];
  Search.htmlToText = (html, anchor) => {
    const page = new DOMParser().parseFromString(html, "text/html");
    const leftOut = anchor ? SAYS_LITTLE : [...SAYS_LITTLE, "dt.sig"];  // where functions have anchors
    page.querySelectorAll(leftOut).forEach(element => element.remove());
    return textOf(page.documentElement.outerHTML, anchor).replace(/\s+/g, " ");
  };
}
