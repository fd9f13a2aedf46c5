// The page of a project's people: invitations and assignments.

import { $, send } from "./core.js";

$("#invite")?.addEventListener("click", async () => {
  const { link } = await send(`${location.pathname.replace(/people$/, "invitations")}`, { role: $("#role").value });
  $(".outcome").textContent = link;
});

for (const box of document.querySelectorAll(".assign")) {
  box.addEventListener("change", async () => {
    const { topic, peer } = box.dataset;
    try {
      await send(`/topics/${topic}/assignments`, { peer, account: box.value, assigned: box.checked ? "yes" : "no" });
    } catch {
      box.checked = !box.checked;
    }
  });
}
