/* The matrix: what is open and how it is filtered is the state, and the state is in the address. Only what is open is in
   the document. */

const SYMBOLS = {
  pass: "✓", fail: "✗", crash: "‼", hang: "∞", oom: "▲", "protocol-violation": "≠", contested: "‡", skip: "○", "not-asked": "·", unsteady: "~",
};
const WORDS = {
  pass: "passed", fail: "wrong answer", crash: "crash", hang: "no answer in time", oom: "too much memory",
  "protocol-violation": "broke the line protocol", contested: "another reading", skip: "not judged", "not-asked": "not asked", unsteady: "not the same twice",
};
const BAD = new Set(DATA.deviations);
const UNJUDGED = new Set(["skip", "not-asked", "unsteady"]);
const EVERYWHERE = "all areas";
const AT_ONCE = 30;

const empty = { impl: "", area: "", finding: "", case: "", dialect: "", known: "", hide: "", text: "" };
let state = { ...empty };
/* The state that is in the document. */
let rendered = state;
let shownCases = AT_ONCE;
let shownFindings = AT_ONCE;

/* --- What there is --- */

const titles = new Map();
for (const [number, run] of DATA.runs.entries()) {
  run.name = run.title;
  if (titles.has(run.title)) run.name = `${run.title} (${run.source}${titles.has(`${run.title} (${run.source})`) ? `, ${number + 1}` : ""})`;
  titles.set(run.name, number);
  run.findings = [];
}
for (const [number, finding] of DATA.findings.entries()) {
  finding.number = number;
  finding.lower = finding.title.toLowerCase();
  finding.verdictKnown = finding.counts.some(([, , known]) => known);
  DATA.runs[finding.run].findings.push(finding);
}
const lower = DATA.questions.map((question) => `${question.id} ${question.type}`.toLowerCase());
const lowerText = DATA.texts.map((text) => text.toLowerCase());
const verdicts = Object.keys(SYMBOLS).filter((verdict) =>
  verdict !== "pass" && DATA.runs.some((run) => run.counts.some((count) => count[2] === verdict)));
const someKnown = DATA.runs.some((run) => run.counts.some((count) => count[3]));

/* --- The filter --- */

const hidden = () => new Set(state.hide ? state.hide.split(",") : []);
const wanted = () => state.text.trim().toLowerCase();

/** Whether verdicts of this kind are shown. Whether they are known only matters for deviations. */
function passes(filter, dialect, verdict, known) {
  if (state.dialect && dialect !== state.dialect) return false;
  if (filter.has(verdict)) return false;
  return !(state.known && BAD.has(verdict) && (state.known === "known") !== Boolean(known));
}

/** The cases of a finding that the filter leaves, in an area. */
function casesOf(finding, area, filter, text) {
  const said = text && !finding.lower.includes(text);
  return finding.cases.map((one, at) => [one, at]).filter(([one]) => {
    const question = DATA.questions[one[0]];
    if (area !== EVERYWHERE && question.area !== area) return false;
    if (!passes(filter, question.dialect, finding.verdict, DATA.texts[one[3]] !== "")) return false;
    return !said || lower[one[0]].includes(text) || lowerText[one[1]].includes(text) || lowerText[one[2]].includes(text);
  });
}

/** [number, new ones] of a finding's cases; with a text, of those that are listed. */
function sizeOf(finding, area, filter, text) {
  if (text) {
    const cases = casesOf(finding, area, filter, text);
    return [cases.length, cases.filter(([one]) => DATA.texts[one[3]] === "").length];
  }
  let all = 0, fresh = 0;
  for (const [where, dialect, known, count] of finding.counts) {
    if ((area !== EVERYWHERE && where !== area) || !passes(filter, dialect, finding.verdict, known)) continue;
    all += count;
    if (!known) fresh += count;
  }
  return [all, fresh];
}

/** Verdict → number for a run and an area; `new`: the deviations that are not known. */
function countsOf(run, area, filter, text) {
  const counts = { new: 0, bad: 0 };
  const add = (verdict, count, known) => {
    counts[verdict] = (counts[verdict] || 0) + count;
    if (BAD.has(verdict)) counts.bad += count;
    if (BAD.has(verdict) && !known) counts.new += count;
  };
  if (!text) {
    for (const [where, dialect, verdict, known, count] of run.counts) {
      if ((area === EVERYWHERE || where === area) && passes(filter, dialect, verdict, known)) add(verdict, count, known);
    }
    return counts;
  }
  for (const finding of run.findings) {
    const [all, fresh] = sizeOf(finding, area, filter, text);
    add(finding.verdict, all - fresh, true);
    add(finding.verdict, fresh, false);
  }
  return counts;
}

