// The texts of a topic: the words that say something are marked, and below stands what is found, contradicted and missing.
import { $, make, button, shown, words, quoted, count, fixed, brief, CROSS } from "./dom.js";
import { topic, state, nameOf, judged, likely, surely, sure, percent, margin, unclear, ideaName, ideas, canCorrect } from "./state.js";
import { weightBadge, weightLevel, contributors, note, reasons, verdictTag, mark } from "./topic.js";

const LISTED = 15;

// What leads: coverage and what it is made of. The rest is for researchers.
function figures(summary) {
  const s = summary.scores;
  const pairs = [["coverage", [percent(summary.percent), make("span", { class: "soft" }, summary.margin === null ? "" : ` ${margin(summary.margin)}`)]], ["found", summary.expressed.length]];
  if (unclear(summary)) pairs.push(["unclear", unclear(summary)]);
  pairs.push(["missing", summary.missed.length]);
  if (summary.contradicted.length) pairs.push(["contradicted", summary.contradicted.length]);
  if (summary.copied.told) pairs.push(["copied", `${Math.round(100 * summary.copied.share)}\u00a0%`]);
  const expected = s.raw !== null && s.raw !== s.counted;
  const ratio = (part, whole, what) => s.pyramids > 1 || s.raw === null ? "" : ` = ${brief(part)}${expected ? ` ${what}` : ""}\u2009/\u2009${brief(whole)}`;
  const more = [
    ["coverage", fixed(s.coverage) + ratio(s.raw, s.max_for_average, "expected")], ["quality", fixed(s.quality) + ratio(s.counted, s.max_for_size, "counted")],
    ["comprehensive", fixed(s.comprehensive)], ["SCUs", brief(s.scus)], ["repeated", brief(s.repeated)], ["in no SCU (D0)", brief(s.unmatched)],
  ];
  if (s.contradicted) more.splice(4, 0, ["contradicted", brief(s.contradicted)]);
  if (s.pyramids > 1) more.push(["mean over", count(s.pyramids, "pyramid", "pyramids")]);
  const listed = (all, cls) => make("dl", { class: cls }, all.map(([name, value]) => make("div", {}, make("dt", {}, name), make("dd", {}, value))));
  return [listed(pairs, "figures leading"), make("details", { class: "research" }, make("summary", {}, "For researchers"), listed(more, "figures"))];
}

// What the words of a piece say, after the corrections.
function said(piece, reading) {
  const now = (number) => { while (reading.alias.has(number)) number = reading.alias.get(number); return number; };
  const numbers = [...new Set([...(piece.in || []), ...(piece.against || [])].map(now))];
  return { inside: numbers.filter((number) => reading.found.has(number)), against: numbers.filter((number) => reading.contradicted.has(number)),
    ends: [...new Set((piece.ends || []).map(now))].filter((number) => reading.found.has(number) || reading.contradicted.has(number)),
    outside: piece.d0 || piece.in || piece.against };
}
function text(summary) {
  const box = make("div", { class: "text", dir: "auto", lang: "" });
  let last = null; // the mark that the next piece continues, if it says the same
  for (const piece of summary.text) {
    const { inside, against, ends, outside } = said(piece, summary.reading);
    const inner = piece.copied ? make("span", { class: "copied" }, shown(piece.text)) : shown(piece.text);
    const key = [...inside, ...against].join(" ");
    if (key && last && last.dataset.in === key) last.append(inner);
    else if (key) {
      const kind = against.length ? "against" : `m${weightLevel(Math.max(...inside.map((number) => topic().ideas.get(number).weight)))}`;
      last = make("mark", { class: `${kind}${inside.length + against.length > 1 ? " several" : ""}`, "data-in": key }, inner);
      box.append(last);
    } else {
      last = null;
      box.append(outside ? make("span", { class: "d0" }, inner) : inner);
    }
    if (ends.length) last = null;
    for (const number of ends) {
      const no = summary.reading.contradicted.has(number), scu = topic().ideas.get(number);
      box.append(button({ class: no ? "note no" : "note", "data-scu": number, title: (no ? "contradicts: " : "") + shown(scu.label), "aria-label": (no ? "contradicts " : "") + ideaName(scu) },
        no ? make("span", { "aria-hidden": "true" }, CROSS) : "", String(number)));
    }
  }
  if (!summary.text.some((piece) => piece.text.trim())) box.append(make("em", { class: "soft" }, "This summary is empty."));
  return box;
}

// Buttons that correct the verdict on an idea.
const ACTIONS = { found: "Accept", missing: "Strike", contradicted: "Contradicted" };
function actions(summary, s, scu, verdict) {
  if (!state.correcting || !canCorrect()) return "";
  const one = (to, label) => button({ "data-judge": to, "data-summary": s, "data-number": scu.number, "data-key": `${s}-${scu.number}-${to || "undo"}` }, label, make("span", { class: "unseen" }, `: ${shown(scu.label)}`));
  const isCorrected = summary.reading.corrected.has(scu.number);
  // a judge's own verdict can be confirmed, which makes it certain
  const offered = Object.entries(ACTIONS).filter(([to]) => to !== verdict || (!isCorrected && judged(summary) && verdict !== "contradicted"));
  return make("div", { class: "actions screen" }, offered.map(([to, label]) => one(to, label)), isCorrected ? one("", "Undo") : "");
}

