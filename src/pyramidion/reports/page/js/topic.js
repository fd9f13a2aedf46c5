// One topic: its ideas as a pyramid, who says what as a map, and the card of the idea that is chosen.
import { $, make, button, shown, words, quoted, tell, level, byText, roving, calm, CROSS } from "./dom.js";
import { topic, state, nameOf, judged, likely, probability, surely, sure, isUnclear, ideaName, ideas, summaries, canCorrect, percent } from "./state.js";

const MAP_ROWS = 60, MAP_COLUMNS = 100, LABELLED = 12;
const heaviest = () => Math.max(1, ...topic().scus.map((scu) => scu.weight));
export const weightLevel = (weight) => level(weight / heaviest());
export const weightBadge = (weight) => make("span", { class: `weight s${weightLevel(weight)}`, title: `importance ${weight}` }, make("span", { class: "unseen" }, "importance "), String(weight));
export const contributors = (scu) => make("dl", {}, scu.contributors.map((one) => [words(one.reference, "dt"), quoted(one.words, "dd")]));
// Why its label cannot be read by itself, if the program that made it found so.
export const whyUnclear = (scu) => scu.unclear ? make("p", { class: "small soft" }, `Not clear by itself: ${shown(scu.unclear)}`) : "";
// What is noted of an idea: of a unit of the sources, its sentence there.
export const note = (scu) => [whyUnclear(scu), ...[scu.sentence, scu.note].filter(Boolean).map((text) => make("p", { class: "small soft", dir: "auto" }, "Noted: ", quoted(text)))];
// Why it matches, where the matcher says so, and what is noted of it.
export const reasons = (one) => [...one.reasons.map((text) => `why: ${shown(text)}`), ...one.remarks.map((text) => `noted: ${shown(text)}`)]
  .map((text) => make("div", { class: "small soft", dir: "auto" }, text));
export const verdictTag = (summary, number) => summary.reading.corrected.has(number) ? make("span", { class: "tag corrected" }, "corrected")
  : isUnclear(summary, number) ? make("span", { class: "tag unclear" }, "unclear") : "";

const by = (list, number) => topic().summaries.map((summary, s) => ({ s, summary, one: summary[list].find((entry) => entry.scu === number) })).filter(({ one }) => one);
const counted = () => topic().summaries.filter((summary) => summary.role === "peer").length || topic().summaries.length;
const countOf = (number, list = "found") => {
  const has = topic().summaries.filter((summary) => summary.reading[list].has(number));
  return topic().summaries.some((summary) => summary.role === "peer") ? has.filter((summary) => summary.role === "peer").length : has.length;
};
const someContradicted = () => topic().summaries.some((summary) => summary.contradicted.length);
const spread = (number) => `Found in ${countOf(number)} of ${summaries(counted())}${countOf(number, "contradicted") ? `, contradicted by ${countOf(number, "contradicted")}` : ""}`;

export function drawPyramid() {
  const tiers = new Map();
  for (const scu of topic().scus) tiers.set(scu.weight, [...(tiers.get(scu.weight) || []), scu]);
  const list = make("ol", { class: "pyramid", "aria-label": "The ideas, the most important first" });
  let share = 0, at = 0;
  for (const [weight, scus] of tiers) {
    const compact = scus.length > LABELLED;
    const linear = tiers.size === 1 ? 100 : 38 + 62 * at / (tiers.size - 1);
    const row = compact ? scus.length / 6 : scus.length > 3 ? scus.length / 2 : scus.length;
    share = Math.max(share, linear, Math.min(100, Math.ceil(row) * (compact ? 7 : 15.5)));
    at += 1;
    const cells = make("ul", { class: compact ? "cells compact" : "cells", "aria-label": `Importance ${weight}: ${ideas(scus.length)}` });
    for (const scu of scus) {
      const denied = countOf(scu.number, "contradicted");
      cells.append(make("li", {}, button({
        class: `s${level(countOf(scu.number) / counted())}`, "data-scu": scu.number, "aria-pressed": "false", title: shown(scu.label),
      }, make("b", {}, make("span", { class: "unseen" }, "Idea "), String(scu.number), denied ? make("span", { class: "no", "aria-hidden": "true" }, CROSS + denied) : ""),
      words(scu.label, "span", "label"), make("span", { class: "unseen" }, `. Importance ${scu.weight}. ${spread(scu.number)}.`))));
    }
    const tier = make("li", { class: "tier" }, make("span", { class: "weight", "aria-hidden": "true", title: `importance ${weight}` }, String(weight)), cells);
    tier.style.setProperty("--share", `${share}%`);
    list.append(tier);
  }
  $("pyramid").replaceChildren(topic().scus.length ? list : make("p", { class: "soft" }, "There is no idea: no shared content was found in the references."));
  roving(list, [...list.querySelectorAll("button")]);
  const steps = ["nobody", "up to 20\u00a0%", "40\u00a0%", "60\u00a0%", "80\u00a0%", "100\u00a0%"];
  $("pyramid-legend").replaceChildren(make("span", {}, "Found by"), ...steps.map((text, i) => make("span", {}, make("i", { class: `s${i}` }), text)),
    ...(someContradicted() ? [make("span", {}, make("span", { class: "no" }, `${CROSS}1`), "contradicted by so many")] : []));
}

