// The scores of a summary, computed as pyramidion/scoring.py does, so that corrections show at once.

// The sum with the rounding errors carried along (Neumaier), which is what math.fsum gives but for the last digit at most.
const sum = (terms) => {
  let total = 0, lost = 0;
  for (const term of terms) {
    const next = total + term;
    lost += Math.abs(total) >= Math.abs(term) ? (total - next) + term : (term - next) + total;
    total = next;
  }
  return total + lost;
};
const ratio = (part, whole) => whole ? part / whole : 0;

// Max(X): the weight of the best summary of so many ideas.
function maxWeight(weights, x) {
  let total = 0, left = x;
  for (const weight of weights) { // from the heaviest
    if (left <= 1) return total + weight * Math.max(0, left);
    total += weight;
    left -= 1;
  }
  return total;
}
const AVERAGE = { exact: (x) => x, floor: Math.floor, ceil: Math.ceil, round: (x) => Math.floor(x + .5) };

// A number with two decimals as Python rounds it: exact halves, which can only be odd eighths, to the even neighbour.
export const rounded = (value) => value * 8 % 2 === 1 ? 2 * Math.round(value * 50) / 100 : Number(value.toFixed(2));

// Coverage for people: 0 or 100 only where it is exact, and 100 at most for what is pasted.
export function percentage(coverage, pasted) {
  if (coverage === null) return null;
  const exact = 100 * coverage;
  const value = exact > 0 && exact < 100 ? Math.min(99.99, Math.max(.01, rounded(exact))) : rounded(exact);
  return pasted ? Math.min(value, 100) : value;
}

// `ideas` are those of the topic, `reading` is what a summary says of them (corrections.js).
export function scoresOf(ideas, references, reading, settings) {
  const weights = ideas.map((idea) => idea.weight).sort((a, b) => b - a);
  const expected = settings.presence === "expected" && reading.probabilities !== null;
  const belief = (idea) => expected ? reading.probabilities.get(idea.number) || 0 : Number(reading.found.has(idea.number));
  const times = sum([...reading.found.values()].map((entry) => entry.times));
  const size = times + reading.unmatched;
  const counted = sum(ideas.map((idea) => reading.found.has(idea.number) ? idea.weight : 0));
  const raw = sum(ideas.map((idea) => idea.weight * belief(idea)));
  const average = AVERAGE[settings.average](ratio(sum(weights), references));
  const best = maxWeight(weights, size), bestOnAverage = maxWeight(weights, average);
  const quality = ratio(counted, best);
  let coverage = ideas.length && !bestOnAverage ? null : ratio(raw, bestOnAverage);
  if (settings.cap && coverage !== null) coverage = Math.min(coverage, 1);
  const found = reading.found.size;
  const mean = () => settings.mean === "arithmetic" ? (quality + coverage) / 2 : ratio(2 * quality * coverage, quality + coverage);
  const made = {
    raw, quality, coverage, comprehensive: coverage === null ? null : mean(), precision: ratio(found, found + reading.unmatched),
    recall: ratio(sum(ideas.map(belief)), ideas.length), counted, scus: found, repeated: times - found, contradicted: reading.contradicted.size,
    unmatched: reading.unmatched, size, max_for_size: best, average_scus: average, max_for_average: bestOnAverage, pyramids: 1,
  };
  if (!size && ideas.length && ideas.every((idea) => reading.unjudged.has(idea.number))) { // nobody read it
    for (const name of ["raw", "quality", "coverage", "comprehensive", "precision", "recall"]) made[name] = null;
  }
  const doubt = ideas.map((idea) => idea.weight ** 2 * belief(idea) * (1 - belief(idea)));
  const margin = expected && bestOnAverage && made.coverage !== null ? rounded(100 * Math.sqrt(sum(doubt)) / bestOnAverage) : null;
  return { scores: made, margin };
}
