// Files that are dropped onto a page, or chosen: folders too, with the paths inside them.

import { data, make, send, t, warned } from "./core.js";
import { work } from "./results.js";

async function filesOf(entry, path = "") {
  if (entry.isFile) {
    const file = await new Promise((done, failed) => entry.file(done, failed));
    return [[path + file.name, file]];
  }
  const reader = entry.createReader();
  const found = [];
  for (;;) {
    const some = await new Promise((done, failed) => reader.readEntries(done, failed));
    if (!some.length) return found;
    for (const one of some) found.push(...(await filesOf(one, `${path}${entry.name}/`)));
  }
}

async function upload(zone, files) {
  const outcome = zone.querySelector(".outcome");
  if (!files.length) return;
  outcome.textContent = t("reading_files");
  const form = new FormData();
  if (zone.dataset.role) form.append("role", zone.dataset.role);
  for (const [path, file] of files) form.append("file", file, path);
  try {
    const { link, warnings, feedback } = await send(zone.dataset.to, form, { quiet: true });
    if (!warnings.length) return void location.assign(link);
    const start = (event) => work(event.target, `/projects/${data.project}/feedback`);
    const make_feedback = feedback ? make("button", { class: "quiet", type: "button", onclick: start }, t("make_feedback")) : "";
    outcome.replaceChildren(...warned(t("files_read"), warnings, link, make_feedback));
  } catch (problem) {
    outcome.replaceChildren(make("p", { class: "error" }, problem.message));
  }
}

export function drops() {
  for (const zone of document.querySelectorAll(".drop")) {
    zone.addEventListener("dragover", (event) => {
      event.preventDefault();
      zone.classList.add("over");
    });
    zone.addEventListener("dragleave", () => zone.classList.remove("over"));
    zone.addEventListener("drop", async (event) => {
      event.preventDefault();
      zone.classList.remove("over");
      const entries = [...event.dataTransfer.items].map((item) => item.webkitGetAsEntry?.()).filter(Boolean);
      const dropped = [...event.dataTransfer.files].map((file) => [file.name, file]);
      upload(zone, entries.length ? (await Promise.all(entries.map((entry) => filesOf(entry)))).flat() : dropped);
    });
    for (const input of zone.querySelectorAll("input[type=file]")) {
      input.addEventListener("change", () => upload(zone, [...input.files].map((file) => [file.webkitRelativePath || file.name, file])));
    }
  }
}