function mapNote(shownRows, rows, shownIdeas) {
  const graded = topic().summaries.some((summary) => summary.expressed.some((one) => one.score < 1));
  const believed = topic().summaries.some(judged);
  tell($("map-note"), (believed ? "The stronger a cell, the more probable it is that the summary has the idea; cells with a dot are found; "
    : graded ? "The stronger a cell, the more similar the words; " : "A filled cell: the idea is found in the summary; ")
    + "summaries by falling coverage, ideas by falling importance."
    + (shownRows < rows || shownIdeas < topic().scus.length ? ` Shown are ${shownRows} of ${rows} summaries and ${shownIdeas} of ${topic().scus.length} ideas.` : ""));
  if (someContradicted()) $("map-note").append(" ", make("span", { class: "key no" }, CROSS), " the summary contradicts the idea.");
  return { graded, believed };
}
export function drawMap() {
  const ranked = topic().summaries.map((summary, s) => ({ summary, s }))
    .sort((a, b) => b.summary.scores.coverage - a.summary.scores.coverage || byText(nameOf(a.summary), nameOf(b.summary)));
  const rows = state.wholeMap ? ranked : ranked.slice(0, MAP_ROWS);
  const scus = state.wholeMap ? topic().scus : topic().scus.slice(0, MAP_COLUMNS);
  const { graded, believed } = mapNote(rows.length, ranked.length, scus.length);
  $("map-more").hidden = rows.length === ranked.length && scus.length === topic().scus.length;
  const groups = [];
  for (const scu of scus) {
    if (groups.length && groups[groups.length - 1][0] === scu.weight) groups[groups.length - 1][1] += 1;
    else groups.push([scu.weight, 1]);
  }
  const table = make("table", { class: scus.length > 40 ? "map many" : "map" },
    make("caption", { class: "unseen" }, `Rows are summaries, columns are ideas; a cell ${believed ? "is the probability that the summary has the idea, and says whether it is found" : graded ? "is the similarity of the match, or empty" : "says yes where the idea is found"}.`),
    make("thead", {},
      make("tr", {}, make("td", {}), groups.map(([weight, n]) => make("th", { scope: "colgroup", colspan: n, class: "group" },
        make("span", { class: "unseen" }, "importance "), String(weight))), make("td", {})),
      make("tr", {}, make("th", { scope: "col" }, make("span", { class: "unseen" }, "Summary")),
        scus.map((scu) => make("th", { scope: "col" }, button({ "data-scu": scu.number, title: shown(scu.label), "aria-label": ideaName(scu) }, String(scu.number)))),
        make("th", { scope: "col" }, make("span", { class: "unseen" }, "Coverage")))));
  const body = make("tbody");
  for (const { summary, s } of rows) {
    const row = make("tr", {}, make("th", { scope: "row" }, button({ class: "link", "data-open": s, dir: "auto", title: shown(nameOf(summary)) }, shown(nameOf(summary)))));
    for (const scu of scus) row.append(mapCell(summary, s, scu, graded, believed));
    row.append(make("td", { class: "total" }, percent(summary.percent)));
    body.append(row);
  }
  table.append(body);
  $("map").replaceChildren(table);
  roving(table.tHead, [...table.tHead.querySelectorAll("button")]);
}
function mapCell(summary, s, scu, graded, believed) {
  const { number } = scu, title = `${shown(nameOf(summary))}, ${ideaName(scu)}`;
  const denied = summary.reading.contradicted.get(number), found = summary.reading.found.get(number);
  if (denied) {
    const told = ["contradicted", surely(denied)].filter(Boolean).join(", ");
    return make("td", { class: "cell hit no", "data-cell": number, "data-of": s, title: `${title} (${told})` }, make("span", { "aria-hidden": "true" }, CROSS), make("span", { class: "unseen" }, told));
  }
  const score = judged(summary) ? likely(summary, number) && probability(summary, number) : found && found.score;
  if (!found && !score) return make("td", { class: "cell" });
  const value = !graded && !believed ? "yes" : score.toFixed(2);
  return make("td", { class: `cell ${found ? "hit" : ""} ${found && judged(summary) ? "sure" : ""} s${graded || believed ? Math.max(1, level(score)) : 4}`,
    "data-cell": found && number, "data-of": found && s, title: title + (value === "yes" ? "" : ` (${value}${believed && found ? ", found" : ""})`) },
  make("span", { class: "unseen" }, value + (found && judged(summary) ? ", found" : "")));
}

