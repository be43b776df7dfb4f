/* The page of one input: a part of it (the whole, or a frame), one byte chosen in it. A byte shows its field, a field its
   bytes. Only a window of both is in the document. */

const GRID_ROWS = 48;
const FIELD_ROWS = 200;
const narrow = matchMedia("(max-width: 30rem)");

let part = 0;
let chosen = null;
let gridFrom = 0;
let fieldsFrom = 0;
/* Whether the focus goes back to where it was, which chooses nothing. */
let restoring = false;

const perRow = () => (narrow.matches ? 8 : 16);
const byteAt = (at) => DATA.data.slice(2 * at, 2 * at + 2);
const current = () => DATA.parts[part];

/** The number of the row with this byte; -1 for none. Rows without bytes are passed over. */
function rowAt(at) {
  return current().rows.findIndex(([offset, size]) => offset !== null && at >= offset && at < offset + size);
}

/* --- Choosing --- */

function choose(at, keep) {
  chosen = at;
  if (keep) keepState({ frame: DATA.parts.length > 1 ? part + 1 : "", byte: at === null ? "" : at }, true);
  paint();
}

/** Bring a byte and its field into the windows. */
function reveal(at) {
  const line = Math.floor((at - current().start) / perRow());
  if (line < gridFrom || line >= gridFrom + GRID_ROWS) {
    gridFrom = Math.max(0, line - GRID_ROWS / 4);
    drawGrid();
  }
  const row = rowAt(at);
  if (row >= 0 && (row < fieldsFrom || row >= fieldsFrom + FIELD_ROWS)) {
    fieldsFrom = Math.max(0, row - FIELD_ROWS / 4);
    drawFields();
  }
}

/** Mark the chosen byte's field, and say what it is. `at`: a byte that the pointer is on. */
function paint(at = chosen) {
  const row = at === null ? -1 : rowAt(at);
  const [from, size] = row < 0 ? [at, 1] : current().rows[row];
  for (const cell of document.querySelectorAll("#grid [role=gridcell]")) {
    const here = Number(cell.dataset.at);
    cell.classList.toggle("chosen", at !== null && here >= from && here < from + size);
    cell.setAttribute("aria-selected", String(here === chosen));
  }
  for (const line of document.querySelectorAll("#fields tr[data-row]")) {
    line.classList.toggle("chosen", Number(line.dataset.row) === row);
  }
  describe(at, row);
}

function describe(at, row) {
  const out = byId("detail");
  if (at === null) {
    out.replaceChildren(make("p", { class: "soft" }, "Point at a byte or a field, or move with the arrow keys."));
    return;
  }
  const children = [];
  if (row < 0) children.push(make("h3", {}, "not named"), make("p", { class: "soft" }, `byte ${at}: 0x${byteAt(at)}`));
  else {
    const [offset, size, label, kind, value] = current().rows[row];
    const place = size === 1 ? `byte ${offset}` : `bytes ${offset} to ${offset + size - 1}; this is byte ${at - offset + 1} of ${size}`;
    const [sentence, rules] = own(DATA.kinds, kind) || ["", []];
    children.push(
      make("h3", {}, pathOf(row) || kind),
      make("p", { class: "soft" }, place),
      value ? make("p", {}, make("b", { class: "mono" }, value)) : null,
      make("p", {}, make("b", {}, kind), sentence ? `: ${sentence}` : ""),
      ...rules.map((id) => shortRule(id, own(DATA.rulings, id))));
  }
  for (const [where, text] of current().marks) if (where === at) children.push(make("p", { class: "bad" }, `▲ refused here: ${text}`));
  out.replaceChildren(...children.filter(Boolean));
}

const shortRule = (id, ruling) => ruling && make("p", { class: "soft" }, make("b", {}, ruling.contested ? `${id} ‡` : id), ` ${ruling.question}: ${ruling.demanded}`);

/** The names of the headings above a row, and its own. */
function pathOf(row) {
  const names = [];
  let depth = Infinity;
  for (let at = row; at >= 0 && depth > 0; at -= 1) {
    const [offset, , label, , , deep] = current().rows[at];
    if (deep < depth && (at === row || offset === null || label)) {
      if (label) names.unshift(label);
      depth = deep;
    }
  }
  return names.reduce((path, name) => (name.startsWith("[") || !path ? path + name : `${path}.${name}`), "");
}

/** Put new `children` into a box, and the focus that was in it onto the same button, or else onto `stop()`. */
function redraw(box, children, stop) {
  const held = box.contains(document.activeElement) ? document.activeElement : null;
  const turned = held && held.dataset.turn;
  box.replaceChildren(...children);
  const entry = stop();
  if (entry) entry.tabIndex = 0;
  if (!held) return;
  const buttons = turned ? [...box.querySelectorAll("[data-turn]:enabled")] : [];
  const next = buttons.find((button) => button.dataset.turn === turned) || buttons[0] || entry;
  restoring = true;
  if (next) next.focus({ preventScroll: true });
  restoring = false;
}

/* --- The bytes --- */

