// What the page does when it opens, and when somebody clicks, types or prints.
import { $, make, button, shown, tell, count, calm } from "./dom.js";
import { data, read, start, topics, topic, state, corrections, correctTopic, nameOf, canCorrect, severalTopics, ideas, summaries } from "./state.js";
import { drawOverview } from "./overview.js";
import { filterBy, startTables, updateTables } from "./tables.js";
import { drawPyramid, drawMap, drawCard, mark, choose, unchoose } from "./topic.js";
import { drawTexts } from "./texts.js";

function drawTopic() {
  state.scu = 0;
  state.wholeMap = false;
  $("topic-heading").replaceChildren(severalTopics() ? "Topic: " : "", make("bdi", {}, shown(topic().id)));
  $("topic-choice").value = String(state.topic);
  $("summary-choice").replaceChildren(...topic().summaries.map((summary, s) => make("option", { value: s }, shown(nameOf(summary)))), make("option", { value: "all" }, "all summaries"));
  drawParts();
}
function drawParts() {
  tell($("topic-counts"), `${count(topic().references.length, "reference", "references")}, ${ideas(topic().scus.length)}, ${summaries(topic().summaries.length)} scored`);
  drawPyramid();
  drawMap();
  drawTexts();
  drawCard();
}
function goToTopic(t, s = 0) {
  if (t === state.topic) return;
  state.topic = t;
  state.summary = s;
  drawTopic();
}
function open(s, scu) {
  if (state.summary !== "all" && state.summary !== s) { state.summary = s; drawTexts(); }
  const box = $(`text-${s}`);
  const place = (scu && box.querySelector(`.text [data-scu="${scu}"]`)) || box.querySelector("h4");
  place.focus({ preventScroll: true });
  (place.matches("h4") ? box : place).scrollIntoView({ behavior: calm(), block: place.matches("h4") ? "start" : "center" });
}
function openSummary(t, s, scu) {
  goToTopic(t, s);
  if (scu) choose(scu, null);
  open(s, scu);
}
function openIdea(t, number, opener) {
  goToTopic(t);
  $("topic").scrollIntoView({ behavior: calm() });
  choose(number, opener);
}

// ---- Corrections ----

function correctionInWords(t, one) {
  const label = (id) => { const scu = data.topics[t].scus.find((other) => other.id === id); return `\u201c${shown(scu ? scu.label : id)}\u201d`; };
  const where = severalTopics() ? ` (${shown(data.topics[t].id)})` : "";
  if (one.do === "judge") return `${shown(one.summary)}${where}: ${label(one.idea)} is ${one.verdict}`;
  if (one.do === "rename") return `${label(one.idea)}${where} is called \u201c${shown(one.label)}\u201d`;
  if (one.do === "merge") return `${label(one.idea)}${where} is the same as ${label(one.into)}`;
  return `${label(one.idea)}${where} is dropped`;
}
function drawCorrections() {
  const every = corrections.every();
  $("corrections-none").hidden = every.length > 0;
  $("corrections-some").hidden = every.length === 0;
  $("corrections-list").replaceChildren(...every.map(({ topic: t, at, correction }) => make("li", {}, make("span", { class: "words", dir: "auto" }, correctionInWords(t, correction)),
    button({ "data-undo": `${t}-${at}` }, "Undo", make("span", { class: "unseen" }, `: ${correctionInWords(t, correction)}`)))));
  $("corrected-note").hidden = every.length === 0;
  tell($("corrections-count"), count(every.length, "correction", "corrections"));
}
// Everything that shows a number is drawn again; the focus stays where it was, or where it is told to go.
function changed(t, focus = "") {
  const key = document.activeElement && document.activeElement.dataset.key;
  correctTopic(t);
  if (state.topic === t) {
    if (state.scu && !topic().ideas.has(state.scu)) state.scu = 0;
    drawParts();
  }
  drawOverview();
  updateTables(t);
  drawCorrections();
  mark();
  const found = (key && document.querySelector(`[data-key="${key}"]`)) || (key && document.querySelector(`[data-key^="${key.replace(/[a-z]+$/, "")}"]`)) || (focus && document.querySelector(focus));
  if (found) found.focus({ preventScroll: true });
  tell($("told"), `${count(corrections.count, "correction", "corrections")}; the scores are those after them.`);
}
function judge(node) {
  const summary = topic().summaries[Number(node.dataset.summary)], scu = topic().ideas.get(Number(node.dataset.number));
  const original = data.topics[state.topic].summaries[Number(node.dataset.summary)];
  const was = original.expressed.some((one) => one.scu === scu.number) ? "found" : original.contradicted.some((one) => one.scu === scu.number) ? "contradicted" : "missing";
  const same = node.dataset.judge === was && original.probabilities.length === 0 && !corrections.lists[state.topic].some((one) => one.do === "merge" && one.into === scu.id);
  corrections.judge(state.topic, summary, scu, same ? "" : node.dataset.judge);
  changed(state.topic);
}
function correctIdea(form) {
  const scu = topic().ideas.get(state.scu), kind = form.dataset.form;
  if (kind === "rename") {
    const label = form.querySelector("input").value.trim();
    if (!label || label === scu.label) return;
    corrections.add(state.topic, { do: "rename", idea: scu.id, label });
  } else if (kind === "merge") {
    const into = form.querySelector("select").value;
    corrections.add(state.topic, { do: "merge", idea: scu.id, into });
    state.scu = topic().scus.find((other) => other.id === into).number;
  } else corrections.add(state.topic, { do: "drop", idea: scu.id });
  changed(state.topic, kind === "drop" ? "#pyramid button" : "#card h3");
}
function save() {
  const link = make("a", { href: URL.createObjectURL(new Blob([corrections.file()], { type: "application/json" })), download: "corrections.json" });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}
