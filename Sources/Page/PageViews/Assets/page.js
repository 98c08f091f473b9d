// What the page does without this script, it does with links and forms; this saves clicks.
"use strict";

// "/" goes to the search box, unless somebody is typing.
document.addEventListener("keydown", (event) => {
  if (event.key !== "/" || event.ctrlKey || event.metaKey || event.altKey) return;
  const target = event.target;
  if (target.isContentEditable || target.matches("input, select, textarea")) return;
  const search = document.querySelector(".find input");
  if (!search) return;
  event.preventDefault();
  search.focus();
  search.select();
});

// A choice with the pointer is sent at once. With arrow keys each option on the way would be sent: there the button stays.
for (const select of document.querySelectorAll("select[data-submit]")) {
  let byKey = false;
  select.addEventListener("keydown", () => { byKey = true; });
  select.addEventListener("pointerdown", () => { byKey = false; });
  select.addEventListener("change", () => { if (!byKey) select.form.requestSubmit(); });
}

// A menu closes with Escape and with a click beside it.
const closeMenus = (except) => {
  for (const menu of document.querySelectorAll("details.menu[open]")) {
    if (menu !== except) menu.open = false;
  }
};
document.addEventListener("click", (event) => closeMenus(event.target.closest("details.menu")));
document.addEventListener("keydown", (event) => {
  if (event.key !== "Escape") return;
  const menu = document.activeElement.closest("details.menu[open]");
  closeMenus();
  if (menu) menu.querySelector("summary").focus();
});

// A picture that is still being made isn't sent: it is asked for again, a few times.
for (const image of document.querySelectorAll(".picture img")) {
  let times = 0;
  const again = () => {
    times += 1;
    if (times <= 5) setTimeout(() => { image.src = image.getAttribute("src"); }, 3000 * times);
  };
  image.addEventListener("error", again);
  if (image.complete && image.currentSrc && image.naturalWidth === 0) again();
}
