// One table of keys for a page: what is pressed, what it does, and the line of the help that says so.

import { $, make, t } from "./core.js";
import { tour } from "./tour.js";

const typing = (node) => node.closest("input:not([type=checkbox]), select, textarea, dialog");

// groups: [[title, [[shown, line, actions]]]]; actions by the names of keys as in KeyboardEvent.key, "Shift+z" with Shift.
export function bind(groups) {
  const table = new Map();
  for (const [, rows] of groups) for (const [, , actions] of rows) for (const [key, action] of Object.entries(actions ?? {})) table.set(key, action);
  document.addEventListener("keydown", (event) => {
    const control = event.ctrlKey || event.metaKey;
    if (control && event.key.toLowerCase() === "z" && !typing(event.target)) {
      event.preventDefault();
      table.get(event.shiftKey ? "Shift+z" : "z")?.();
      return;
    }
    if (control || event.altKey || typing(event.target)) return;
    const name = event.shiftKey && event.key.length === 1 && /[a-z]/i.test(event.key) ? `Shift+${event.key.toLowerCase()}` : event.key;
    const button = event.target.closest("button, a, summary");
    if (button && (event.key === "Enter" || event.key === " ")) return;
    const action = table.get(name);
    if (!action) return;
    event.preventDefault();
    action();
  });
  $("#help")?.addEventListener("click", () => help(groups));
  table.set("?", () => help(groups));
}

function help(groups) {
  const dialog = make("dialog", { class: "help", "aria-label": t("help_title") },
    make("h2", {}, t("help_title")),
    make("div", { class: "columns" }, ...groups.map(([title, rows]) => make("section", {}, make("h3", {}, t(title)),
      make("dl", {}, ...rows.flatMap(([shown, line]) => [make("dt", {}, ...shown.split(" ").map((key) => make("kbd", {}, key))), make("dd", {}, t(line))]))))),
    make("form", { method: "dialog", class: "row" }, make("button", { class: "primary" }, t("close")),
      make("button", { class: "quiet", value: "tour" }, t("tour_start"))));
  dialog.addEventListener("close", () => dialog.returnValue === "tour" && tour());
  show(dialog);
}

// Shows a dialog and takes it away when it is closed.
export function show(dialog) {
  document.body.append(dialog);
  dialog.addEventListener("close", () => dialog.remove());
  dialog.showModal();
  return dialog;
}
