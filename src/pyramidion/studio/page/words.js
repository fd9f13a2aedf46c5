// A text whose words can be selected, by mouse, finger and keyboard. Offsets count characters as the server does (code
// points); a selection is a list of stretches, each from the start of a word to the end of one.

import { make, t } from "./core.js";

export class Text {
  // pieces: in turn no word and a word. onSelect is told of every change of the selection.
  constructor(text, label, onSelect) {
    this.id = text.id;
    this.onSelect = onSelect;
    this.words = [];
    this.kept = []; // stretches of words that stay selected while another is added
    this.range = null; // the stretch that is being selected: [from, to], indices of words
    this.cursor = 0;
    this.node = make("div", { class: "text words", tabindex: "0", role: "group", dir: "auto", "aria-label": label });
    let offset = 0;
    this.characters = [];
    text.pieces.forEach((piece, place) => {
      const length = [...piece].length;
      if (place % 2) {
        const node = make("span", { class: "w" }, piece);
        node.dataset.word = this.words.length;
        this.words.push({ node, start: offset, end: offset + length, gap: null });
        this.node.append(node);
      } else if (piece) {
        const node = make("span", { class: "g" }, piece);
        if (this.words.length) this.words.at(-1).gap = node;
        this.node.append(node);
      }
      this.characters.push(...piece);
      offset += length;
    });
    this.length = offset;
    this.node.addEventListener("pointerdown", (event) => this.press(event));
    this.node.addEventListener("pointermove", (event) => this.drag(event));
    this.node.addEventListener("pointerup", () => { this.dragging = false; });
    this.node.addEventListener("pointercancel", () => { this.dragging = false; });
    this.node.addEventListener("keydown", (event) => this.key(event));
    this.node.addEventListener("focus", () => this.draw());
    this.node.addEventListener("blur", () => this.draw());
  }

  // The words that a place on the screen belongs to.
  at(event) {
    const node = document.elementFromPoint(event.clientX, event.clientY)?.closest(".w");
    return node && this.node.contains(node) ? Number(node.dataset.word) : null;
  }

  press(event) {
    if (event.button) return;
    const word = this.at(event);
    if (word === null) {
      if (!event.ctrlKey && !event.metaKey) this.clear();
      return;
    }
    const finger = event.pointerType === "touch"; // which scrolls when it is drawn: the second tap ends the stretch
    if (finger && this.range && Math.min(...this.range) <= word && word <= Math.max(...this.range)) return void this.clear();
    if ((event.shiftKey || finger) && this.range) this.range[1] = word;
    else {
      if (event.ctrlKey || event.metaKey) this.keep();
      else this.kept = [];
      this.range = [word, word];
    }
    this.cursor = word;
    this.dragging = !finger;
    this.changed();
  }

  drag(event) {
    if (!this.dragging || !this.range) return;
    const word = this.at(event);
    if (word === null || word === this.range[1]) return;
    this.range[1] = this.cursor = word;
    this.changed();
  }

  key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey || !this.words.length) return;
    const rtl = getComputedStyle(this.node).direction === "rtl";
    const steps = { ArrowRight: rtl ? -1 : 1, ArrowLeft: rtl ? 1 : -1, ArrowDown: this.line(1), ArrowUp: this.line(-1) };
    if (event.key in steps || event.key === "Home" || event.key === "End") {
      const last = this.words.length - 1;
      const to = event.key === "Home" ? 0 : event.key === "End" ? last : this.cursor + steps[event.key];
      const next = Math.max(0, Math.min(last, to));
      if (event.shiftKey) this.range = this.range ? [this.range[0], next] : [this.cursor, next];
      else this.range = this.kept.length ? null : [next, next];
      if (!event.shiftKey && this.kept.length) this.range = [next, next];
      this.cursor = next;
      this.words[next].node.scrollIntoView({ block: "nearest" });
    } else if (event.key === " ") this.keep();
    else if (event.key === "Escape") this.clear();
    else return;
    event.preventDefault();
    event.stopPropagation();
    this.changed();
  }

  // How many words to the word above or below the cursor.
  line(direction) {
    const here = this.words[this.cursor]?.node.getBoundingClientRect();
    if (!here) return 0;
    let best = 0, least = Infinity;
    for (let n = this.cursor + direction; n >= 0 && n < this.words.length; n += direction) {
      const box = this.words[n].node.getBoundingClientRect();
      const rows = Math.abs(box.top - here.top);
      if (rows < here.height / 2) continue;
      if (rows > 2.2 * here.height && least < Infinity) break;
      const away = Math.abs(box.left - here.left) + 4 * rows;
      if (away < least) [least, best] = [away, n - this.cursor];
    }
    return best;
  }

  keep() {
    if (this.range) this.kept.push(this.range);
    this.range = null;
  }

  clear() {
    this.kept = [];
    this.range = null;
    this.changed();
  }

  changed() {
    this.draw();
    this.onSelect(this);
  }

  // The selection as offsets, stretches that touch made one.
  get spans() {
    const stretches = [...this.kept, ...(this.range ? [this.range] : [])]
      .map(([a, b]) => [Math.min(a, b), Math.max(a, b)]).sort((a, b) => a[0] - b[0]);
    const joined = [];
    for (const [from, to] of stretches) {
      const last = joined.at(-1);
      if (last && from <= last[1] + 1) last[1] = Math.max(last[1], to);
      else joined.push([from, to]);
    }
    return joined.map(([from, to]) => ({ start: this.words[from].start, end: this.words[to].end }));
  }

  quote(spans) {
    return spans.map(([start, end]) => this.characters.slice(start, end).join("")).join(" … ");
  }

  draw() {
    const selected = this.spans;
    const focused = document.activeElement === this.node;
    this.words.forEach((word, n) => {
      const inside = (offset) => selected.some((span) => span.start <= offset && offset < span.end);
      word.node.classList.toggle("selected", inside(word.start));
      word.gap?.classList.toggle("selected", inside(word.start) && inside(word.end));
      word.node.classList.toggle("cursor", focused && n === this.cursor);
    });
  }

  // marks: [{spans: [[start, end]], class}]; a word takes the classes of all marks that cover a part of it.
  mark(marks) {
    for (const word of this.words) {
      word.node.className = "w";
      if (word.gap) word.gap.className = "g";
      const covering = marks.filter((mark) => mark.spans.some(([start, end]) => start < word.end && word.start < end));
      for (const mark of covering) word.node.classList.add(...mark.class.split(" "));
      if (!covering.length) word.node.classList.add("free");
      for (const mark of covering) {
        if (word.gap && mark.spans.some(([start, end]) => start <= word.start && end > word.end)) word.gap.classList.add(...mark.class.split(" "));
      }
    }
    this.draw();
    return this.words.length ? 1 - this.words.filter((word) => word.node.classList.contains("free")).length / this.words.length : 1;
  }

  reveal(spans) {
    const word = this.words.find((one) => spans.some(([start, end]) => start < one.end && one.start < end));
    word?.node.scrollIntoView({ block: "nearest", inline: "nearest" });
  }
}
