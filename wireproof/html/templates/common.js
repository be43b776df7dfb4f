"use strict";
/* Shared by all pages. Nothing is ever written as markup: text becomes text. */

const DATA = JSON.parse(document.getElementById("data").textContent);

/** An element. `attributes`: its attributes; `class`, `on…` handlers and `dataset` as they are. */
function make(tag, attributes, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes || {})) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (name === "dataset") Object.assign(element.dataset, value);
    else element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...children.flat().filter((child) => child !== null && child !== undefined && child !== ""));
  return element;
}

const many = (count, what) => `${count.toLocaleString("en")} ${what}${count === 1 ? "" : "s"}`;
/** A member of an object of data; names from outside may be those of JavaScript's own members. */
const own = (object, name) => (Object.hasOwn(object, name) ? object[name] : undefined);
const byId = (id) => document.getElementById(id);

/* The theme: the system's, or one that was chosen and is kept. */
const system = matchMedia("(prefers-color-scheme: dark)");
const themes = ["system", "light", "dark"];
let theme = "system";
try { theme = localStorage.getItem("wireproof-theme") || "system"; } catch { /* it may be forbidden in a file */ }
if (!themes.includes(theme)) theme = "system";

function useTheme() {
  document.documentElement.dataset.theme = theme === "system" ? (system.matches ? "dark" : "light") : theme;
  byId("theme").textContent = `Theme: ${theme}`;
}
byId("theme").addEventListener("click", () => {
  theme = themes[(themes.indexOf(theme) + 1) % themes.length];
  try { localStorage.setItem("wireproof-theme", theme); } catch { /* as above */ }
  useTheme();
});
system.addEventListener("change", useTheme);
useTheme();

/* The address has the state, so the link to the content moves the focus itself. */
byId("skip").addEventListener("click", (event) => {
  event.preventDefault();
  byId("main").focus();
});

/* --- The state in the address --- */

/* The address that the page shows. Changes of the address are told later, and keys can be faster: so what is told is
   compared with the latest address, never counted. */
let shownAddress = location.hash;
/* Browsers refuse to change the address more than some 200 times in ten seconds, and a key that is held is faster: so
   there are some milliseconds between two changes, and the last one comes late. */
const BETWEEN_CHANGES = 100;
let changedAt = -Infinity;
let laterChange = 0;

/** The state in the address, as an object of texts. */
function stateOf() {
  return Object.fromEntries(new URLSearchParams(location.hash.slice(1)));
}

function addressOf(state) {
  const kept = Object.entries(state).filter(([, value]) => value !== "" && value !== null && value !== undefined);
  return "#" + new URLSearchParams(kept).toString();
}

/** Write the state into the address; `replace`: without an entry in the history, and perhaps a little later. */
function keepState(state, replace) {
  clearTimeout(laterChange);
  const early = changedAt + BETWEEN_CHANGES - performance.now();
  if (replace && early > 0) {
    laterChange = setTimeout(() => keepState(state, true), early);
    return;
  }
  const address = addressOf(state);
  if (address === location.hash || (address === "#" && !location.hash)) return;
  if (replace) location.replace(address);
  else location.hash = address;
  shownAddress = location.hash;
  changedAt = performance.now();
}

/** Call `show` when the reader goes to another address. */
function onAddress(show) {
  addEventListener("hashchange", () => {
    if (location.hash === shownAddress) return;
    clearTimeout(laterChange);
    shownAddress = location.hash;
    show();
  });
}

/* --- Annotated bytes --- */

const MOST_HEX = 64;

function digits(hex, from, to) {
  return hex.slice(2 * from, 2 * to).replace(/../g, "$& ").trimEnd();
}

/** The bytes of a row; long ones are cut in the middle, and so are those that the page does not have. */
function hexOf(shown, from, size, marked) {
  const known = shown.data.length / 2;
  const end = Math.min(from + size, known);
  const out = [];
  const cut = size > MOST_HEX || end < from + size;
  const stop = cut ? Math.min(end, from + Math.max(16, marked === null ? 0 : Math.min(marked - from + 4, 48))) : end;
  if (marked !== null && marked >= from && marked < stop) {
    out.push(digits(shown.data, from, marked), marked > from ? " " : "");
    out.push(make("span", { class: "hit" }, digits(shown.data, marked, marked + 1)));
    out.push(marked + 1 < stop ? " " : "", digits(shown.data, marked + 1, stop));
  } else out.push(digits(shown.data, from, stop));
  if (stop < from + size) out.push(` … (${many(size, "byte")})`);
  return out;
}