/* --- Opening and closing --- */

function go(change, replace) {
  state = { ...state, ...change };
  shownCases = shownFindings = AT_ONCE;
  keepState(state, replace);
  render();
}

function turnCell(impl, area) {
  const same = state.impl === impl && state.area === area;
  go({ impl: same ? "" : impl, area: same ? "" : area, finding: "", case: "" });
}
const turnFinding = (key) => go({ finding: state.finding === key ? "" : key, case: "" });
const turnCase = (id) => go({ case: state.case === id ? "" : id });

/* --- The table --- */

function cellOf(run, area, filter, text) {
  const counts = countsOf(run, area, filter, text);
  const unjudged = (counts.skip || 0) + (counts["not-asked"] || 0);
  const said = [];
  const parts = [];
  if (counts.bad) {
    said.push(many(counts.bad, "deviation"));
    parts.push(make("b", {}, `✗ ${counts.bad.toLocaleString("en")}`));
    if (someKnown && counts.new) {
      said.push(`${counts.new.toLocaleString("en")} new`);
      parts.push(" ", make("span", { class: "new" }, `${counts.new.toLocaleString("en")} new`));
    }
  }
  const below = [];
  const add = (count, symbol, words) => {
    if (!count) return;
    said.push(`${count.toLocaleString("en")} ${words}`);
    below.push(make("span", {}, `${symbol} ${count.toLocaleString("en")}`));
  };
  add(counts.contested, SYMBOLS.contested, WORDS.contested);
  add(counts.pass, SYMBOLS.pass, WORDS.pass);
  add(unjudged, SYMBOLS.skip, WORDS.skip);
  const share = counts.bad / (counts.bad + (counts.pass || 0) + (counts.contested || 0));
  const style = counts.bad ? `b ${share > 0.15 ? "much" : share > 0.03 ? "some" : ""}` : counts.contested ? "o" : counts.pass ? "g" : "n";
  if (!counts.bad && below.length) parts.push(make("b", {}, below.shift().textContent));
  if (!parts.length) parts.push(make("span", { "aria-hidden": "true" }, "·"), make("span", { class: "unseen" }, text ? "nothing found" : "nothing asked"));
  if (below.length) parts.push(make("small", {}, below.flatMap((one) => [one, " "])));
  const opens = counts.bad || counts.contested || unjudged;
  const data = { "data-area": area };
  if (!opens) return make("td", { role: "cell", class: style }, make("div", { class: "cell", ...data }, parts));
  const open = state.impl === run.name && state.area === area;
  return make("td", { role: "cell", class: style }, make("button", {
    type: "button", class: "cell", ...data, "aria-expanded": String(open),
    "aria-label": `${run.name}, ${area}: ${said.join(", ")}`, dataset: { key: `cell ${run.name} ${area}` },
    onclick: () => turnCell(run.name, area),
  }, parts));
}

function runHead(run) {
  const notes = [run.language];
  if (run.vectors !== DATA.vectors) notes.push("other vectors");
  if (run.incomplete) notes.push(`ended early: ${run.incomplete[0].toLocaleString("en")} of ${run.incomplete[1].toLocaleString("en")}`);
  return make("th", { scope: "row", role: "rowheader" }, make("b", {}, run.title),
    run.name === run.title ? null : make("small", {}, run.source), make("small", {}, notes.join(" · ")));
}

/** The table of codecs and clients, and that of brokers, which are asked in other areas. */
function tablesOf(filter, text) {
  const [brokers, others] = [DATA.runs.filter((run) => run.broker), DATA.runs.filter((run) => !run.broker)];
  if (!brokers.length || !others.length) return [tableOf(DATA.runs, filter, text)];
  return [tableOf(others, filter, text), make("h2", {}, "Brokers"), tableOf(brokers, filter, text)];
}

