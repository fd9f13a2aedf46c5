// Questions to the annotator: a line of text, or one of the SCUs.

import { make, t } from "./core.js";
import { show } from "./keys.js";

// Asks for a text; undefined if the annotator changed their mind.
export function ask(title, about, value = "", { long = false } = {}) {
  return new Promise((answer) => {
    const input = make(long ? "textarea" : "input", { "aria-label": title, dir: "auto", rows: long ? "4" : null });
    input.value = value;
    const dialog = make("dialog", { class: "ask", "aria-label": title },
      make("form", { method: "dialog" }, make("h2", {}, title), about ? make("p", { class: "soft small" }, about) : "", input,
        make("p", { class: "row end" },
          make("button", { class: "quiet", type: "button", onclick: () => dialog.close("") }, t("cancel")),
          make("button", { class: "primary", value: "yes" }, t("save")))));
    input.addEventListener("keydown", (event) => {
      if (event.key === "Enter" && (!long || event.ctrlKey || event.metaKey)) {
        event.preventDefault();
        dialog.close("yes");
      }
    });
    dialog.addEventListener("close", () => answer(dialog.returnValue === "yes" ? input.value : undefined));
    show(dialog);
    input.select();
  });
}

// Asks for one of several SCUs, by typing and arrow keys, or by clicking.
export function pick(title, about, scus) {
  return new Promise((answer) => {
    let chosen, shown = [], place = 0;
    const input = make("input", { type: "search", "aria-label": t("find"), placeholder: t("find"), role: "combobox", "aria-expanded": "true", "aria-controls": "picking" });
    const list = make("ul", { class: "picking", id: "picking", role: "listbox", "aria-label": t("scus") });
    const dialog = make("dialog", { class: "ask", "aria-label": title },
      make("form", { method: "dialog" }, make("h2", {}, title), make("p", { class: "soft small words", dir: "auto" }, about), input, list,
        make("p", { class: "row end" }, make("button", { class: "quiet", type: "button", onclick: () => dialog.close() }, t("cancel")))));
    const choose = (scu) => { chosen = scu; dialog.close(); };
    const draw = () => {
      const wanted = input.value.toLowerCase();
      shown = scus.filter((scu) => scu.label.toLowerCase().includes(wanted));
      place = Math.max(0, Math.min(place, shown.length - 1));
      list.replaceChildren(...shown.map((scu, n) => make("li", { role: "option", id: `pick-${n}`, "aria-selected": String(n === place), onclick: () => choose(scu) },
        make("span", { class: `weight s${Math.min(5, scu.weight)}` }, String(scu.weight)), make("span", { class: "words", dir: "auto" }, scu.label))));
      input.setAttribute("aria-activedescendant", shown.length ? `pick-${place}` : "");
      list.children[place]?.scrollIntoView({ block: "nearest" });
    };
    input.addEventListener("input", draw);
    input.addEventListener("keydown", (event) => {
      if (event.key === "ArrowDown" || event.key === "ArrowUp") {
        place += event.key === "ArrowDown" ? 1 : -1;
        draw();
      } else if (event.key === "Enter" && shown.length) choose(shown[place]);
      else return;
      event.preventDefault();
    });
    dialog.addEventListener("close", () => answer(chosen));
    show(dialog);
    draw();
    input.focus();
  });
}
