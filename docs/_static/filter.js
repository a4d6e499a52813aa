// On tools.html, a box that keeps the functions that have all the words that are typed.
document.addEventListener("DOMContentLoaded", () => {
  const table = document.querySelector("#functions table");
  if (!table || !document.querySelector("#table-of-tools")) return;
  const rows = [...table.tBodies[0].rows];
  const box = Object.assign(document.createElement("input"), {
    type: "search", className: "filter", placeholder: "Tool, function or word",
    ariaLabel: "Show the functions that have these words",
  });
  box.value = new URLSearchParams(window.location.search).get("filter") || "";
  const found = Object.assign(document.createElement("p"), {role: "status"});
  const filter = () => {
    const words = box.value.toLowerCase().split(/\s+/);
    rows.forEach(row => {
      row.hidden = !words.every(word => row.textContent.toLowerCase().includes(word));
    });
    const left = rows.filter(row => !row.hidden).length;
    found.textContent = box.value.trim() && `${left} of ${rows.length} functions`;
  };
  box.addEventListener("input", filter);
  filter();
  document.querySelector("#functions > h2").after(box, found);
});
