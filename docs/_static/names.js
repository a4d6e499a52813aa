// Long names break after an underscore or a dot, and before a capital letter, and nowhere else.
document.addEventListener("DOMContentLoaded", () => {
  const places = [
    ".bd-sidebar-primary a", ".bd-sidebar-secondary a", ".bd-sidebar-secondary .pre",
    ".bd-breadcrumbs li", ".bd-article h1", ".prev-next-title", ".sig-name .pre", ".sig-prename .pre",
  ];
  for (const place of document.querySelectorAll(places.join())) {
    const text = [...place.childNodes].find(node => node.nodeType === Node.TEXT_NODE);
    if (!text || !/^\S{12,}$/.test(text.data.trim())) continue;
    const parts = text.data.split(/(?<=[_.])|(?<=[a-z])(?=[A-Z])/);
    text.replaceWith(...parts.flatMap(part => [part, document.createElement("wbr")]).slice(0, -1));
  }
});
