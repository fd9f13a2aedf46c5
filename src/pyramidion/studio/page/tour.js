// A tour of two minutes: steps that point at what is on the page. It goes on from the page of a pyramid to that of a
// summary; the address says where it is. It stands beside the page, which can be used meanwhile.

import { $, data, make, send, t } from "./core.js";

const STEPS = [
  ["select", ".pane .text"], ["new", "#selection"], ["weights", "#tiers"], ["peer", ".below"],
  ["suggest", "#suggest"], ["scores", "#scores"], ["export", ".menu summary"],
];
const ON_PYRAMID = 4;
const LAST = STEPS.length - 1;
const MARGIN = 14;
let shown = null;

const here = (step) => (step < ON_PYRAMID) === !data.peer;

function leave() {
  shown?.target.classList.remove("toured");
  shown?.dialog.remove();
  shown = null;
}

function end() {
  leave();
  history.replaceState(null, "", location.pathname + location.search);
  $("#help")?.focus();
  send("/tour", {}, { quiet: true }).catch(() => {});
}

// Shows a step, or the next one in that direction that has something to point at.
export function tour(step = 0, direction = 1) {
  if (!here(step)) {
    const peer = $(".below table a");
    const link = step < ON_PYRAMID ? `/topics/${data.topic}` : peer?.getAttribute("href");
    if (link) return void location.assign(`${link}#tour=${step}`);
    step = LAST; // a topic without summaries
  }
  const target = $(STEPS[step][1]);
  if (!target || !target.getClientRects().length) {
    return step + direction >= 0 && step + direction <= LAST ? tour(step + direction, direction) : undefined;
  }
  leave();
  $("#tour-offer")?.remove();
  const [name] = STEPS[step];
  const button = (label, action, kind = "quiet") => make("button", { type: "button", class: `${kind} small`, onclick: action }, label);
  const next = step === LAST ? button(t("tour_finish"), end, "primary") : button(t("tour_next"), () => tour(step + 1), "primary");
  const dialog = make("dialog", { class: "tour", "aria-labelledby": "tour-title", "aria-describedby": "tour-about" },
    make("p", { class: "soft small" }, t("tour_place", { place: step + 1, count: STEPS.length })),
    make("h2", { id: "tour-title" }, t(`tour_${name}`)),
    make("p", { id: "tour-about" }, t(`tour_${name}_about`)),
    make("p", { class: "row" }, button(t("tour_end"), end), make("span", { class: "spring" }),
      step ? button(t("tour_back"), () => tour(step - 1, -1)) : "", next));
  dialog.addEventListener("keydown", (event) => {
    if (event.key === "ArrowRight") next.click();
    else if (event.key === "ArrowLeft" && step) tour(step - 1, -1);
    else return;
    event.preventDefault();
  });
  history.replaceState(null, "", `#tour=${step}`);
  target.classList.add("toured");
  target.scrollIntoView({ block: "nearest" });
  document.body.append(dialog);
  shown = { dialog, target };
  dialog.show();
  place();
  next.focus();
}

// Beside the target, where there is room: below, above, to the right, to the left, or at the edge of the window.
function place() {
  if (!shown) return;
  const { dialog, target } = shown;
  const [of, own] = [target.getBoundingClientRect(), dialog.getBoundingClientRect()];
  const within = (value, most) => Math.max(MARGIN, Math.min(value, most - MARGIN));
  const [left, top] = [within(of.left, innerWidth - own.width), within(of.top, innerHeight - own.height)];
  const places = [
    [left, of.bottom + MARGIN, of.bottom + 2 * MARGIN + own.height < innerHeight],
    [left, of.top - own.height - MARGIN, of.top - own.height - 2 * MARGIN > 0],
    [of.right + MARGIN, top, of.right + 2 * MARGIN + own.width < innerWidth],
    [of.left - own.width - MARGIN, top, of.left - own.width - 2 * MARGIN > 0],
    [left, innerHeight - own.height - MARGIN, true],
  ];
  const [x, y] = places.find(([, , fits]) => fits);
  dialog.style.left = `${x}px`;
  dialog.style.top = `${y}px`;
}

addEventListener("resize", place);
document.addEventListener("keydown", (event) => {
  if (event.key === "Escape" && shown && !event.target.closest("dialog:not(.tour)")) end();
});
$("#tour-start")?.addEventListener("click", () => tour());
$("#tour-no")?.addEventListener("click", () => { $("#tour-offer").remove(); end(); });
document.addEventListener("DOMContentLoaded", () => { // by then, the page's own script has drawn what is pointed at
  const asked = /^#tour(?:=(\d))?$/.exec(location.hash);
  if (asked) tour(Math.min(LAST, Number(asked[1] ?? 0)));
});
