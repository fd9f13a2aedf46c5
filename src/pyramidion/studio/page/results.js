// Long work that a page starts: an evaluation, feedback for a class. What it made is opened.

import { $, data, openResult, send, wait } from "./core.js";

export async function work(control, path, body) {
  const place = control.closest(".panel").querySelector(".outcome");
  control.disabled = true;
  try {
    const { job } = await send(path, body);
    openResult(await wait(job, place), place);
  } catch { /* shown already */ } finally {
    control.disabled = false;
  }
}

$("#feedback")?.addEventListener("click", (event) => work(event.target, `/projects/${data.project}/feedback`));
const form = $("#evaluate");
if (form) {
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    work(event.submitter, `/projects/${data.project}/results`, { method: form.elements.method.value });
  });
  form.querySelector("button").disabled = false;  // before, a click would send the form to nobody
}
