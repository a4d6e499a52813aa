// On tools.html, a box that keeps the sections of tools which have all the words that are typed.
document.addEventListener("DOMContentLoaded", () => {
  const sections = [...document.querySelectorAll("#all-functions-tool-by-tool > section")];
  if (!sections.length) return;
  const texts = sections.map(section => section.textContent.toLowerCase());
  const box = Object.assign(document.createElement("input"), {
    type: "search", className: "filter", placeholder: "Tool, function or word",
    ariaLabel: "Show the tools that have these words",
  });
  box.value = new URLSearchParams(window.location.search).get("filter") || "";
  const found = Object.assign(document.createElement("p"), {role: "status"});
  const filter = () => {
    const words = box.value.toLowerCase().split(/\s+/);
    sections.forEach((section, i) => section.hidden = !words.every(word => texts[i].includes(word)));
    const left = sections.filter(section => !section.hidden).length;
    found.textContent = box.value.trim() && `${left} of ${sections.length} tools`;
  };
  box.addEventListener("input", filter);
  filter();
  sections[0].before(box, found);
});