function tableOf(runs, filter, text) {
  const asked = new Set(runs.flatMap((run) => run.counts.map(([area]) => area)));
  const columns = [...DATA.areas.filter((area) => asked.has(area)), EVERYWHERE];
  const body = make("tbody", { role: "rowgroup" });
  for (const run of runs) {
    body.append(make("tr", { role: "row" }, runHead(run),
      columns.map((area) => cellOf(run, area, filter, text))));
    if (state.impl === run.name && columns.includes(state.area)) {
      body.append(make("tr", { class: "panel", role: "row" },
        make("td", { role: "cell", colspan: columns.length + 1 }, panelOf(run, state.area, filter, text))));
    }
  }
  return make("table", { class: "matrix", role: "table" },
    make("caption", { class: "unseen" }, "Verdicts by implementation and area. A cell opens its findings."),
    make("thead", { role: "rowgroup" }, make("tr", { role: "row" }, make("th", { scope: "col", role: "columnheader" }, "implementation"),
      columns.map((area) => make("th", { scope: "col", role: "columnheader" }, area)))),
    body);
}

/* --- Findings --- */

function panelOf(run, area, filter, text) {
  const found = [];
  for (const finding of run.findings) {
    const [all, fresh] = sizeOf(finding, area, filter, text);
    if (all) found.push([finding, all, fresh]);
  }
  const rank = (finding) => (BAD.has(finding.verdict) ? 0 : UNJUDGED.has(finding.verdict) ? 2 : 1);
  found.sort(([one, size], [other, otherSize]) => rank(one) - rank(other) || otherSize - size);
  const bad = found.filter(([finding]) => BAD.has(finding.verdict));
  const more = found.length - shownFindings;
  const open = found.findIndex(([finding]) => finding.key === state.finding);
  const until = Math.max(shownFindings, open + 1);
  return make("section", { "aria-label": `Findings of ${run.name}, ${area}` },
    make("div", { class: "panel-head" },
      make("h2", {}, `${run.name} · ${area}: ${many(bad.length, "finding")}`),
      make("button", { type: "button", dataset: { key: "close" }, onclick: () => turnCell(run.name, area) }, "Close")),
    found.length ? null : make("p", { class: "soft" }, "The filter leaves nothing here."),
    make("ul", { class: "findings" }, found.slice(0, until).map((one) => findingOf(run, area, filter, text, ...one))),
    more > 0 && until < found.length ? moreButton(found.length - until, "finding", found[until][0].key, () => { shownFindings = until + AT_ONCE; }) : null,
    make("p", { class: "soft" }, `Run: ${run.source}; ${run.options}; kit ${run.kit}, vectors ${run.vectors}.`,
      run.vectors === DATA.vectors ? "" : ` The bytes on this page are of the vectors ${DATA.vectors}: a case may have changed since.`));
}

/** `next`: the key of the first that is shown then. It gets the focus where the button is not needed any more. */
function moreButton(count, what, next, show) {
  const key = `more ${what}`;
  return make("button", {
    type: "button", class: "more", dataset: { key }, onclick: () => { show(); render([key, `${what} ${next}`]); },
  }, `Show more (${many(count, what)} left)`);
}

function findingOf(run, area, filter, text, finding, all, fresh) {
  const open = state.finding === finding.key;
  const badges = [];
  if (BAD.has(finding.verdict) && someKnown) {
    if (fresh < all) badges.push(make("span", { class: "badge" }, fresh ? `${(all - fresh).toLocaleString("en")} known` : "known"));
    if (fresh) badges.push(make("span", { class: "badge new" }, fresh < all ? `${fresh.toLocaleString("en")} new` : "new"));
  }
  const style = BAD.has(finding.verdict) ? "bad" : finding.verdict === "contested" ? "open" : "soft";
  return make("li", {},
    make("button", {
      type: "button", class: "row", "aria-expanded": String(open), dataset: { key: `finding ${finding.key}` },
      onclick: () => turnFinding(finding.key),
    },
      make("span", { class: "turn", "aria-hidden": "true" }),
      make("span", { class: `count ${style}` }, make("span", { "aria-hidden": "true" }, `${SYMBOLS[finding.verdict] || "?"} `), all.toLocaleString("en"),
        make("span", { class: "unseen" }, ` ${WORDS[finding.verdict] || ""}: `)),
      make("span", { class: "said" }, finding.title),
      make("span", { class: "badges" }, badges)),
    open ? casesList(run, area, filter, text, finding, all) : null);
}

