// The first screen: who did how well, what was missed most, what was contradicted, whom to look at.
import { $, make, button, shown, quoted, tell, count, level, byText, median, roving, CROSS } from "./dom.js";
import { data, topics, nameOf, peersOf, percent, inWords, unclear, severalTopics, summaries } from "./state.js";
import { whyUnclear } from "./topic.js";

const NAMED = 80, BIN = 10, LISTED_IDEAS = 6, LISTED_SUMMARIES = 6, FAR = 15, SHORT = .4, DOUBTFUL = .2;

const everySummary = () => topics.flatMap((one, t) => one.summaries.map((summary, s) => ({ t, s, summary })).filter(({ summary }) => summary.role === "peer"));
const fullName = ({ t, summary }) => nameOf(summary) + (severalTopics() ? `, ${topics[t].id}` : "");
const place = ({ t, s }) => ({ "data-go": `${t}-${s}` });

// Means over topics of each system, as studies/evaluate takes them: several annotations of one summary count as their mean.
const mean = (values) => values.reduce((a, b) => a + b, 0) / values.length;
export function systemMeans() {
  const by = new Map();
  for (const { t, summary } of everySummary()) {
    if (summary.scores.coverage === null) continue;
    const own = by.get(summary.id) || by.set(summary.id, new Map()).get(summary.id);
    own.set(t, [...(own.get(t) || []), summary.scores.coverage]);
  }
  return new Map([...by].map(([id, own]) => [id, { coverage: mean([...own.values()].map(mean)), topics: own.size }]));
}
export const hasSystems = () => data.systems.some((system) => system.n > 1);

function entries() {
  if (!hasSystems()) {
    return everySummary().map((one) => ({ name: fullName(one), value: one.summary.percent, words: inWords(one.summary), go: place(one) }));
  }
  const intervals = new Map(data.systems.filter((system) => system.role === "peer").map((system) => [system.id, system.intervals.coverage]));
  return [...systemMeans()].map(([id, { coverage, topics: n }]) => {
    const interval = intervals.get(id);
    return { name: id, value: 100 * coverage, go: { "data-filter": id },
      words: `${percent(100 * coverage)} over ${count(n, "topic", "topics")}${interval ? `, 95\u00a0% interval ${(100 * interval[0]).toFixed(1)} to ${(100 * interval[1]).toFixed(1)}` : ""}` };
  });
}

function drawStrip() {
  const every = entries(), scored = every.filter((one) => one.value !== null).sort((a, b) => a.value - b.value || byText(a.name, b.name));
  const named = scored.length <= NAMED, over = scored.some((one) => one.value > 100);
  const bins = Array.from({ length: over ? 11 : 10 }, () => []);
  for (const one of scored) bins[one.value > 100 ? 10 : Math.min(9, Math.floor(one.value / BIN))].push(one);
  const list = make("ol", { class: named ? "strip" : "strip dots", "aria-label": "From the lowest coverage to the highest" });
  bins.forEach((own, i) => {
    const range = i === 10 ? "over 100\u00a0%" : `${i * BIN} to ${(i + 1) * BIN}\u00a0%`;
    list.append(make("li", { class: own.length ? "bin" : "bin empty", "aria-label": `${range}: ${own.length}` },
      make("span", { class: "range", "aria-hidden": "true" }, i === 10 ? "> 100" : `${i * BIN}\u2013${(i + 1) * BIN}`),
      make("span", { class: "chips" }, own.map((one) => button({ class: `chip s${Math.max(1, level(one.value / 100))}`, title: `${shown(one.name)}: ${one.words}`, "data-words": one.words, ...one.go,
        "aria-label": named ? null : `${shown(one.name)}, ${one.words}` },
      named ? [make("bdi", {}, shown(one.name)), make("span", { class: "unseen" }, `, ${one.words}`)] : "")))));
  });
  const middle = scored.length ? median(scored.map((one) => one.value)) : 0;
  const told = scored.length === 0 ? "Nothing has a score." : scored.length === 1 ? `${shown(scored[0].name)}: ${scored[0].words}` : `Median ${percent(middle)}; from ${percent(scored[0].value)} (${shown(scored[0].name)}) to ${percent(scored[scored.length - 1].value)} (${shown(scored[scored.length - 1].name)}).`;
  const missing = every.length - scored.length;
  const rest = told + (missing ? ` ${missing} without a score.` : "");
  const line = make("span", { class: "median", "aria-hidden": "true" }, make("span", {}, "median"));
  line.style.setProperty("--at", `${Math.min(100, middle / (over ? 1.1 : 1))}%`);
  $("strip").replaceChildren(make("div", { class: "field" }, list, scored.length > 2 ? line : ""));
  tell($("strip-told"), rest);
  const show = (event) => {
    const chip = event.target.closest && event.target.closest(".chip");
    tell($("strip-told"), chip && event.type !== "mouseleave" && event.type !== "focusout" ? chip.title : rest);
  };
  for (const type of ["mouseover", "mouseleave", "focusin", "focusout"]) list.addEventListener(type, show);
  roving(list, [...list.querySelectorAll("button")]);
}