function drawGrid() {
  const { start, end, marks, rows } = current();
  const width = perRow();
  const lines = Math.ceil((end - start) / width);
  const last = Math.max(...rows.map(([offset, size]) => (offset === null ? 0 : offset + size)), start);
  const grid = make("div", { class: "grid", role: "grid", "aria-label": "Bytes", "aria-rowcount": String(lines) });
  const faults = new Set(marks.map(([at]) => at));
  for (let line = gridFrom; line < Math.min(lines, gridFrom + GRID_ROWS); line += 1) {
    const from = start + line * width;
    const row = make("div", { role: "row", "aria-rowindex": String(line + 1) }, make("span", { class: "at", role: "rowheader" }, from.toString(16).padStart(4, "0")));
    let ascii = "";
    for (let at = from; at < Math.min(from + width, end); at += 1) {
      const code = parseInt(byteAt(at), 16);
      ascii += code >= 32 && code < 127 ? String.fromCharCode(code) : "·";
      row.append(make("span", {
        role: "gridcell", tabindex: "-1", dataset: { at },
        class: [(at - from) % 8 === 0 && at > from ? "gap" : "", faults.has(at) ? "refused" : "", at >= last ? "unread" : ""].join(" ").trim() || null,
        "aria-label": `byte ${at}: ${byteAt(at)}${faults.has(at) ? ", refused here" : ""}`,
      }, byteAt(at)));
    }
    const there = Math.min(from + width, end) - from;
    const missing = " ".repeat(3 * (width - there) + (width > 8 && there <= 8 ? 1 : 0));
    row.append(make("span", { class: "ascii", role: "presentation", "aria-hidden": "true" }, missing + ascii));
    grid.append(row);
  }
  if (start === end) grid.append(make("div", { role: "row" }, make("span", { role: "gridcell" }, "no bytes")));
  const turn = turner(lines, gridFrom, GRID_ROWS, "lines", (to) => { gridFrom = to; drawGrid(); paint(); });
  redraw(byId("grid"), [grid, turn], () => grid.querySelector(`[data-at="${chosen}"]`) || grid.querySelector("[data-at]"));
}

/** Buttons to the windows before and after this one, if there are more. */
function turner(all, from, size, what, turn) {
  if (all <= size) return make("span");
  return make("div", { class: "turner" },
    make("button", { type: "button", dataset: { turn: "earlier" }, disabled: from === 0, onclick: () => turn(Math.max(0, from - size)) }, "Earlier"),
    `${what} ${(from + 1).toLocaleString("en")} to ${Math.min(all, from + size).toLocaleString("en")} of ${all.toLocaleString("en")}`,
    make("button", { type: "button", dataset: { turn: "later" }, disabled: from + size >= all, onclick: () => turn(from + size) }, "Later"));
}

function focusByte(at) {
  if (at < current().start || at >= current().end) return;
  choose(at, true);
  reveal(at);
  paint();
  for (const cell of document.querySelectorAll("#grid [tabindex='0']")) cell.tabIndex = -1;
  const cell = byId("grid").querySelector(`[data-at="${at}"]`);
  cell.tabIndex = 0;
  cell.focus();
  const line = byId("fields").querySelector("tr.chosen");
  if (line) line.scrollIntoView({ block: "nearest" });
}

/* --- The fields --- */

function drawFields() {
  const { rows, marks, end, more } = current();
  const body = make("tbody");
  const note = (at, text) => body.append(make("tr", { class: "mark" }, make("td", { class: "at" }, "▲"),
    make("td", { colspan: 3 }, `refused ${at >= end ? "at the end of the input" : "here"}, byte ${at}: ${text}`)));
  const pending = [...marks];
  const until = Math.min(rows.length, fieldsFrom + FIELD_ROWS);
  for (let number = fieldsFrom; number < until; number += 1) {
    const [offset, size, label, kind, value, depth] = rows[number];
    const name = label || (offset === null ? "" : kind);
    if (offset === null) {
      body.append(make("tr", { class: "heading" }, make("td", { class: "at" }), make("td", { class: depthOf(depth), colspan: 3 }, name)));
      continue;
    }
    body.append(make("tr", { dataset: { row: number } },
      make("td", { class: "at" }, String(offset)),
      make("td", { class: depthOf(depth) }, make("button", { type: "button", tabindex: "-1", dataset: { first: offset, size } }, name)),
      make("td", { class: "value" }, value),
      make("td", { class: "kind" }, label && kind !== label ? kind : "")));
    for (const mark of pending.filter(([at]) => at >= offset && at < offset + size)) {
      note(...mark);
      pending.splice(pending.indexOf(mark), 1);
    }
  }
  if (until === rows.length) for (const mark of pending) note(...mark);
  if (more && until === rows.length) body.append(make("tr", {}, make("td", { class: "at" }, "…"), make("td", { colspan: 3 }, `${many(more, "row")} more are not on this page`)));
  const table = make("table", {},
    make("caption", { class: "unseen" }, "Fields, with their offsets, values and types"),
    make("thead", {}, make("tr", {}, ["byte", "field", "value", "type"].map((title) => make("th", { scope: "col", class: title === "type" ? "kind" : null }, title)))),
    body);
  const turn = turner(rows.length, fieldsFrom, FIELD_ROWS, "rows", (to) => { fieldsFrom = to; drawFields(); paint(); });
  const mine = chosen === null ? -1 : rowAt(chosen);
  redraw(byId("fields"), [table, turn], () => table.querySelector(`[data-row="${mine}"] button`) || table.querySelector("button"));
}