function unit(summary, s, one, verdict, ...more) {
  const scu = topic().ideas.get(one.scu);
  return make("li", { "data-unit": scu.number }, weightBadge(one.weight), make("div", {},
    button({ class: "link", "data-scu": scu.number }, words(scu.label), make("b", {}, make("span", { class: "unseen" }, " idea "), String(scu.number))), " ", verdictTag(summary, scu.number), more,
    actions(summary, s, scu, verdict)));
}
const references = (scu) => make("details", {}, make("summary", {}, `in ${count(new Set(scu.contributors.map((one) => one.reference)).size, "reference", "references")}`), contributors(scu));

function missing(summary, s, one) {
  const scu = topic().ideas.get(one.scu);
  const other = scu.contributors.find((said) => said.words.trim() !== scu.label.trim()); // a label may be a contributor's words
  const says = other ? [quoted(other.words), " ", words(other.reference, "span", "words soft")] : ["in ", words(scu.contributors[0].reference)];
  return unit(summary, s, one, "missing", note(scu), make("div", { class: other ? "small" : "small soft" }, says),
    one.unjudged ? make("div", { class: "small soft" }, one.unjudged) : "",
    likely(summary, scu.number) ? make("div", { class: "small soft" }, `probability ${likely(summary, scu.number)}`) : "", scu.contributors.length > 1 ? references(scu) : "");
}
function sentences(summary) {
  const told = (one) => {
    const { inside, against } = said({ in: one.scu === null ? [] : [one.scu] }, summary.reading);
    if (!inside.length && !against.length) return make("span", { class: "small soft" }, "in no idea");
    return button({ class: "link small", "data-scu": inside[0] || against[0] }, (against.length
      ? [`${CROSS} contradicts idea ${against[0]}`, surely({ probability: one.score })] : [`idea ${inside[0]}`, sure(summary, { scu: inside[0], score: one.score })]).filter(Boolean).join(", "));
  };
  return make("details", { class: "extra research" }, make("summary", {}, "Sentence by sentence, as it was segmented"),
    make("ol", { class: "sentences" }, summary.sentences.map((sentence) => make("li", {},
      make("span", { class: "small soft" }, `Sentence ${sentence.number}, segmentation ${sentence.segmentation}`),
      make("ol", {}, sentence.units.map((one) => make("li", {}, words(one.words, "span", one.scu === null ? "words said soft" : "words said"), told(one))))))));
}

function article(summary, s) {
  const heading = make("h4", { id: `heading-${s}`, tabindex: "-1", dir: "auto" }, shown(nameOf(summary)), summary.role === "reference" ? make("span", { class: "tag" }, "reference") : "");
  const found = summary.expressed.map((one) => unit(summary, s, one, "found",
    one.words.map((said) => make("div", { class: "small" }, quoted(said))),
    make("div", { class: "small soft" }, [one.words.length > 1 ? `said ${one.words.length} times` : "", sure(summary, one)].filter(Boolean).join(" \u00b7 ")),
    reasons(one), references(topic().ideas.get(one.scu))));
  const contradicted = summary.contradicted.map((one) => unit(summary, s, one, "contradicted",
    one.words.length ? one.words.map((said) => make("div", { class: "small" }, "It says: ", quoted(said))) : quoted("", "div"),
    make("div", { class: "small soft" }, ["contradicted", surely(one)].filter(Boolean).join(", ")), reasons(one), references(topic().ideas.get(one.scu))));
  const missed = summary.missed.map((one) => missing(summary, s, one));
  const list = (name, items, none, cls) => make("div", { class: cls }, make("h5", {}, name),
    items.length ? make("ul", { class: "units" }, items.slice(0, LISTED)) : make("p", { class: "soft small" }, none),
    items.length > LISTED ? make("details", { class: "rest" }, make("summary", {}, `and ${items.length - LISTED} more`), make("ul", { class: "units" }, items.slice(LISTED))) : "");
  const node = make("article", { class: "summary", id: `text-${s}`, "aria-labelledby": `heading-${s}` }, heading, figures(summary),
    summary.copied.told ? make("p", { class: "small copying" }, `This text is ${shown(summary.copied.told)}.`.replace("is pasted", "is mostly pasted").replace("is put", "is mostly put")) : "", text(summary),
    summary.role === "reference" ? make("p", { class: "small soft" }, "Scored against the ideas of the other references.") : "",
    make("div", { class: "lists" },
      make("div", {}, list(`${ideas(found.length)} found`, found, "Nothing of what the references say."),
        contradicted.length ? list(`${CROSS} ${ideas(contradicted.length)} contradicted`, contradicted, "", "denied") : ""),
      list(missed.length ? `${ideas(missed.length)} missing, most important first` : "Nothing is missing", missed, contradicted.length ? "Everything that is not contradicted is found." : "Every idea of the references is found.")));
  if (summary.unmatched.length) {
    node.append(make("div", { class: "extra" }, make("h5", {}, `It also says, in no idea of the references (${summary.unmatched.length})`),
      make("ul", {}, summary.unmatched.map((said) => make("li", { class: "small" }, quoted(said))))));
  }
  if (summary.sentences.length) node.append(sentences(summary));
  return node;
}

export function drawTexts() {
  const all = state.summary === "all";
  $("texts").replaceChildren(...topic().summaries.flatMap((summary, s) => all || s === state.summary ? [article(summary, s)] : []));
  $("summary-choice").value = String(state.summary);
  $("previous").disabled = all || state.summary === 0;
  $("next").disabled = all || state.summary === topic().summaries.length - 1;
  for (const row of document.querySelectorAll("tr.here")) row.classList.remove("here");
  for (const link of document.querySelectorAll(`.scores a[href="#summary-${state.topic}-${state.summary}"]`)) link.closest("tr").classList.add("here");
  mark();
}