function startCorrections() {
  for (const node of document.querySelectorAll(".correctable")) node.hidden = !canCorrect();
  $("correct").addEventListener("click", () => {
    state.correcting = !state.correcting;
    $("correct").setAttribute("aria-pressed", String(state.correcting));
    drawTexts();
    drawCard();
  });
  $("corrections-list").addEventListener("click", (event) => {
    const node = event.target.closest("[data-undo]");
    if (!node) return;
    const [t, at] = node.dataset.undo.split("-").map(Number);
    corrections.undo(t, at);
    changed(t, "#corrections-list button, #corrections-heading");
  });
  $("undo-all").addEventListener("click", () => {
    const touched = corrections.lists.flatMap((list, t) => list.length ? [t] : []);
    corrections.clear();
    touched.forEach((t) => changed(t, "#corrections-heading"));
  });
  for (const id of ["save", "save-too"]) $(id).addEventListener("click", save);
  data.topics.forEach((_, t) => { if (corrections.lists[t].length) updateTables(t); });
  drawCorrections();
}

// ---- Clicks ----
// Where ideas overlap, a click takes the one that says least besides; a further click, the next.
function ofMark(node) {
  const sizes = (number) => [...node.parentElement.querySelectorAll("mark")].filter((other) => other.dataset.in.split(" ").includes(number))
    .reduce((sum, other) => sum + other.textContent.length, 0);
  const numbers = node.dataset.in.split(" ").sort((a, b) => sizes(a) - sizes(b) || a - b);
  return Number(numbers[(numbers.indexOf(String(state.scu)) + 1) % numbers.length]);
}
function clicked(event) {
  const node = event.target.closest("[data-judge], [data-close], [data-scu], [data-cell], [data-open], [data-show], mark");
  if (!node) return;
  if (node.dataset.judge !== undefined) judge(node);
  else if (node.dataset.close !== undefined) unchoose();
  else if (node.dataset.scu) choose(Number(node.dataset.scu), node);
  else if (node.dataset.open) open(Number(node.dataset.open), 0);
  else if (node.dataset.show) open(Number(node.dataset.show), state.scu);
  else if (node.dataset.cell) { choose(Number(node.dataset.cell), null); open(Number(node.dataset.of), state.scu); }
  else if (getSelection().isCollapsed) {
    const number = ofMark(node);
    choose(number, node.parentElement.querySelector(`[data-scu="${number}"]`));
  }
}
function clickedAbove(event) {
  const node = event.target.closest("[data-go], [data-idea], [data-filter]");
  if (!node) return;
  const [t, number] = (node.dataset.go || node.dataset.idea || "").split("-").map(Number);
  if (node.dataset.go) openSummary(t, number, Number(node.dataset.with) || 0);
  else if (node.dataset.idea) openIdea(t, number, node);
  else { filterBy(node.dataset.filter); $("scores").scrollIntoView({ behavior: calm() }); $("filter").focus({ preventScroll: true }); }
}
const numbersOf = (node) => node.dataset.scu ? [node.dataset.scu] : node.dataset.cell ? [node.dataset.cell] : node.dataset.in.split(" ");
function light(event) {
  const node = event.target.closest && event.target.closest("[data-scu], [data-cell], mark");
  const numbers = node ? numbersOf(node) : [];
  for (const other of document.querySelectorAll("#pyramid [data-scu], #texts mark")) other.classList.toggle("lit", numbersOf(other).some((number) => numbers.includes(number)));
}