function casesList(run, area, filter, text, finding, all) {
  const cases = casesOf(finding, area, filter, text);
  const open = cases.findIndex(([one]) => DATA.questions[one[0]].id === state.case);
  const until = Math.max(shownCases, open + 1);
  return [
    make("ul", { class: "cases" }, cases.slice(0, until).map(([one, at]) => caseOf(run, finding, one, at))),
    until < cases.length ? moreButton(cases.length - until, "case", DATA.questions[cases[until][0][0]].id, () => { shownCases = until + AT_ONCE; }) : null,
    cases.length < all ? make("p", { class: "soft" }, `${many(all - cases.length, "case")} more ${all - cases.length === 1 ? "is" : "are"} counted, and not listed on this page.`) : null,
  ];
}

function caseOf(run, finding, one, at) {
  const question = DATA.questions[one[0]];
  const open = state.case === question.id;
  const detail = DATA.texts[one[1]];
  return make("li", {},
    make("button", { type: "button", class: "row", "aria-expanded": String(open), dataset: { key: `case ${question.id}` }, onclick: () => turnCase(question.id) },
      make("span", { class: "turn", "aria-hidden": "true" }), make("span", { class: "said" }, question.id),
      open ? null : make("span", { class: "first" }, detail.split("\n", 1)[0].slice(0, 160))),
    open ? detailsOf(run, finding, one, at) : null);
}

/* --- A case --- */

function detailsOf(run, finding, one, at) {
  const question = DATA.questions[one[0]];
  const [, detail, note, known, command] = [one[0], ...one.slice(1, 4).map((number) => DATA.texts[number]), run.commands[one[4]]];
  const shown = question.shown;
  const list = make("dl");
  const entry = (term, style, ...content) => list.append(make("dt", {}, term), make("dd", style ? { class: style } : {}, ...content));
  const version = question.version === null ? "" : ` version ${question.version}`;
  entry("asked", null, `${question.op} ${question.type}${version}, dialect ${question.dialect}`, shown && shown.about ? `: ${shown.about}` : "");
  if (shown && shown.bytes) entry("bytes", null, shown.bytes.size ? annotatedTable(shown.bytes, `Annotated bytes of ${question.id}`) : "no bytes", shown.bytes.size ? null : markLine(shown.bytes));
  if (shown && shown.asked) entry("question", null, make("pre", {}, shown.asked));
  const pieces = DATA.compared[`${finding.number}.${at}`];
  if (pieces) entry("found", null, comparisonTable(pieces));
  else if (shown) entry("expected", "expected", make("pre", {}, shown.expected), shown.written && shown.written.rows.length ? annotatedTable(shown.written, "The expected bytes") : null);
  entry("actual", BAD.has(finding.verdict) ? "actual" : null, make("pre", {}, detail || WORDS[finding.verdict] || finding.verdict));
  if (note) entry("note", null, note);
  if (!shown && !UNJUDGED.has(finding.verdict)) entry("bytes", "soft", "They are not on this page; the command below shows them.");
  const rulings = own(DATA.rulings, question.dialect) || {};
  const rules = [...new Set([...finding.rules, ...((shown && shown.rules) || [])])];
  if (rules.length) entry("rule", null, rules.map((id) => ruleOf(id, own(rulings, id))));
  if (shown && shown.source) entry("source", null, shown.source);
  if (known) entry("known", null, `the file of known deviations has it as ${known}`);
  const text = command.replace("\0", quoted(question.id));
  const copy = make("button", { type: "button", dataset: { key: "copy" }, onclick: () => copyText(text, copy) }, "Copy");
  entry("repeat", null, make("div", { class: "command" }, make("pre", { tabindex: "0" }, text), copy));
  entry("link", null, make("a", { href: addressOf(state) }, "this case"));
  return make("div", { class: "case" }, list);
}

const markLine = (shown) => (shown.marks || []).map(([at, text]) => make("div", { class: "bad" }, `▲ byte ${at}: ${text}`));
/** As a shell's word; an id has no other characters that a shell reads. */
const quoted = (id) => (/^[\w@%+=:,./-]+$/.test(id) ? id : `'${id.replaceAll("'", "'\"'\"'")}'`);

async function copyText(text, button) {
  try {
    await navigator.clipboard.writeText(text);
    button.textContent = "Copied";
  } catch {
    const selection = getSelection();
    selection.selectAllChildren(button.previousElementSibling);
    button.textContent = "Selected";
  }
}

/* --- The page --- */

