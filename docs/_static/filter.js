// On tools.html, a box that keeps the rows of the table, and the sections of tools, which have all the
// words that are typed.
document.addEventListener("DOMContentLoaded", () => {
  const sections = [...document.querySelectorAll("#table-of-tools > section")];
  if (!sections.length) return;
  const rows = [...document.querySelectorAll("#functions tbody tr")];
  const tools = sections.filter(section => section.id !== "functions");
  const nameOf = section => section.querySelector("h2").firstChild.textContent.toLowerCase();
  const rowsOf = tool => rows.filter(row => row.cells[0].textContent.toLowerCase() === nameOf(tool));
  // A tool has the words of its rows, too, and its rows are shown with it.
  const textOf = element => element.textContent.toLowerCase();
  const texts = new Map(tools.map(tool => [tool, [tool, ...rowsOf(tool)].map(textOf).join(" ")]));
  const box = Object.assign(document.createElement("input"), {
    type: "search", className: "filter", placeholder: "Tool, function or word",
    ariaLabel: "Show the tools that have these words",
  });
  box.value = new URLSearchParams(window.location.search).get("filter") || "";
  const found = Object.assign(document.createElement("p"), {role: "status"});
  const filter = () => {
    const words = box.value.toLowerCase().split(/\s+/);
    tools.forEach(tool => {
      tool.hidden = !words.every(word => texts.get(tool).includes(word));
      rowsOf(tool).forEach(row => row.hidden = tool.hidden);
    });
    const left = tools.filter(tool => !tool.hidden).length;
    found.textContent = box.value.trim() && `${left} of ${tools.length} tools`;
  };
  box.addEventListener("input", filter);
  filter();
  sections[0].before(box, found);
});
