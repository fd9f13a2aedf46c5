// The page of a peer: its words, the SCUs that it says or contradicts, what programs suggest, and the scores.

import { Board } from "./board.js";
import { $, data, make, send, t, toast, wait } from "./core.js";
import { ask } from "./dialogs.js";
import { bind } from "./keys.js";
import { List } from "./list.js";
import { Text } from "./words.js";

const references = new Map(data.texts.map((text) => [text.id, new Text(text, "", () => {})]));
const peer = new Text(data.peer, t("peer_label", data.peer), selected);
$("#texts").append(make("article", { class: "pane" }, peer.node));
let offered = 0;

const pairs = (spans) => spans.map((span) => [span.start, span.end]);
const objects = (spans) => spans.map(([start, end]) => ({ start, end }));
const matches = (scu) => board.reading.matches.filter((one) => one.scu === scu.id);
const denial = (scu) => board.reading.contradicted.find((one) => one.scu === scu.id);

function selected() {
  const spans = peer.spans;
  if ($("#selected")) $("#selected").textContent = spans.length ? `“${peer.quote(pairs(spans))}”` : t("nothing_selected");
  $("#selection")?.classList.toggle("active", spans.length > 0);
  if ($("#outside")) $("#outside").disabled = !spans.length;
  for (const id of ["says", "contradicts"]) if ($(`#${id}`)) $(`#${id}`).disabled = !list.scu;
}

const needScu = () => {
  if (!list.scu) toast(t("choose_scu_first"));
  return list.scu;
};

const edit = async (kind, values) => {
  const done = await board.edit(kind, { reader: data.reader, ...values });
  if (done) peer.clear();
  return done;
};

const actions = {
  says: () => needScu() && edit("AddMatch", { scu: list.scu.id, spans: peer.spans }),
  contradicts: () => needScu() && edit("SetContradiction", { scu: list.scu.id, spans: peer.spans }),
  outside() {
    if (!peer.spans.length) return void toast(t("select_words_first"));
    const same = board.reading.unmatched.some((spans) => JSON.stringify(spans) === JSON.stringify(pairs(peer.spans)));
    edit("SetUnmatched", { spans: peer.spans, unmatched: !same });
  },
  back() {
    const scu = needScu();
    if (!scu) return;
    const last = matches(scu).at(-1);
    if (last) edit("RemoveMatch", { scu: scu.id, spans: objects(last.spans) });
    else if (denial(scu)) edit("SetContradiction", { scu: scu.id, contradicted: false });
  },
  async remark() {
    const scu = needScu();
    const comment = scu && (await ask(t("remark"), "", board.reading.remarks[scu.id] ?? "", { long: true }));
    if (scu && comment !== undefined) edit("SetRemark", { scu: scu.id, comment });
  },
  finish: () => edit("SetDone", { done: !board.reading.done }),
  unannotated() {
    const pressed = $("#texts").classList.toggle("unannotated");
    $("#unannotated").setAttribute("aria-pressed", String(pressed));
  },
  async suggest() {
    const button = $("#suggest");
    button.disabled = true;
    try {
      const { job } = await send(`${board.path}/suggest`, { peer: data.reader.peer, matcher: $("#matcher").value });
      const { warnings } = await wait(job, $("#suggestions").parentElement.querySelector(".outcome"));
      for (const line of warnings) toast(line, "stays");
      await board.refresh();
      offered = 0;
      look(open()[0]);
    } catch { /* shown already */ } finally {
      button.disabled = false;
    }
  },
  accept() {
    const one = open()[offered];
    if (one) decide(one.kind === "said" ? "AddMatch" : "SetContradiction", { scu: one.scu, spans: objects(one.spans) });
  },
  refuse() {
    const one = open()[offered];
    if (one) decide("RefuseSuggestion", { scu: one.scu });
  },
};

