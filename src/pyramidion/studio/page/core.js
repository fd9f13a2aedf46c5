// What every page needs: its data, its strings, and a way to change things that says what happened.

export const data = JSON.parse(document.getElementById("data").textContent);

export const t = (key, values = {}) =>
  (data.strings[key] ?? key).replace(/\{(\w+)\}/g, (whole, name) => (name in values ? values[name] : whole));

export const $ = (selector, root = document) => root.querySelector(selector);

// An element with properties and children. Texts become text nodes, never markup.
export function make(tag, properties = {}, ...children) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(properties)) {
    if (value === undefined || value === null || value === false) continue;
    if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
    else if (name === "class") node.className = value;
    else node.setAttribute(name, value === true ? "" : value);
  }
  node.append(...children.filter((child) => child !== null && child !== undefined && child !== ""));
  return node;
}

export function say(words) {
  $("#status").textContent = words;
}

export function toast(words, kind = "") {
  const node = make("div", { class: `toast ${kind}` }, words,
    make("button", { class: "quiet small", type: "button", onclick: () => node.remove() }, t("close")));
  $("#toasts").append(node);
  if (kind !== "stays") setTimeout(() => node.remove(), 9000);
}

export class Refused extends Error {}

// Sends a change and returns the answer; a refusal is shown, and thrown.
export async function send(path, body, { quiet = false } = {}) {
  const form = body instanceof FormData;
  const headers = { "X-Token": data.token, Accept: "application/json" };
  if (!form) headers["Content-Type"] = "application/json";
  let answer;
  try {
    answer = await fetch(path, { method: "POST", headers, body: form ? body : JSON.stringify(body ?? {}) });
  } catch {
    if (!quiet) toast(t("offline"), "bad");
    throw new Refused(t("offline"));
  }
  const said = await answer.json().catch(() => ({ error: answer.statusText }));
  if (!answer.ok) {
    if (!quiet) toast(said.error, "bad");
    throw Object.assign(new Refused(said.error), { status: answer.status });
  }
  return said;
}

export async function get(path) {
  const answer = await fetch(path, { headers: { Accept: "application/json" } });
  if (!answer.ok) throw new Refused(answer.statusText);
  return answer.json();
}

// Waits for work on the server and shows how far it is; returns where its result is (link) and what to know of it (warnings).
export async function wait(job, place) {
  for (;;) {
    const state = await get(`/jobs/${job}`);
    if (state.error) {
      place.textContent = state.error;
      throw new Refused(state.error);
    }
    if (state.finished) {
      place.textContent = "";
      return state;
    }
    place.textContent = state.total > 1 ? t("working", state) : t("working_plain");
    await new Promise((done) => setTimeout(done, 400));
  }
}

// A list of warnings, and a link to what they are about.
export const warned = (words, warnings, link, ...others) => [
  make("p", {}, words), make("ul", { class: "small" }, ...warnings.map((line) => make("li", {}, line))),
  make("div", { class: "panel" },
    make("p", { class: "row" }, make("a", { class: "button primary", href: link }, t("go_on")), ...others),
    make("div", { class: "outcome", role: "status" })),
];

// Opens what work has made; if there is something to know of it, once that is read.
export function openResult({ link, warnings }, place) {
  if (warnings.length) place.replaceChildren(...warned(t("work_done"), warnings, link));
  else location.assign(link);
}
