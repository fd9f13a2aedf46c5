// The page of a crowd study: links to copy, links with names, the statements that are chosen, and answers as they come.

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
    const place = button.closest("section").querySelector(".outcome");
    openResult(await wait(job, place), place);
  } catch { /* shown already */ } finally {
    button.disabled = false;
  }
});

// What came in meanwhile is put in its place, now and then and when somebody comes back to the page.
const EVERY = 10000;

async function refresh() {
  if (document.hidden) return;
  let answer;
  try {
    answer = await fetch(location.href, { headers: { Accept: "text/html" } });
  } catch {
    return; // the server is away: the next time, perhaps
  }
  if (!answer.ok || answer.redirected) return;
  const now = new DOMParser().parseFromString(await answer.text(), "text/html");
  for (const part of document.querySelectorAll("[data-live]")) {
    const fresh = now.querySelector(`[data-live="${CSS.escape(part.dataset.live)}"]`);
    const changed = fresh && fresh.innerHTML !== part.innerHTML;
    if (changed && !part.contains(document.activeElement)) part.replaceChildren(...fresh.childNodes);
  }
}

setInterval(refresh, EVERY);
addEventListener("focus", refresh);
