// The rules of the search: pages whose words (docs/search_words.json) are asked for come first, then
// pages with the rarest of the words that are asked for: the guide, examples, the reference, and pages
// for contributors last. Sphinx puts this file into language_data.js, which runs after searchtools.js
// and before the first query.
{
  const WORDS = {};  // filled in by conf.py: the words of each page
  const LAST = [
    "changelog", "contributing", "design", "evidence", "extending", "methods", "tools",
    "api", "auto_examples/index", "guide", "index",  // which only list pages
  ];
  const EVERYWHERE = new Set(["averag", "precis", "recal", "score", "model"]);
  const SKIPPED = new Set(  // the stop words of Sphinx differ between its versions, and have "few"
    "a an and at by do for how i in is my of on or the to versus vs".split(" "));
  const stemmer = new Stemmer();
  const stemmed = text => {
    const general = text.toLowerCase().replace(/@\d+(?![.:\d])/g, "@k");  // AP@20 is AP@k
    const words = general.match(/[\p{L}\p{N}]+/gu) || [];
    return new Set(words.filter(word => !SKIPPED.has(word)).map(word => stemmer.stemWord(word)));
  };
  const query = (new URLSearchParams(window.location.search).get("q") || "").toLowerCase().trim();
  const asked = stemmed(query);
  const isAskedFor = entry => [...entry].every(word => asked.has(word))
    && (entry.size === asked.size || ![...entry].every(word => EVERYWHERE.has(word)));
  const nAskedOf = entries =>
    new Set(entries.map(stemmed).filter(isAskedFor).flatMap(entry => [...entry])).size;
  const N_ASKED = new Map(Object.entries(WORDS).map(([page, entries]) => [page, nAskedOf(entries)]));

  const kindOf = page => page.startsWith("generated/") ? "reference"
    : page.startsWith("auto_examples/") ? "example"
    : LAST.includes(page) ? "project" : "guide";
  const BOOST = {guide: 0, example: -3, reference: -6, project: -20};
  const lastPart = name => name.split(/[.#]/).at(-1).toLowerCase();
  const names = query.split(/[^\w.]+/);  // as typed, such as operating_point or compat.explain
  const isNamed = page => kindOf(page) === "reference" && names.map(lastPart).includes(lastPart(page));
  const boost = page => isNamed(page) && query.includes("_") ? 100
    : isNamed(page) && names.length === 1 ? 35
    : N_ASKED.get(page) ? 40 + 10 * N_ASKED.get(page) : BOOST[kindOf(page)];
  var Scorer = {
    score: ([page, , , , score, , kind]) =>
      kind === "object" ? -10 : kind === "index" ? score / 4 : score + boost(page),
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

  // Of what Sphinx found, in the order from the last to the first, a page is listed once, and a method
  // or property if its name was typed. The kind is the class of the item, which site.css shows.
  const ordered = Search._performSearch;
  Search._performSearch = (...terms) => {
    const pages = new Set();
    const isFirst = page => !pages.has(page) && pages.add(page);
    const isListed = ([page, title, anchor, , , , kind]) => kind === "object"
      ? anchor !== `#${page.split("/")[1]}` && names.includes(lastPart(title))
      : !(kind === "index" && kindOf(page) === "reference") && isFirst(page);
    const name = title => title.replace("sklearn_ap.", "").replace(/[_.]|[a-z](?=[A-Z])/g, "$&\u200b");
    const shown = ([page, title, anchor, , score, file]) => {
      const kind = kindOf(page);  // names can break after an underscore
      return [page, kind === "reference" ? name(title) : title, anchor, null, score, file, kind];
    };
    return ordered(...terms).reverse().filter(isListed).map(shown).reverse();
  };

  // Below the title of a page stand the section and the sentences that have most of the words, or its
  // first ones; below that of a function, what it does.
  const SAYS_LITTLE = [
    "h1", ".headerlink", ".bd-header-article", ".prev-next-footer", ".bd-sidebar-secondary", "figure",
    ".from-the-top", ".related-words", ".sphx-glr-download-link-note", ".admonition-title",
  ].join();
  const LENGTH = 240;
  const nAsked = text => [...stemmed(text)].filter(word => asked.has(word)).length;
  const mostAsked = (items, textOf) => items.reduce(
    (best, item) => nAsked(textOf(item)) > nAsked(textOf(best)) ? item : best, items[0]);
  const textOf = block => (block.matches("tr")
    ? [...block.cells].map(cell => cell.textContent.trim()).join(" \u2013 ") : block.textContent)
    .replace(/\s+/g, " ").trim();
  const headingOf = block => block.closest("section[id]")?.querySelector(":scope > :is(h2, h3)");
  const textBelowHeading = block => `${headingOf(block)?.textContent} ${textOf(block)}`;
  const fromSentence = text => {
    const sentences = text.split(/(?<=[.!?:]) (?=\p{Lu})/u);
    const rest = sentences.slice(sentences.indexOf(mostAsked(sentences, it => it))).join(" ");
    return rest.length > LENGTH ? rest.slice(0, LENGTH).replace(/\W*\s\S*$/, "\u2026") : rest;
  };
  const blocksOf = part =>
    [...part.querySelectorAll("p:not(td p, th p), li:not(:has(p)), tbody tr:not(:has(> td:nth-child(4)))")]
      .filter(block => textOf(block).length > 25 && !block.querySelector(".math"));
  const linkTo = (heading, page) => {
    const link = document.createElement("a");
    link.href = `${page}#${heading.parentElement.id}`;
    link.textContent = heading.textContent;
    return link;
  };
  Search.makeSearchSummary = (html, keywords, anchor) => {
    const page = new DOMParser().parseFromString(html, "text/html");
    const name = html.match(/pagename = '(.*?)'/)[1];
    const target = page.getElementById(anchor.slice(1));
    page.querySelectorAll(SAYS_LITTLE).forEach(element => element.remove());
    const within = target?.matches("dt") ? target.nextElementSibling : target;
    const all = page.querySelector("article");
    const blocks = blocksOf(within || all).concat(blocksOf(all));
    const isFunction = kindOf(name) === "reference";
    const block = isFunction || target ? blocks[0] : mostAsked(blocks, textBelowHeading);
    const summary = Object.assign(document.createElement("p"), {className: "context"});
    if (!target && headingOf(block)) summary.append(linkTo(headingOf(block), `${name}.html`));
    summary.append(fromSentence(textOf(block)));
    return summary;
  };

  Documentation.addTranslations({
    locale: "en",
    plural_expr: "n == 1 ? 0 : 1",
    messages: {
      "Search finished, found one page matching the search query.": ["1 result", "${resultCount} results"],
      "Your search did not match any documents. Please make sure that all words are spelled correctly and that you've selected enough categories.":
        "No page has these words.",
    },
  });
}