/** The keys of what opened a case, a finding, a cell. */
const openersOf = (one) => [`case ${one.case}`, `finding ${one.finding}`, `cell ${one.impl} ${one.area}`];

/** Draw everything anew. The first of `keys` that is there has the focus then; without them what had it, or what opened that. */
function render(keys = null) {
  const filter = hidden(), text = wanted();
  const active = document.activeElement;
  const wantedKeys = keys || (byId("matrix").contains(active) ? [active.dataset.key, ...openersOf(rendered)] : []);
  rendered = state;
  byId("matrix").replaceChildren(...tablesOf(filter, text));
  byId("text").value = state.text;
  byId("dialect").value = state.dialect;
  byId("known").value = state.known;
  for (const button of byId("verdicts").children) button.setAttribute("aria-pressed", String(!filter.has(button.dataset.verdict)));
  focusOn(wantedKeys);
  const counts = DATA.runs.map((run) => countsOf(run, EVERYWHERE, filter, text));
  const bad = counts.reduce((sum, count) => sum + count.bad, 0);
  byId("status").textContent = text || state.dialect || state.known || state.hide ? `The filter leaves ${many(bad, "deviation")}.` : "";
}

/** Focus the first of these keys that is there. */
function focusOn(keys) {
  const all = new Map([...document.querySelectorAll("#matrix [data-key]")].map((element) => [element.dataset.key, element]));
  const found = keys.find((key) => all.has(key));
  if (found !== undefined) all.get(found).focus({ preventScroll: true });
}

function readAddress() {
  const read = stateOf();
  state = Object.fromEntries(Object.keys(empty).map((name) => [name, read[name] || ""]));
  shownCases = shownFindings = AT_ONCE;
  render();
  const open = document.querySelector("#matrix .case") || document.querySelector("#matrix .cases") || document.querySelector("#matrix .panel");
  if (open) open.scrollIntoView({ block: "nearest" });
}

function begin() {
  const total = DATA.runs.reduce((sum, run) => sum + run.counts.reduce((part, count) => part + count[4], 0), 0);
  byId("summary").textContent = `${many(DATA.runs.length, "run")}, ${many(total, "verdict")}. Each cell counts the answers of one implementation in one area; it opens the findings behind them.`;
  const dialects = [...new Set(DATA.runs.flatMap((run) => run.counts.map((count) => count[1])))].sort();
  for (const dialect of dialects) byId("dialect").append(make("option", { value: dialect }, dialect));
  byId("known").parentElement.hidden = !someKnown;
  for (const verdict of verdicts) {
    byId("verdicts").append(make("button", {
      type: "button", dataset: { verdict }, onclick: () => {
        const filter = hidden();
        if (!filter.delete(verdict)) filter.add(verdict);
        go({ hide: [...filter].sort().join(",") }, true);
      },
    }, make("span", { "aria-hidden": "true" }, `${SYMBOLS[verdict]} `), WORDS[verdict]));
  }
  byId("legend").textContent = ["✗ deviations: " + verdicts.filter((one) => BAD.has(one)).map((one) => `${SYMBOLS[one]} ${WORDS[one]}`).join(", "),
    "‡ another reading of a contested point", "✓ passed", "○ not judged, or not asked"].join(" · ");
  let waiting = 0;
  byId("text").addEventListener("input", (event) => {
    clearTimeout(waiting);
    state = { ...state, text: event.target.value }; // what is drawn before the time is over keeps it
    waiting = setTimeout(() => go({}, true), 120);
  });
  byId("dialect").addEventListener("change", (event) => go({ dialect: event.target.value }, true));
  byId("known").addEventListener("change", (event) => go({ known: event.target.value }, true));
  byId("reset").addEventListener("click", () => go({ dialect: "", known: "", hide: "", text: "" }, true));
  byId("filters").addEventListener("submit", (event) => event.preventDefault());
  addEventListener("keydown", (event) => {
    if (event.key !== "Escape" || event.target.matches("input, select")) return;
    if (!state.impl) return;
    const [caseKey, findingKey, cellKey] = openersOf(state);
    const [change, key] = state.case ? [{ case: "" }, caseKey] : state.finding ? [{ finding: "" }, findingKey] : [{ impl: "", area: "" }, cellKey];
    go(change);
    focusOn([key]);
  });
  onAddress(readAddress);
  readAddress();
}

begin();
