// What a person corrects: applied to the data as pyramidion/corrections.py does, kept in this browser, and saved as its file.
import { percentage, scoresOf } from "./scores.js";

const VERSION = 1;
const byWeight = (a, b) => b.weight - a.weight || a.number - b.number;
const weightOf = (contributors, settings) => settings.weights === "references" ? new Set(contributors.map((one) => one.reference)).size : contributors.length;

// What one summary says of each idea, by the idea's number. `alias` says which idea a number of the text is now.
function readingOf(summary) {
  const by = (list) => new Map(list.map((entry) => [entry.scu, entry]));
  return {
    found: by(summary.expressed), contradicted: by(summary.contradicted),
    unjudged: new Map(summary.missed.filter((entry) => entry.unjudged).map((entry) => [entry.scu, entry.unjudged])),
    probabilities: summary.probabilities.length ? new Map(summary.probabilities.map((value, i) => [i + 1, value])) : null,
    unmatched: summary.scores.unmatched, moved: new Set(), corrected: new Map(), alias: new Map(),
  };
}
const blank = (number) => ({ scu: number, score: 1, probability: 1, times: 1, words: [], reasons: [], remarks: [], unit: null });

const APPLY = {
  judge(reading, number, { verdict }) {
    const found = reading.found.get(number), denied = reading.contradicted.get(number);
    reading.contradicted.delete(number);
    if (verdict === "found") {
      if (denied && denied.unit !== null && !reading.moved.has(denied.unit)) { reading.moved.add(denied.unit); reading.unmatched -= 1; }
      if (!found) reading.found.set(number, { ...blank(number), words: denied ? denied.words : [] });
    } else {
      if (found) reading.unmatched += found.times;
      reading.found.delete(number);
      if (verdict === "contradicted") {
        const words = found ? found.words : []; // those of one match are a unit of their own from now on, which a merged idea may be found by
        reading.contradicted.set(number, { ...(denied || { ...blank(number), words, unit: words.length === 1 ? {} : null }), probability: 1 });
      }
    }
    reading.unjudged.delete(number);
    if (reading.probabilities) reading.probabilities.set(number, Number(verdict === "found"));
    reading.corrected.set(number, verdict);
  },
  merge(reading, number, into) {
    const both = [into, number];
    const take = (map) => {
      const entries = both.map((one) => map.get(one)).filter((entry) => entry !== undefined);
      both.forEach((one) => map.delete(one));
      return entries;
    };
    const found = take(reading.found), denied = take(reading.contradicted), probabilities = reading.probabilities ? take(reading.probabilities) : [];
    if (found.length) {
      reading.found.set(into, { ...found[0], scu: into, score: Math.max(...found.map((one) => one.score)),
        times: found.reduce((all, one) => all + one.times, 0), ...Object.fromEntries(["words", "reasons", "remarks"].map((name) => [name, found.flatMap((one) => one[name])])) });
    } else if (denied.length) reading.contradicted.set(into, { ...denied[0], scu: into });
    if (probabilities.length) reading.probabilities.set(into, Math.max(...probabilities));
    const unjudged = take(reading.unjudged);
    if (unjudged.length === 2) reading.unjudged.set(into, unjudged[0]);
    reading.alias.set(number, into);
  },
  drop(reading, number) {
    if (reading.found.has(number)) reading.unmatched += reading.found.get(number).times;
    for (const map of [reading.found, reading.contradicted, reading.unjudged]) map.delete(number);
    if (reading.probabilities) reading.probabilities.delete(number);
    reading.alias.set(number, 0);
  },
};