// A link of a table opens a text, and so does the page's address; #researchers opens what is for them.
function follow() {
  if (location.hash === "#researchers") {
    $("researchers").open = true;
    $("researchers").scrollIntoView();
    return;
  }
  const found = /^#summary-(\d+)-(\d+)$/.exec(location.hash);
  if (!found) return;
  const [t, s] = [Number(found[1]), Number(found[2])];
  if (topics[t] && topics[t].summaries[s]) openSummary(t, s, 0);
}

// Paper has all texts of the topic; what was chosen is back afterwards.
function startPrinting() {
  let before = 0;
  addEventListener("beforeprint", () => { before = state.summary; state.summary = "all"; drawTexts(); });
  addEventListener("afterprint", () => { state.summary = before; drawTexts(); });
}

async function copySignature() {
  getSelection().selectAllChildren($("signature"));
  let done = false;
  try { await navigator.clipboard.writeText($("signature").textContent); done = true; } catch { done = document.execCommand("copy"); }
  tell($("copied"), done ? "Copied." : "Selected: press Ctrl+C.");
}

function startTopics() {
  $("topic").addEventListener("click", clicked);
  $("overview").addEventListener("click", clickedAbove);
  for (const type of ["mouseover", "focusin", "mouseleave"]) $("topic").addEventListener(type, light);
  document.addEventListener("keydown", (event) => { if (event.key === "Escape") unchoose(); });
  $("card").addEventListener("submit", (event) => { event.preventDefault(); correctIdea(event.target); });
  $("map-more").addEventListener("click", () => { state.wholeMap = true; drawMap(); mark(); });
  $("topic-choice").append(...data.topics.map((one, t) => make("option", { value: t }, shown(one.id))));
  $("topic-choice").addEventListener("change", (event) => goToTopic(Number(event.target.value)));
  $("topic-tools").hidden = !severalTopics();
  const show = (choice) => { state.summary = choice; drawTexts(); };
  $("summary-choice").addEventListener("change", (event) => show(event.target.value === "all" ? "all" : Number(event.target.value)));
  $("previous").addEventListener("click", () => show(state.summary - 1));
  $("next").addEventListener("click", () => show(state.summary + 1));
  addEventListener("hashchange", follow);
  document.addEventListener("click", (event) => {
    const link = event.target.closest("a[href^='#']");
    if (link && link.hash === location.hash) follow();
  });
}

async function main() {
  $("no-script").remove();
  $("copy").hidden = false;
  $("copy").addEventListener("click", copySignature);
  start(await read($("data")));
  startTables();
  if (data.topics.length === 0) return;
  for (const id of ["overview", "topic"]) $(id).hidden = false;
  startTopics();
  startCorrections();
  startPrinting();
  drawOverview();
  drawTopic();
  follow();
  document.documentElement.dataset.ready = "";
  performance.mark("ready"); // bench/pages.py
}
main();
