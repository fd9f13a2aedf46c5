// The page of a pyramid: references, their words, and the SCUs that are made of them.

import { Board } from "./board.js";
import { $, data, make, send, t, toast, wait } from "./core.js";
import { ask, pick } from "./dialogs.js";
import { bind } from "./keys.js";
import { List } from "./list.js";
import "./results.js";
import { drops } from "./upload.js";
import { Text } from "./words.js";

const texts = new Map();
const shares = new Map();
let current = data.texts[0]?.id;
let tabbed = sessionStorage.getItem("tabbed") === "yes" || matchMedia("(max-width: 60rem)").matches;
let ticked = new Set();

function selected(text) {
  if (text) {
    current = text.id;
    for (const other of texts.values()) if (other !== text && other.spans.length) { other.kept = []; other.range = null; other.draw(); }
  }
  const chosen = texts.get(current);
  const spans = chosen?.spans ?? [];
  const words = spans.length ? chosen.quote(spans.map((span) => [span.start, span.end])) : "";
  if ($("#selected")) $("#selected").textContent = words ? `“${words}”` : t("nothing_selected");
  $("#selection")?.classList.toggle("active", spans.length > 0);
  for (const id of ["new", "add"]) if ($(`#${id}`)) $(`#${id}`).disabled = !spans.length || (id === "add" && !list.scu);
}

// The selected words, or a reminder to select some.
function selection() {
  const text = texts.get(current);
  if (!text?.spans.length) toast(t("select_words_first"));
  return text?.spans.length ? { summary: text.id, spans: text.spans } : null;
}

const needScu = () => {
  if (!list.scu) toast(t("choose_scu_first"));
  return list.scu;
};

const wordsOf = (one) => ({ summary: one.summary, spans: one.spans.map(([start, end]) => ({ start, end })), label: one.label ?? "" });

const actions = {
  async create() {
    const words = selection();
    if (!words) return;
    const label = await ask(t("new_scu"), t("label_about"), texts.get(words.summary).quote(words.spans.map((span) => [span.start, span.end])));
    if (label === undefined) return;
    const before = new Set(board.scus.keys());
    if (await board.edit("AddSCU", { words, label })) {
      texts.get(words.summary).clear();
      list.choose([...board.scus.keys()].find((id) => !before.has(id)));
    }
    texts.get(words.summary).node.focus();
  },
  async add() {
    const words = selection(), scu = words && needScu();
    if (scu && (await board.edit("AddContributor", { scu: scu.id, words }))) texts.get(words.summary).clear();
  },
  async replace() {
    const words = selection(), scu = words && needScu();
    const old = scu?.contributors.find((one, n) => one.summary === words.summary && (!ticked.size || ticked.has(n)));
    if (old && (await board.edit("SetContributorWords", { scu: scu.id, words: wordsOf(old), spans: words.spans }))) texts.get(words.summary).clear();
  },
  async label() {
    const scu = needScu();
    const label = scu && (await ask(t("edit_label"), t("label_about"), scu.label));
    if (label !== undefined && label !== scu?.label && scu) await board.edit("SetLabel", { scu: scu.id, label });
  },
  async comment() {
    const scu = needScu();
    const comment = scu && (await ask(t("comment"), "", scu.comment, { long: true }));
    if (scu && comment !== undefined) await board.edit("SetComment", { scu: scu.id, comment });
  },
  async merge() {
    const scu = needScu();
    const other = scu && (await pick(t("merge"), t("merge_about", scu), list.sorted.filter((one) => one.id !== scu.id)));
    if (other && (await board.edit("MergeSCUs", { scu: scu.id, into: other.id }))) list.choose(other.id, true);
  },
  async split() {
    const scu = needScu();
    if (!scu) return;
    if (!ticked.size) return void toast(t("split_about"));
    const words = [...ticked].map((n) => wordsOf(scu.contributors[n]));
    const label = await ask(t("split"), t("label_about"), list.words(scu.contributors[[...ticked][0]]));
    if (label !== undefined) await board.edit("SplitSCU", { scu: scu.id, words, label });
  },
  async remove() {
    const scu = needScu();
    if (!scu) return;
    const next = list.shown[list.shown.indexOf(scu) + 1]?.id;
    if (await board.edit("DeleteSCU", { scu: scu.id })) list.choose(next, true);
  },
  async move(scu, one) {
    const other = await pick(t("move"), t("move_about"), list.sorted.filter((each) => each.id !== scu.id));
    if (other) await board.edit("MoveContributor", { scu: scu.id, words: wordsOf(one), to: other.id });
  },
  unannotated() {
    const pressed = $("#texts").classList.toggle("unannotated");
    $("#unannotated").setAttribute("aria-pressed", String(pressed));
  },
  layout() {
    tabbed = !tabbed;
    sessionStorage.setItem("tabbed", tabbed ? "yes" : "no");
    layout();
  },
  text(by) {
    const ids = [...texts.keys()];
    current = ids[(ids.indexOf(current) + by + ids.length) % ids.length];
    layout();
    texts.get(current).node.focus();
  },
};

