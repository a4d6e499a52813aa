// Long names in the sidebars break after an underscore.
document.addEventListener("DOMContentLoaded", () => {
  for (const link of document.querySelectorAll(".bd-sidebar-primary a, .bd-sidebar-secondary a, .bd-sidebar-secondary .pre")) {
    if (!link.children.length && link.textContent.includes("_")) {
      link.innerHTML = link.innerHTML.replaceAll("_", "_<wbr>");
    }
  }
});
