// Long names in the sidebars break after an underscore or a dot, and before a capital letter.
document.addEventListener("DOMContentLoaded", () => {
  for (const link of document.querySelectorAll(".bd-sidebar-primary a, .bd-sidebar-secondary a, .bd-sidebar-secondary .pre")) {
    if (!link.children.length && !link.textContent.includes(" ")) {
      link.innerHTML = link.innerHTML.replace(/[_.]|[a-z](?=[A-Z])/g, "$&<wbr>");
    }
  }
});
