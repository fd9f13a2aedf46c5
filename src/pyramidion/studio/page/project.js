// The page of a project: files that are dropped, and feedback that is made.

import { $, data, send, wait } from "./core.js";
import { drops } from "./upload.js";

drops();

$("#feedback")?.addEventListener("click", async (event) => {
  const button = event.target;
  button.disabled = true;
  try {
    const { job } = await send(`/projects/${data.project}/feedback`);
    const link = await wait(job, button.parentElement.querySelector(".outcome"));
    if (link) location.assign(link);
  } catch { /* shown already */ } finally {
    button.disabled = false;
  }
});
