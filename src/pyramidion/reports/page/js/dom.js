// Making nodes. Texts reach the page as text only, never as markup; control characters are shown as their pictures.
export const $ = (id) => document.getElementById(id);
export const shown = (text) => String(text).replace(/\r\n?/g, "\n").replace(/[\0-\x08\x0b\x0c\x0e-\x1f]/g,
  (c) => String.fromCharCode(c.charCodeAt(0) + 0x2400)).replace(/\x7f/g, "\u2421").replace(/[\x80-\x9f\ufffe\uffff]/g, "\ufffd");
export const make = (tag, attributes, ...children) => {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes || {})) {
    if (value === true) node.setAttribute(name, "");
    else if (value !== false && value !== null && value !== undefined) node.setAttribute(name, value);
  }
  node.append(...children.flat(Infinity).filter((child) => child !== null && child !== undefined && child !== ""));
  return node;
};
export const button = (attributes, ...children) => make("button", { type: "button", ...attributes }, ...children);
export const words = (text, tag = "span", cls = "words") => make(tag, { class: cls, dir: "auto" }, shown(text));
const trimmed = (text) => text.replace(/^[\s.,;:]+(?=\S)/, "").replace(/(?:\.\.\.[\s.]*|[\s,;:]+)$/, ""); // of what hangs from the ends of a segment
export const quoted = (text, tag = "span") => !text ? make(tag, { class: "soft" }, "without its words")
  : make(tag, { class: "words said", dir: "auto" }, "\u201c" + shown(trimmed(text) || text) + "\u201d");
export const tell = (element, text) => { element.textContent = text; };

export const CROSS = "\u2715";
export const level = (share) => share <= 0 ? 0 : Math.min(5, Math.ceil(share * 5 - 1e-9));
export const count = (n, one, many) => `${n} ${n === 1 ? one : many}`;
export const fixed = (value) => value === null ? "-" : value.toFixed(3);
export const brief = (value) => String(Number(value.toFixed(2)));
export const byText = new Intl.Collator("en", { numeric: true, sensitivity: "base" }).compare;
export const calm = () => matchMedia("(prefers-reduced-motion: reduce)").matches ? "auto" : "smooth";
export const median = (values) => {
  const sorted = [...values].sort((a, b) => a - b), middle = sorted.length >> 1;
  return sorted.length % 2 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
};

// Arrow keys move within a group of buttons that is one stop of the Tab key.
export function roving(root, buttons) {
  buttons.forEach((one, i) => { one.tabIndex = i === 0 ? 0 : -1; });
  root.addEventListener("keydown", (event) => {
    const at = buttons.indexOf(document.activeElement);
    if (at < 0) return;
    let to = -1;
    if (event.key === "ArrowRight") to = Math.min(at + 1, buttons.length - 1);
    else if (event.key === "ArrowLeft") to = Math.max(at - 1, 0);
    else if (event.key === "Home") to = 0;
    else if (event.key === "End") to = buttons.length - 1;
    else if (event.key === "ArrowDown" || event.key === "ArrowUp") to = vertical(buttons, at, event.key === "ArrowDown");
    if (to < 0) return;
    event.preventDefault();
    buttons[at].tabIndex = -1;
    buttons[to].tabIndex = 0;
    buttons[to].focus();
  });
}
function vertical(buttons, at, down) {
  const here = buttons[at].getBoundingClientRect();
  const middle = here.left + here.width / 2;
  let best = -1, distance = Infinity;
  buttons.forEach((one, i) => {
    const there = one.getBoundingClientRect();
    const rows = down ? there.top - here.top : here.top - there.top;
    if (rows <= 2) return;
    const d = rows * 1e3 + Math.abs(there.left + there.width / 2 - middle);
    if (d < distance) { distance = d; best = i; }
  });
  return best;
}