// The topic after its corrections: its ideas with weights of their own, and its summaries with their scores.
export function corrected(base, corrections, settings) {
  const ideas = new Map(base.scus.map((scu) => [scu.id, { ...scu }]));
  const summaries = base.summaries.map((summary) => ({ summary, reading: readingOf(summary) }));
  for (const one of corrections) {
    const idea = ideas.get(one.idea);
    if (one.do === "rename") Object.assign(idea, { label: one.label, unclear: "" });
    if (one.do === "judge") {
      const { reading } = summaries.find(({ summary }) => summary.id === one.summary && summary.annotator === (one.annotator || ""));
      APPLY.judge(reading, idea.number, one);
    }
    if (one.do === "drop" || one.do === "merge") ideas.delete(one.idea);
    if (one.do === "drop") summaries.forEach(({ reading }) => APPLY.drop(reading, idea.number));
    if (one.do === "merge") {
      const into = ideas.get(one.into);
      into.contributors = [...into.contributors, ...idea.contributors];
      into.weight = weightOf(into.contributors, settings);
      summaries.forEach(({ reading }) => APPLY.merge(reading, idea.number, into.number));
    }
  }
  const scus = [...ideas.values()].sort(byWeight);
  const untouched = corrections.length === 0;
  return { ...base, scus, ideas: new Map(scus.map((scu) => [scu.number, scu])),
    summaries: summaries.map(({ summary, reading }) => told(summary, reading, scus, base.references.length, settings, untouched)) };
}

function told(summary, reading, scus, references, settings, untouched) {
  const weighed = (map) => scus.filter((scu) => map.has(scu.number)).map((scu) => ({ ...map.get(scu.number), weight: scu.weight }));
  const { scores, margin } = untouched ? summary : scoresOf(scus, references, reading, settings);
  return { ...summary, scores, margin, percent: untouched ? summary.percent : percentage(scores.coverage, summary.copied.pasted), reading,
    expressed: untouched ? summary.expressed : weighed(reading.found), contradicted: untouched ? summary.contradicted : weighed(reading.contradicted),
    missed: untouched ? summary.missed : scus.filter((scu) => !reading.found.has(scu.number) && !reading.contradicted.has(scu.number))
      .map((scu) => ({ scu: scu.number, weight: scu.weight, unjudged: reading.unjudged.get(scu.number) || "" })) };
}

// ---- The list of corrections: of topic number -> corrections in their order ----
export class Corrections {
  constructor(data) {
    this.data = data;
    this.key = `pyramidion-corrections:${data.key}`;
    this.lists = data.topics.map(() => []);
    try {
      const kept = JSON.parse(localStorage.getItem(this.key) || "null");
      if (Array.isArray(kept) && kept.length === this.lists.length) this.lists = kept;
    } catch { /* this browser keeps nothing for pages on disk */ }
  }
  get count() { return this.lists.reduce((all, list) => all + list.length, 0); }
  every() { return this.lists.flatMap((list, topic) => list.map((correction, at) => ({ topic, at, correction }))); }
  keep() {
    try {
      if (this.count) localStorage.setItem(this.key, JSON.stringify(this.lists));
      else localStorage.removeItem(this.key);
    } catch { /* as above */ }
  }
  // A verdict takes the place of an earlier one on the same idea and summary; none is needed for what was so from the start.
  judge(topic, summary, scu, verdict) {
    const same = (one) => one.do === "judge" && one.summary === summary.id && (one.annotator || "") === summary.annotator && one.idea === scu.id;
    this.lists[topic] = this.lists[topic].filter((one) => !same(one));
    if (verdict) {
      this.lists[topic].push({ do: "judge", summary: summary.id, text: summary.digest, idea: scu.id, verdict, ...(summary.annotator ? { annotator: summary.annotator } : {}) });
    }
    this.keep();
  }
  add(topic, correction) {
    const replaces = (one) => correction.do === "rename" && one.do === "rename" && one.idea === correction.idea;
    this.lists[topic] = [...this.lists[topic].filter((one) => !replaces(one)), correction];
    this.keep();
  }
  undo(topic, at) { this.lists[topic].splice(at, 1); this.keep(); }
  clear() { this.lists = this.lists.map(() => []); this.keep(); }
  file() {
    const topics = this.data.topics.flatMap((topic, t) => this.lists[t].length === 0 ? [] : [{ topic: topic.id, references: topic.references,
      ideas: topic.scus.map((scu) => ({ id: scu.id, label: scu.label, importance: new Set(scu.contributors.map((one) => one.reference)).size })), corrections: this.lists[t] }]);
    return JSON.stringify({ pyramidion_corrections: VERSION, signature: this.data.signature, topics }, null, 1) + "\n";
  }
}