// What the chosen SCU shows: its words, each with what can be done, and its own buttons.
function details(scu) {
  const button = (key, action, shown) => make("button", { type: "button", class: "quiet small", onclick: action }, t(key), shown ? make("kbd", {}, shown) : "");
  const rows = scu.contributors.map((one, n) => make("li", { draggable: data.edit ? "true" : null, ondragstart: (event) => drag(event, { scu: scu.id, contributor: n }) },
    data.edit ? make("label", { class: "tick" }, make("input", { type: "checkbox", checked: ticked.has(n), "aria-label": list.words(one), onchange: (event) => ticked[event.target.checked ? "add" : "delete"](n) })) : "",
    make("button", { type: "button", class: "link source", onclick: () => reveal(one) }, one.summary),
    make("span", { class: "words", dir: "auto" }, list.words(one)),
    data.edit ? make("span", { class: "row end" }, button("move", () => actions.move(scu, one)), button("remove_words", () => board.edit("RemoveContributor", { scu: scu.id, words: wordsOf(one) }))) : ""));
  return make("div", { class: "details" }, make("ul", { class: "contributors small", "aria-label": t("contributors") }, ...rows),
    data.edit ? make("p", { class: "row" }, button("edit_label", actions.label, "E"), button("comment", actions.comment, "C"), button("merge", actions.merge, "M"), button("split", actions.split, "S"), button("delete", actions.remove, "D")) : "");
}

function reveal(contributor) {
  current = contributor.summary;
  layout();
  texts.get(current).reveal(contributor.spans);
}

const drag = (event, what) => {
  event.stopPropagation();
  event.dataTransfer.setData("text/plain", JSON.stringify(what));
};

// An SCU can be dragged onto another to merge them, and so can single words.
function prepare(node, scu) {
  if (!data.edit) return;
  const handle = node.querySelector(".pick");
  handle.draggable = true;
  handle.addEventListener("dragstart", (event) => drag(event, { scu: scu.id }));
  node.addEventListener("dragover", (event) => { event.preventDefault(); node.classList.add("over"); });
  node.addEventListener("dragleave", () => node.classList.remove("over"));
  node.addEventListener("drop", (event) => {
    event.preventDefault();
    node.classList.remove("over");
    let what;
    try { what = JSON.parse(event.dataTransfer.getData("text/plain")); } catch { return; }
    const source = board.scus.get(what.scu);
    if (!source || source === scu) return;
    if (what.contributor === undefined) board.edit("MergeSCUs", { scu: source.id, into: scu.id }).then((done) => done && list.choose(scu.id));
    else board.edit("MoveContributor", { scu: source.id, words: wordsOf(source.contributors[what.contributor]), to: scu.id });
  });
}