const depthOf = (depth) => (depth ? `d${Math.min(depth, 6)}` : null);

/** A table of annotated bytes, with the marks under their rows. */
function annotatedTable(shown, name) {
  const body = make("tbody");
  const valued = shown.rows.some(([, , , , value]) => value);
  const pending = [...(shown.marks || [])];
  const note = (text) => body.append(make("tr", { class: "mark" }, make("td", { class: "at" }, "▲"), make("td", { colspan: 3 }, text)));
  for (const [offset, size, label, kind, value, depth] of shown.rows) {
    const mine = offset === null ? [] : pending.filter(([at]) => at >= offset && at < offset + size);
    body.append(make("tr", {},
      make("td", { class: "at" }, offset === null ? "" : String(offset)),
      make("td", { class: "hex" }, offset === null ? "" : hexOf(shown, offset, size, mine.length ? mine[0][0] : null)),
      make("td", { class: depthOf(depth) }, label, label && kind ? " " : "", make("span", { class: "kind" }, kind)),
      valued ? make("td", { class: "value" }, value) : null));
    for (const mark of mine) {
      note(`byte ${mark[0]}: ${mark[1]}`);
      pending.splice(pending.indexOf(mark), 1);
    }
  }
  if (shown.more) body.append(make("tr", {}, make("td", { class: "at" }, "…"), make("td", { colspan: 3, class: "kind" }, `${many(shown.more, "row")} more`)));
  for (const [at, text] of pending) note(at >= shown.size ? `at the end of the input (byte ${at}): ${text}` : `byte ${at}: ${text}`);
  return make("table", { class: "annotated" },
    make("caption", { class: "unseen" }, name),
    make("thead", {}, make("tr", {}, ...["byte", "hex", "field", ...(valued ? ["value"] : [])].map((title) => make("th", { scope: "col" }, title)))),
    body);
}

/** The digits of one side of a comparison: what differs is marked. */
function sideOf(mine, other, style) {
  const out = [];
  for (let at = 0; at < Math.max(mine.length, other.length) && at < 2 * MOST_HEX; at += 2) {
    const here = mine.slice(at, at + 2) || "--";
    const same = here === (other.slice(at, at + 2) || "--");
    out.push(same ? here : make("span", { class: `differs ${style}` }, here), " ");
  }
  if (Math.max(mine.length, other.length) > 2 * MOST_HEX) out.push("…");
  return out;
}

/** Two byte strings side by side, piece by piece. */
function comparisonTable(pieces) {
  const first = pieces.findIndex(([, , left, right]) => left !== right);
  const start = Math.max(0, first - 4);
  const shown = pieces.slice(start, first + 12);
  const body = make("tbody");
  const skipped = (count) => count > 0 && body.append(make("tr", {}, make("td", { class: "at" }, "…"), make("td", { colspan: 3, class: "kind" }, `${many(count, "piece")} not shown`)));
  skipped(start);
  for (const [label, offset, left, right] of shown) {
    body.append(make("tr", {},
      make("td", { class: "at" }, String(offset)),
      make("td", { class: "hex" }, sideOf(left, right, "want")),
      make("td", { class: "hex" }, sideOf(right, left, "")),
      make("td", {}, label)));
  }
  skipped(pieces.length - start - shown.length);
  return make("table", { class: "annotated" },
    make("caption", { class: "unseen" }, "Expected and actual bytes"),
    make("thead", {}, make("tr", {}, ...["byte", "expected", "actual", "field"].map((title) => make("th", { scope: "col" }, title)))),
    body);
}

/** A ruling: its question, its demand, its other reading, its source. */
function ruleOf(id, ruling) {
  if (!ruling) return make("div", { class: "rule" }, make("b", {}, id));
  return make("div", { class: "rule" },
    make("p", {}, make("b", {}, ruling.contested ? `${id} ‡` : id), ` ${ruling.question}`),
    make("p", {}, "demanded: ", ruling.demanded),
    ruling.other ? make("p", { class: "soft" }, "other reading: ", ruling.other) : null,
    make("p", { class: "soft" }, "source: ", ruling.source));
}
