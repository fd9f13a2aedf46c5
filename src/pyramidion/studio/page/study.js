// The page of a crowd study: links to copy, links with names, and the statements that are chosen.

import { $, data, say, send, t, wait } from "./core.js";

for (const button of document.querySelectorAll(".copy")) {
  button.addEventListener("click", async () => {
    const field = document.getElementById(button.dataset.of);
    field.select();
    try {
      await navigator.clipboard.writeText(field.value);
      say(t("crowd_copied"));
    } catch { /* it is selected: the person can copy it */ }
  });
}

$("#personal").addEventListener("click", async () => {
  try {
    const { links } = await send(`/studies/${data.study}/links`, { names: $("#names").value });
    $("#links").value = links.map(([name, link]) => `${name}: ${link}`).join("\n");
    $("#made").hidden = false;
    $("#links").focus();
  } catch { /* shown already */ }
});

$("#choose")?.addEventListener("click", async (event) => {
  const button = event.target;
  button.disabled = true;
  try {
    const { job } = await send(`/studies/${data.study}/statements`, { language: $("#language").value });
    location.assign(await wait(job, button.closest("section").querySelector(".outcome")));
  } catch { /* shown already */ } finally {
    button.disabled = false;
  }
});
