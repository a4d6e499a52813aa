// Where a page is narrow, a picture with several panels keeps its letters, and scrolls.
const perInch = {"plot-directive": 160, "sphx-glr-single-img": 145};  // others are SVG
addEventListener("load", () => {
  for (const picture of document.querySelectorAll(".bd-article img:not(.sphx-glr-thumbcontainer img)")) {
    const inches = picture.naturalWidth / (perInch[picture.classList[0]] || 96);
    if (inches > 5) {
      const box = document.createElement("div");
      box.className = "picture-scrolls";
      box.style.setProperty("--readable", `${98 * inches}px`);
      picture.replaceWith(box);
      box.append(picture);
    }
  }
});