// Suggestions that nobody has decided on.
function open() {
  const decided = new Set([...board.reading.matches.map((one) => one.scu), ...board.reading.contradicted.map((one) => one.scu), ...board.reading.refused]);
  return board.suggestions.filter((one) => !decided.has(one.scu));
}

// Decides on a suggestion and goes on to the next one.
async function decide(kind, values) {
  if (await edit(kind, values)) look(open()[offered]);
}

function look(suggestion) {
  if (!suggestion) return;
  list.choose(suggestion.scu);
  peer.reveal(suggestion.spans);
}

function drawSuggestions() {
  const place = $("#suggestions");
  if (!place) return;
  const waiting = open();
  offered = Math.max(0, Math.min(offered, waiting.length - 1));
  place.replaceChildren(...waiting.slice(0, 60).map((one, n) => {
    const scu = board.scus.get(one.scu);
    const act = (action) => () => { offered = n; action(); };
    return make("li", { class: one.kind, "aria-current": n === offered ? "true" : null },
      make("button", { type: "button", class: "pick", onclick: act(() => { look(one); redraw(); }) },
        make("span", { class: `weight s${Math.min(5, scu.weight)}` }, String(scu.weight)),
        make("span", {}, make("span", { class: "soft small" }, `${t(`suggestion_${one.kind}`)} · ${t("sure", { percent: Math.round(100 * one.score) })}`), make("br"), make("span", { class: "words", dir: "auto" }, scu.label),
          one.spans.length ? make("span", { class: "quote small words", dir: "auto" }, `“${peer.quote(one.spans)}”`) : "")),
      make("span", { class: "row end" }, make("button", { type: "button", class: "small", onclick: act(actions.accept) }, t("accept"), n === offered ? make("kbd", {}, "Y") : ""),
        make("button", { type: "button", class: "quiet small", onclick: act(actions.refuse) }, t("refuse"), n === offered ? make("kbd", {}, "W") : "")));
  }));
  if (!waiting.length && board.matcher) place.append(make("li", { class: "soft small empty" }, t("no_suggestions")));
}

function drawScores() {
  const found = board.reading.scores;
  const number = (value) => (value === null ? "–" : value.toFixed(3));
  $("#scores").replaceChildren(make("dl", { class: "figures" }, ...["coverage", "quality", "comprehensive", "raw"].flatMap((name) => [
    make("div", {}, make("dt", { class: "soft small" }, t(name)), make("dd", { class: "number", id: `score-${name}` }, name === "raw" ? String(found.raw ?? "–") : number(found[name])))])),
    make("p", { class: "soft small" }, t("units", found)));
  if ($("#finish")) $("#finish").textContent = t(board.reading.done ? "reopen" : "finish");
}

// The contributors of the chosen SCU, each in its sentence.
function details(scu) {
  const context = (one) => {
    const text = references.get(one.summary);
    if (!text || !one.spans.length) return [one.label ?? ""];
    const all = text.characters, start = one.spans[0][0], end = one.spans.at(-1)[1];
    const before = all.slice(0, start).join(""), after = all.slice(end).join("");
    const from = Math.max(before.lastIndexOf(". "), before.lastIndexOf("\n"), before.lastIndexOf("。")) + 1;
    const quoted = text.quote(one.spans);
    const to = /[.!?。]\s*$/.test(quoted) ? -1 : after.search(/[.!?。]|\n|$/);
    return [before.slice(from).trimStart(), make("mark", {}, quoted), after.slice(0, to + 1)];
  };
  const button = (key, action, shown) => make("button", { type: "button", class: "quiet small", onclick: action }, t(key), shown ? make("kbd", {}, shown) : "");
  const verdicts = [...matches(scu).map((one) => ({ ...one, kind: "said" })), ...(denial(scu) ? [{ ...denial(scu), kind: "contradicted" }] : [])];
  return make("div", { class: "details" },
    verdicts.length ? make("ul", { class: "contributors small" }, ...verdicts.map((one) => make("li", {}, make("span", { class: `verdict ${one.kind}` }, t(one.kind)), make("span", { class: "words", dir: "auto" }, peer.quote(one.spans)),
      data.edit ? make("span", { class: "row end" }, button("take_back", () => (one.kind === "said" ? edit("RemoveMatch", { scu: scu.id, spans: objects(one.spans) }) : edit("SetContradiction", { scu: scu.id, contradicted: false })))) : ""))) : "",
    board.reading.remarks[scu.id] ? make("p", { class: "comment small words", dir: "auto" }, board.reading.remarks[scu.id]) : "",
    make("h4", { class: "eyebrow" }, t("context")),
    make("ul", { class: "contributors small" }, ...scu.contributors.map((one) => make("li", {}, make("span", { class: "source" }, one.summary), make("span", { class: "words", dir: "auto" }, ...context(one))))),
    data.edit ? make("p", { class: "row" }, button("says", actions.says, "A"), button("contradicts", actions.contradicts, "X"), button("remark", actions.remark, "C")) : "");
}