// ---- The card of the chosen idea ----
export function drawCard() {
  const card = $("card"), number = state.scu;
  card.classList.toggle("full", number > 0);
  if (!number) {
    card.replaceChildren(make("p", { class: "soft small hint" }, "Choose an idea in the pyramid, in the map or in a text. Its words in the references, and who has it, appear here."));
    return;
  }
  const scu = topic().ideas.get(number);
  const found = by("expressed", number), denied = by("contradicted", number), without = by("missed", number);
  const entry = ({ s, summary, one }, how, told) => make("li", {},
    button({ "data-show": s }, make("bdi", {}, shown(nameOf(summary))), make("span", { class: "unseen" }, how)),
    told ? make("span", { class: "small soft" }, ` ${told}`) : "", " ", verdictTag(summary, number), one.words.map((said) => quoted(said, "div")), reasons(one));
  card.replaceChildren(button({ class: "close", "aria-label": "Close the card", "data-close": true }, "\u00d7"),
    make("p", { class: "eyebrow" }, `Idea ${scu.number} \u00b7 importance ${scu.weight} of ${topic().references.length}`),
    make("h3", { tabindex: "-1", dir: "auto" }, shown(scu.label)),
    ...note(scu),
    canCorrect() ? ideaTools(scu) : "",
    make("h4", {}, "In the references"), contributors(scu),
    make("h4", {}, `Found in ${found.length} of ${summaries(topic().summaries.length)}`),
    make("ul", {}, found.map((one) => entry(one, ": show these words in the text", sure(one.summary, one.one)))),
    ...(denied.length ? [make("h4", { class: "denied" }, `${CROSS} Contradicted by ${summaries(denied.length)}`),
      make("ul", {}, denied.map((one) => entry(one, ": show the words that contradict it", surely(one.one))))] : []),
    ...(without.length ? [make("h4", {}, `Missing in ${without.length}`), make("p", { class: "small soft who" }, without.flatMap(({ s, summary }, i) => [i ? ", " : "",
      button({ class: "link", "data-show": s }, make("bdi", {}, shown(nameOf(summary)))), likely(summary, number) ? `\u00a0(${likely(summary, number)})` : ""]),
    topic().summaries.some(judged) ? ". The brackets give the probability that it is there after all." : ".")] : []));
  card.scrollTop = 0;
}
// Rename, merge or drop the idea.
function ideaTools(scu) {
  const others = topic().scus.filter((other) => other !== scu);
  const id = (name) => `idea-${name}`;
  return make("details", { class: "correct screen", open: state.correcting }, make("summary", {}, "Correct this idea"),
    make("form", { "data-form": "rename" }, make("label", { for: id("label") }, "Call it"), make("input", { id: id("label"), type: "text", value: scu.label, autocomplete: "off" }), make("button", { type: "submit" }, "Rename")),
    others.length ? make("form", { "data-form": "merge" }, make("label", { for: id("into") }, "The same as"),
      make("select", { id: id("into") }, others.map((other) => make("option", { value: other.id }, `${other.number}  ${shown(other.label)}`))), make("button", { type: "submit" }, "Merge")) : "",
    make("form", { "data-form": "drop" }, make("span", { class: "small soft" }, "It does not belong to the topic."), make("button", { type: "submit" }, "Drop")));
}

export function mark() {
  const is = (node, name) => Number(node.dataset[name]) === state.scu;
  for (const node of document.querySelectorAll("#topic [data-scu]")) {
    node.classList.toggle("on", is(node, "scu"));
    if (node.hasAttribute("aria-pressed")) node.setAttribute("aria-pressed", String(is(node, "scu")));
  }
  for (const node of document.querySelectorAll("#topic [data-unit]")) node.classList.toggle("on", is(node, "unit"));
  for (const node of document.querySelectorAll("#topic [data-cell]")) node.classList.toggle("on", is(node, "cell"));
  for (const node of document.querySelectorAll("#topic mark")) node.classList.toggle("on", node.dataset.in.split(" ").includes(String(state.scu)));
}
export function choose(number, opener) {
  state.scu = number;
  state.opener = opener;
  drawCard();
  mark();
  const scu = topic().ideas.get(number);
  tell($("told"), `${ideaName(scu)}. ${spread(number)}.`);
  $("card").querySelector("h3").focus({ preventScroll: true });
  const covered = opener && getComputedStyle($("card")).position === "fixed"
    ? opener.getBoundingClientRect().bottom + 24 - $("card").getBoundingClientRect().top : 0;
  if (covered > 0) scrollBy({ top: covered, behavior: calm() });
}
export function unchoose() {
  if (!state.scu) return;
  state.scu = 0;
  drawCard();
  mark();
  tell($("told"), "");
  if (state.opener && state.opener.isConnected) state.opener.focus({ preventScroll: true });
}
