// The page of a project's people: invitations and assignments.

import { $, make, send, t } from "./core.js";

const invitations = location.pathname.replace(/people$/, "invitations");

$("#invite")?.addEventListener("click", async () => {
  const role = $("#role").value;
  const { link, invitation, ends } = await send(invitations, { role });
  $(".outcome").textContent = link;
  const button = make("button", { type: "button", class: "quiet small revoke", value: invitation }, t("revoke"));
  const row = [make("th", { scope: "row" }, t(role)), make("td", {}, t("invitation_ends", { day: ends })), make("td", {}, button)];
  $("#invitations tbody").append(make("tr", {}, ...row));
  $("#invitations").hidden = false;
});

$("#invitations")?.addEventListener("click", async ({ target }) => {
  if (!target.matches(".revoke")) return;
  await send(`${invitations}/revoke`, { invitation: target.value });
  target.closest("tr").remove();
  $(".outcome").textContent = t("revoked");
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