// Where a summary missed an idea that it could have had: empty ones are told among those to look at.
// An idea whose label nobody can read by itself comes last: whoever reads the list has not seen its text.
function missedIdeas() {
  return topics.flatMap((one, t) => {
    const written = peersOf(one).filter((summary) => summary.scores.raw !== null && summary.length > 0);
    return one.scus.map((scu) => {
      const missed = written.filter((summary) => !summary.reading.found.has(scu.number) && !summary.reading.contradicted.has(scu.number)).length;
      return { t, scu, missed, of: written.length, share: written.length ? missed / written.length : 0 };
    });
  }).filter((one) => one.missed > 0).sort((a, b) => Boolean(a.scu.unclear) - Boolean(b.scu.unclear) || b.scu.weight * b.share - a.scu.weight * a.share || b.scu.weight - a.scu.weight || b.missed - a.missed);
}
function drawMissed() {
  const every = missedIdeas(), heaviest = Math.max(1, ...topics.flatMap((one) => one.scus.map((scu) => scu.weight)));
  const row = ({ t, scu, missed, of, share }) => {
    const bar = make("span", { class: "share" }, make("i", {}));
    bar.firstChild.style.setProperty("--share", `${100 * share}%`);
    return make("li", {}, make("span", { class: `weight s${level(scu.weight / heaviest)}`, title: `importance ${scu.weight}` }, make("span", { class: "unseen" }, "importance "), String(scu.weight)),
      make("div", {}, button({ class: "link", "data-idea": `${t}-${scu.number}` }, make("span", { class: "words", dir: "auto" }, shown(scu.label))),
        make("div", { class: "small soft meter" }, bar, make("span", {}, `${missed} of ${of} missed it`), severalTopics() ? [" \u00b7 ", make("bdi", {}, shown(topics[t].id))] : ""), whyUnclear(scu)));
  };
  $("missed-most").replaceChildren(every.length ? make("ul", { class: "units" }, every.slice(0, LISTED_IDEAS).map(row)) : make("p", { class: "soft small" }, "No idea is missing anywhere."));
}

function drawContradicted() {
  const every = everySummary().flatMap((one) => one.summary.contradicted.map((entry) => ({ ...one, entry, scu: topics[one.t].ideas.get(entry.scu) })))
    .sort((a, b) => b.scu.weight - a.scu.weight || b.entry.probability - a.entry.probability);
  $("contradicted-panel").hidden = every.length === 0;
  const row = (one) => make("li", {}, make("span", { class: "no weight", "aria-hidden": "true" }, CROSS), make("div", {},
    button({ class: "link", "data-go": `${one.t}-${one.s}`, "data-with": one.scu.number }, make("bdi", {}, shown(fullName(one)))),
    make("div", { class: "small" }, one.entry.words.length ? one.entry.words.map((said) => quoted(said)) : quoted("")),
    make("div", { class: "small soft" }, "The references say: ", make("bdi", {}, shown(one.scu.label)))));
  const rest = every.slice(LISTED_SUMMARIES);
  $("contradicted-list").replaceChildren(make("ul", { class: "units" }, every.slice(0, LISTED_SUMMARIES).map(row)),
    rest.length ? make("details", { class: "rest" }, make("summary", {}, `and ${rest.length} more`), make("ul", { class: "units" }, rest.map(row))) : "");
}

// Reasons to read a summary oneself, the most pressing first.
function reasonsToLook({ t, summary }, middle, spread, length) {
  const reasons = [], of = topics[t];
  if (summary.length === 0) return ["is empty"];
  if (summary.percent === null) reasons.push("nobody read it");
  if (of.language && summary.language && summary.language !== of.language) reasons.push(`looks like ${summary.language}`);
  if (summary.copied.told) reasons.push(summary.copied.told);
  if (summary.percent !== null && spread !== null && Math.abs(summary.percent - middle) > Math.max(FAR, spread)) {
    reasons.push(`far ${summary.percent < middle ? "below" : "above"} the others`);
  }
  if (summary.length < SHORT * length) reasons.push(`very short: ${count(summary.length, "word", "words")}`);
  const doubtful = unclear(summary);
  if (doubtful >= Math.max(3, DOUBTFUL * of.scus.length)) reasons.push(`${doubtful} unclear verdicts`);
  return reasons;
}
const WIDE = 2.5 * 1.4826; // robust standard deviations, of the median absolute deviation
function drawLook() {
  const flagged = topics.flatMap((one, t) => {
    const peers = peersOf(one), values = peers.filter((summary) => summary.percent !== null && summary.length).map((summary) => summary.percent);
    const middle = values.length ? median(values) : 0;
    const spread = values.length >= 5 ? WIDE * median(values.map((value) => Math.abs(value - middle))) : null;
    const lengths = peers.map((summary) => summary.length).filter(Boolean), length = lengths.length >= 3 ? median(lengths) : 0;
    return one.summaries.map((summary, s) => ({ t, s, summary })).filter(({ summary }) => summary.role === "peer")
      .map((entry) => ({ ...entry, reasons: reasonsToLook(entry, middle, spread, length) })).filter(({ reasons }) => reasons.length);
  }).sort((a, b) => b.reasons.length - a.reasons.length || (a.summary.percent ?? -1) - (b.summary.percent ?? -1));
  const row = (one) => make("li", {}, make("div", {}, button({ class: "link", ...place(one) }, make("bdi", {}, shown(fullName(one)))), " ",
    make("span", { class: "small soft number" }, percent(one.summary.percent)), make("div", { class: "small" }, shown(one.reasons.join("; ")))));
  const rest = flagged.slice(LISTED_SUMMARIES);
  $("look-at").replaceChildren(flagged.length ? make("ul", { class: "units plain" }, flagged.slice(0, LISTED_SUMMARIES).map(row))
    : make("p", { class: "soft small" }, `Nothing stands out among ${summaries(everySummary().length)}.`),
  rest.length ? make("details", { class: "rest" }, make("summary", {}, `and ${rest.length} more`), make("ul", { class: "units plain" }, rest.map(row))) : "");
}

export function drawOverview() {
  drawStrip();
  drawMissed();
  drawContradicted();
  drawLook();
}