function redraw() {
  const marks = new Map([...texts.keys()].map((id) => [id, []]));
  for (const scu of board.scus.values()) {
    for (const one of scu.contributors) marks.get(one.summary)?.push({ spans: one.spans, class: scu.id === list.chosen ? "marked chosen" : `marked m${Math.min(5, scu.weight)}` });
  }
  for (const [id, text] of texts) shares.set(id, Math.floor(100 * text.mark(marks.get(id))));
  for (const [id, node] of heads) node.textContent = t("annotated_share", { percent: shares.get(id) });
  if ($("#begin")) $("#begin").hidden = board.scus.size > 0;
  list.draw();
  selected();
}

const heads = new Map();
for (const text of data.texts) {
  texts.set(text.id, new Text(text, t("reference_label", text), selected));
  const share = make("span", { class: "soft small" });
  heads.set(text.id, share);
  $("#texts").append(make("article", { class: "pane", "data-id": text.id }, make("h2", {}, make("span", { class: "words" }, text.id), " ", share), texts.get(text.id).node));
}

function layout() {
  $("#texts").classList.toggle("one", tabbed);
  if ($("#layout")) $("#layout").textContent = t(tabbed ? "side_by_side" : "one_at_a_time");
  for (const pane of document.querySelectorAll(".pane")) pane.hidden = tabbed && pane.dataset.id !== current;
  $("#tabs")?.replaceChildren(...(tabbed ? [...texts.keys()].map((id) => make("button", { type: "button", role: "tab", class: "tab", "aria-selected": String(id === current), onclick: () => { current = id; layout(); } }, id)) : []));
}

const board = new Board(() => redraw());
const list = new List(board, { texts, details, prepare, chosen: () => { ticked = new Set(); setTimeout(redraw); } });
list.chosen = null;
layout();
redraw();
if (!data.texts.length) $("#texts").remove();
drops();
board.listen();

$("#new")?.addEventListener("click", actions.create);
$("#add")?.addEventListener("click", actions.add);
$("#undo")?.addEventListener("click", () => board.change("undo"));
$("#redo")?.addEventListener("click", () => board.change("redo"));
$("#unannotated")?.addEventListener("click", actions.unannotated);
$("#layout")?.addEventListener("click", actions.layout);
$("#build")?.addEventListener("click", async (event) => {
  event.target.disabled = true;
  try {
    const { job } = await send(`${board.path}/build`, { method: $("#method").value });
    const { warnings } = await wait(job, $("#begin .outcome"));
    for (const line of warnings) toast(line, "stays");
    await board.refresh();
  } finally {
    event.target.disabled = false;
  }
});

bind([
  ["help_words", [
    ["← → ↑ ↓", "key_arrows"], ["Shift+→", "key_shift_arrows"], ["Space", "key_space"], ["Esc", "key_escape"], ["Mouse", "key_drag"],
    ["[ ]", "key_brackets", { "[": () => actions.text(-1), "]": () => actions.text(1) }],
  ]],
  ["help_scus", [
    ["N", "key_n", { n: actions.create }], ["A", "key_a", { a: actions.add }], ["R", "key_r", { r: actions.replace }],
    ["J K", "key_jk", { j: () => list.step(1), k: () => list.step(-1) }], ["E", "key_e", { e: actions.label }], ["C", "key_c", { c: actions.comment }],
    ["M", "key_m", { m: actions.merge }], ["S", "key_s", { s: actions.split }], ["D", "key_d", { d: actions.remove, Delete: actions.remove }],
  ]],
  ["help_page", [
    ["/", "key_slash", { "/": () => $("#find").focus() }], ["O", "key_o", { o: () => list.nextOrder() }], ["U", "key_u", { u: actions.unannotated }],
    ["T", "key_t", { t: actions.layout }], ["Z", "key_z", { z: () => board.change("undo") }], ["Shift+Z", "key_shift_z", { "Shift+z": () => board.change("redo") }],
    ["Tab", "key_tab"], ["?", "key_question"],
  ]],
]);