function redraw() {
  const marks = [];
  for (const one of board.reading.matches) marks.push({ spans: one.spans, class: one.scu === list.chosen ? "marked chosen" : `marked m${Math.min(5, board.scus.get(one.scu)?.weight ?? 1)}` });
  for (const one of board.reading.contradicted) marks.push({ spans: one.spans, class: "against" });
  for (const spans of board.reading.unmatched) marks.push({ spans, class: "outside" });
  const offer = open()[offered];
  if (offer) marks.push({ spans: offer.spans, class: "offered" });
  peer.mark(marks);
  list.draw();
  drawSuggestions();
  drawScores();
  selected();
}

const board = new Board(() => redraw());
const list = new List(board, {
  texts: references,
  details,
  chosen: (scu) => { if (scu && matches(scu).length) peer.reveal(matches(scu)[0].spans); setTimeout(redraw); },
  state: (scu) => (denial(scu) ? "contradicted" : matches(scu).length ? "said" : ""),
  verdict: (scu) => (denial(scu) ? t("contradicted") : matches(scu).length > 1 ? t("repeated", { count: matches(scu).length }) : t("said")),
});
redraw();
board.listen();

for (const id of ["says", "contradicts", "outside", "suggest", "finish", "unannotated"]) $(`#${id}`)?.addEventListener("click", actions[id]);
$("#undo")?.addEventListener("click", () => board.change("undo"));
$("#redo")?.addEventListener("click", () => board.change("redo"));

bind([
  ["help_words", [["← → ↑ ↓", "key_arrows"], ["Shift+→", "key_shift_arrows"], ["Space", "key_space"], ["Esc", "key_escape"], ["Mouse", "key_drag"],
    ["[ ]", "key_brackets", { "[": () => $("#before")?.click(), "]": () => $("#after")?.click() }]]],
  ["help_scus", [["J K", "key_jk", { j: () => list.step(1), k: () => list.step(-1) }], ["A", "key_enter_says", { a: actions.says }],
    ["X", "key_x_contradicts", { x: actions.contradicts }], ["0", "key_0", { 0: actions.outside }], ["Backspace", "key_backspace", { Backspace: actions.back, Delete: actions.back }], ["C", "key_c", { c: actions.remark }]]],
  ["help_peer", [["G", "key_g", { g: actions.suggest }], ["Y", "key_y", { y: actions.accept }], ["W", "key_w", { w: actions.refuse }], ["F", "key_f", { f: actions.finish }]]],
  ["help_page", [["/", "key_slash", { "/": () => $("#find").focus() }], ["O", "key_o", { o: () => list.nextOrder() }], ["U", "key_u", { u: actions.unannotated }],
    ["Z", "key_z", { z: () => board.change("undo") }], ["Shift+Z", "key_shift_z", { "Shift+z": () => board.change("redo") }], ["Tab", "key_tab"], ["?", "key_question"]]],
]);