/* --- The page --- */

function drawPart() {
  gridFrom = fieldsFrom = 0;
  const { title, note, state, said, rulings } = current();
  const style = { accepted: "good", refused: "bad", unread: "open" }[state];
  const sign = { accepted: "✓ ", refused: "✗ ", unread: "? " }[state];
  const words = { accepted: "accepted", refused: "refused", unread: "not read" }[state];
  byId("result").replaceChildren(make("b", {}, title), note ? ` (${note})` : "", `, ${many(current().end - current().start, "byte")}, dialect ${DATA.dialect}: `,
    make("b", { class: style }, sign + words), state === "refused" ? `: ${said}` : "");
  const old = byId("deciding");
  if (old) old.remove();
  const extra = make("div", { id: "deciding" });
  if (state === "accepted" && said) extra.append(make("p", { class: "summary mono" }, said));
  if (rulings.length) extra.append(...rulings.map((id) => ruleOf(id, own(DATA.rulings, id))));
  byId("result").after(extra);
  drawGrid();
  drawFields();
}

function openPart(number, at) {
  part = Math.min(Math.max(number, 0), DATA.parts.length - 1);
  const { marks, start, end } = current();
  const first = marks.length && marks[0][0] < end ? marks[0][0] : null;
  chosen = at !== null && at >= start && at < end ? at : first;
  const menu = byId("part");
  if (menu) menu.value = String(part);
  drawPart();
  if (chosen !== null) reveal(chosen);
  paint();
}

function readAddress() {
  const { frame, byte } = stateOf();
  const number = (text) => (/^\d{1,9}$/.test(text || "") ? Number(text) : null);
  openPart((number(frame) || 1) - 1, number(byte));
}

function begin() {
  if (DATA.parts.length > 1) {
    const menu = make("select", { id: "part", onchange: (event) => {
      openPart(Number(event.target.value), null);
      keepState({ frame: part + 1 }, false);
    } }, DATA.parts.map((one, at) => make("option", { value: String(at) }, `${at + 1}: ${one.title} ${{ accepted: "✓", refused: "✗ refused", unread: "?" }[one.state]}`)));
    byId("parts").append(make("label", {}, `Frame (of ${DATA.parts.length.toLocaleString("en")}) `, menu));
  }
  const grid = byId("grid"), fields = byId("fields");
  grid.addEventListener("mouseover", (event) => { if (event.target.dataset.at) paint(Number(event.target.dataset.at)); });
  grid.addEventListener("mouseleave", () => paint());
  grid.addEventListener("click", (event) => { if (event.target.dataset.at) focusByte(Number(event.target.dataset.at)); });
  grid.addEventListener("focusin", (event) => { if (!restoring && event.target.dataset.at) choose(Number(event.target.dataset.at), true); });
  grid.addEventListener("keydown", (event) => {
    if (!event.target.dataset.at) return;
    const at = Number(event.target.dataset.at), { start, end } = current();
    const line = start + Math.floor((at - start) / perRow()) * perRow();
    const to = { ArrowLeft: at - 1, ArrowRight: at + 1, ArrowUp: at - perRow(), ArrowDown: at + perRow(), Home: line, End: Math.min(line + perRow(), end) - 1 }[event.key];
    if (to === undefined) return;
    event.preventDefault();
    focusByte(to);
  });
  const rowOf = (event) => { const line = event.target.closest("tr[data-row]"); return line ? Number(line.dataset.row) : null; };
  const chooseRow = (row) => { choose(current().rows[row][0], true); if (chosen < current().end) reveal(chosen); paint(); };
  fields.addEventListener("mouseover", (event) => { const row = rowOf(event); if (row !== null) paint(current().rows[row][0]); });
  fields.addEventListener("mouseleave", () => paint());
  fields.addEventListener("click", (event) => { const row = rowOf(event); if (row !== null) chooseRow(row); });
  fields.addEventListener("focusin", (event) => { const row = rowOf(event); if (!restoring && row !== null) chooseRow(row); });
  fields.addEventListener("keydown", (event) => {
    if (!["ArrowDown", "ArrowUp"].includes(event.key) || rowOf(event) === null) return;
    const buttons = [...fields.querySelectorAll("button[data-first]")];
    const to = buttons[buttons.indexOf(event.target) + (event.key === "ArrowDown" ? 1 : -1)];
    event.preventDefault();
    if (!to) return;
    event.target.tabIndex = -1;
    to.tabIndex = 0;
    to.focus();
  });
  narrow.addEventListener("change", () => { gridFrom = 0; drawGrid(); paint(); });
  onAddress(readAddress);
  readAddress();
}

begin();
