// Two readings side by side: begin with one of them, then decide where they differ.

import { data, send } from "./core.js";

let version = data.version;
let queue = Promise.resolve();
const path = `/topics/${data.topic}/operations`;

// One edit after the other, each on top of what the one before led to.
function edit(kind, values) {
  queue = queue.then(async () => {
    const view = await send(path, { kind, operation: { reader: data.reader, ...values }, base: version, ...data.reader });
    version = view.version;
    const said = new Set(view.reading.matches.map((one) => one.scu));
    for (const button of document.querySelectorAll(".settle")) button.setAttribute("aria-pressed", String(said.has(button.dataset.scu)));
  }).catch(() => {}); // shown already
  return queue;
}

for (const button of document.querySelectorAll(".take")) button.addEventListener("click", () => edit("TakeAnnotation", { other: button.dataset.other }));

for (const button of document.querySelectorAll(".settle")) {
  button.addEventListener("click", async () => {
    const spans = (JSON.parse(button.dataset.spans)[0] ?? []).map(([start, end]) => ({ start, end }));
    const pressed = button.getAttribute("aria-pressed") === "true";
    await edit(pressed ? "RemoveMatch" : "AddMatch", { scu: button.dataset.scu, spans });
  });
}
