// What the page knows: its data, what was corrected, and what is chosen.
import { shown, count } from "./dom.js";
import { corrected, Corrections } from "./corrections.js";

export let data, corrections;
export const topics = []; // after corrections
export const state = { topic: 0, summary: 0, scu: 0, opener: null, wholeMap: false, correcting: false };

// The data are JSON, packed where they are many.
export async function read(element) {
  if (element.type === "application/json") return JSON.parse(element.textContent);
  const bytes = Uint8Array.from(atob(element.textContent), (c) => c.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Response(stream).json();
}
export function start(value) {
  data = value;
  corrections = new Corrections(data);
  data.topics.forEach((_, t) => correctTopic(t));
}
export function correctTopic(t) {
  try {
    topics[t] = corrected(data.topics[t], corrections.lists[t], data.settings);
  } catch { // what this browser kept does not fit: the page is another one by the same name
    corrections.lists[t] = [];
    topics[t] = corrected(data.topics[t], [], data.settings);
  }
}

export const topic = () => topics[state.topic];
export const severalTopics = () => data.topics.length > 1;
export const nameOf = (summary) => summary.id + (summary.annotator ? ` (by ${summary.annotator})` : "");
export const peersOf = (one) => one.summaries.filter((summary) => summary.role === "peer");
export const canCorrect = () => !data.topics.some((one) => one.summaries.some((summary) => summary.role === "reference" || summary.scores.pyramids > 1));

// A judge gives every idea a probability; other matchers give a match its similarity, and people neither.
const NEGLIGIBLE = .05;
export const judged = (summary) => summary.reading.probabilities !== null;
export const probability = (summary, number) => judged(summary) ? summary.reading.probabilities.get(number) || 0 : null;
export const likely = (summary, number) => judged(summary) && probability(summary, number) >= NEGLIGIBLE ? probability(summary, number).toFixed(2) : "";
export const surely = (one) => one.probability < 1 ? `probability ${one.probability.toFixed(2)}` : ""; // of a contradiction
export const sure = (summary, one) => judged(summary) ? `probability ${probability(summary, one.scu).toFixed(2)}` : one.score < 1 ? `similarity ${one.score.toFixed(2)}` : "";
export function isUnclear(summary, number) {
  const value = probability(summary, number);
  return value !== null && value >= data.unclear[0] && value < data.unclear[1] && !summary.reading.contradicted.has(number);
}
export const unclear = (summary) => judged(summary) ? [...summary.reading.probabilities.keys()].filter((number) => isUnclear(summary, number)).length : 0;

export const ideaName = (scu) => `idea ${scu.number}, importance ${scu.weight}: ${shown(scu.label)}`;
export const percent = (value) => value === null ? "-" : `${value.toFixed(2)}\u00a0%`;
export const margin = (value) => value === null ? "" : `\u00b1\u00a0${Math.round(value)}`;
export const inWords = (summary) => [`${percent(summary.percent)}${summary.margin === null ? "" : ` ${margin(summary.margin)}`}`, `${summary.expressed.length} found`,
  unclear(summary) ? `${unclear(summary)} unclear` : "", `${summary.missed.length} missing`,
  summary.contradicted.length ? `${summary.contradicted.length} contradicted` : ""].filter(Boolean).join(" \u00b7 ");
export const summaries = (n) => count(n, "summary", "summaries");
export const ideas = (n) => count(n, "idea", "ideas");
