// The viewer of aligned trees: `about` says what all pairs have in common, `pairs` has the trees and their links.
const SHOWN = 500, STEP = 1.25;
const byId = id => document.getElementById(id);
const texts = pairs.map(p => [p.source, p.target].map(t => t.words.join(" ") + " " + t.labels.join(" ")).join(" ").toLowerCase());
const same = (a, b) => a[0] === b[0] && a[1] === b[1];
const attributes = link => link[2] ?? [["type", "good"], ["author", "treeglot"]];
const isFuzzy = link => attributes(link).some(([name, value]) => name === "type" && value === "fuzzy");

let current = 0, terms = [], hits = [], zoom = "fit";
// Links of the first set are mended; what they were is kept to go back to.
let edits = false, chosen = null, linked = null, changed = false;
const past = [];

/** The links of a pair as they are drawn: of two sets it is told which has each. */
function drawn(pair) {
  const [first, second] = pair.sets;
  const kinds = link => (isFuzzy(link) ? " fuzzy" : "") + (linked && same(link, linked) ? " chosen" : "");
  if (!second) return first.map(link => [link[0], link[1], kinds(link).trim()]);
  const inFirst = first.map(link => [link[0], link[1], (second.some(other => same(other, link)) ? "both" : "first") + kinds(link)]);
  const only = second.filter(link => !first.some(other => same(other, link)));
  return [...inFirst, ...only.map(link => [link[0], link[1], "second" + kinds(link)])];
}

function draw() {
  const pair = pairs[current], picture = byId("picture");
  if (!pair) return picture.replaceChildren();
  const svg = Drawings.pair({ ...pair, links: drawn(pair), terms, choose: edits ? choose : undefined, pick: edits ? pick : undefined });
  if (chosen) svg.querySelector(`[data-node-side="${chosen[0]}"][data-node="${chosen[1]}"]`)?.classList.add("chosen");
  picture.replaceChildren(svg);
  scale();
  describe(pair);
}

/** Gives the drawing its size. */
function scale() {
  const svg = byId("picture").querySelector("svg");
  if (!svg) return;
  const [width, height] = svg.getAttribute("viewBox").split(" ").slice(2).map(Number);
  const room = byId("picture");
  const fitting = Math.min(1, (room.clientWidth - 20) / width, (room.clientHeight - 20) / height);
  const by = zoom === "fit" ? Math.max(.25, fitting) : zoom;
  svg.setAttribute("width", width * by);
  svg.setAttribute("height", height * by);
  svg.dataset.zoom = by;
}

function zoomTo(by) {
  zoom = by === "fit" ? by : Math.min(4, Math.max(.15, by));
  scale();
}

const zoomed = () => Number(byId("picture").querySelector("svg")?.dataset.zoom ?? 1);

function describe(pair) {
  const [first, second] = pair.sets, number = `Pair ${current + 1} of ${pairs.length}`;
  const count = (n, thing) => `${n} ${thing}${n === 1 ? "" : "s"}`;
  const line = byId("about");
  if (!second) {
    line.replaceChildren(`${number}: ${count(first.length, "link")} of ${about.sets[0]}`);
  } else {
    const both = first.filter(link => second.some(other => same(other, link))).length;
    const key = (kind, text) => [Object.assign(document.createElement("span"), { className: `key ${kind}` }), text];
    line.replaceChildren(`${number}:`, ...key("both", `${both} in both`), ...key("first", `${first.length - both} in ${about.sets[0]} alone`),
      ...key("second", `${second.length - both} in ${about.sets[1]} alone`));
  }
  byId("help").innerHTML = edits
    ? "Choose a node above and one below to link them or to part them; choose a link to make it <kbd>f</kbd>uzzy or to take it away (<kbd>Delete</kbd>). <kbd>u</kbd> undoes, <kbd>s</kbd> saves."
    : "<kbd>←</kbd> <kbd>→</kbd> pairs, <kbd>+</kbd> <kbd>−</kbd> <kbd>0</kbd> size, <kbd>/</kbd> search, <kbd>e</kbd> mend links.";
  byId("before").disabled = hits.indexOf(current) <= 0;
  byId("after").disabled = hits.indexOf(current) === hits.length - 1;
  byId("fuzzy").disabled = byId("remove").disabled = !linked;
  byId("undo").disabled = !past.length;
}

function list() {
  terms = byId("search").value.toLowerCase().split(/\s+/).filter(Boolean);
  hits = pairs.map((_, k) => k).filter(k => terms.every(term => texts[k].includes(term)));
  byId("count").textContent = `${hits.length} of ${pairs.length} pairs` + (hits.length > SHOWN ? `, the first ${SHOWN} listed` : "");
  if (hits.length && !hits.includes(current)) return go(hits[0]);
  byId("list").replaceChildren(...hits.slice(0, SHOWN).map(k => {
    const item = document.createElement("li"), button = document.createElement("button");
    button.textContent = `${k + 1}. ${pairs[k].source.words.join(" ")}`;
    button.addEventListener("click", () => go(k));
    item.append(button);
    return item;
  }));
  mark();
  draw();
}

/** Marks the current pair in the list. */
function mark() {
  [...byId("list").children].forEach((item, n) => {
    const button = item.firstChild, on = hits[n] === current;
    if (on) button.setAttribute("aria-current", "true"); else button.removeAttribute("aria-current");
    if (on) item.scrollIntoView({ block: "nearest" });
  });
}

/** Shows a pair; its address is `#pair-12`. */
function go(k) {
  if (!pairs[k]) return;
  const listed = hits.includes(k);
  current = k;
  chosen = linked = null;
  history.replaceState(null, "", `#pair-${k + 1}`);
  if (!listed) { byId("search").value = ""; list(); } else { mark(); draw(); }
}

const step = by => { const next = hits[hits.indexOf(current) + by]; if (next !== undefined) go(next); };

/** Keeps the links as they are, to go back to. */
function remember() {
  past.push([current, pairs[current].sets[0].map(link => [...link])]);
  changed = true;
}

/** Chooses a node; the second, of the other side, is linked with the first or parted from it. */
function choose(side, node) {
  linked = null;
  if (!chosen || chosen[0] === side) {
    chosen = chosen && chosen[1] === node ? null : [side, node];
    return draw();
  }
  const link = side === "target" ? [chosen[1], node] : [node, chosen[1]];
  remember();
  const links = pairs[current].sets[0], at = links.findIndex(other => same(other, link));
  if (at >= 0) links.splice(at, 1); else links.push(link);
  chosen = null;
  linked = at >= 0 ? null : link;
  draw();
}

function pick(link) {
  chosen = null;
  linked = pairs[current].sets[0].find(other => same(other, link)) ?? null;
  draw();
}

function removeLinked() {
  if (!linked) return;
  remember();
  const links = pairs[current].sets[0];
  links.splice(links.findIndex(other => same(other, linked)), 1);
  linked = null;
  draw();
}

function toggleFuzzy() {
  if (!linked) return;
  remember();
  const links = pairs[current].sets[0], at = links.findIndex(other => same(other, linked)), link = links[at];
  const type = isFuzzy(link) ? "good" : "fuzzy";
  links[at] = linked = [link[0], link[1], attributes(link).map(([name, value]) => [name, name === "type" ? type : value])];
  draw();
}

function undo() {
  const last = past.pop();
  if (!last) return;
  pairs[last[0]].sets[0] = last[1];
  linked = chosen = null;
  if (last[0] !== current) go(last[0]); else draw();
}

function setEdits(on) {
  edits = on;
  chosen = linked = null;
  byId("edit").setAttribute("aria-pressed", String(on));
  document.body.classList.toggle("edits", on);
  draw();
}

/** The links of the first set as an alignment of the TreeAligner. A node without a name cannot be in it. */
function alignment() {
  const text = value => String(value).replace(/&/g, "&amp;").replace(/</g, "&lt;").replace(/>/g, "&gt;").replace(/"/g, "&quot;");
  const nodes = (pair, link) => [pair.source.ids[link[0]], pair.target.ids[link[1]]];
  const all = pairs.flatMap(pair => pair.sets[0].map(link => [attributes(link), nodes(pair, link)])).filter(([, ids]) => ids.every(Boolean));
  const links = all.map(([named, ids]) => `<align${named.map(([name, value]) => ` ${name}="${text(value)}"`).join("")}>\n` +
    ids.map((id, side) => `<node treebank_id="${text(about.treebanks[side])}" node_id="${text(id)}"/>\n`).join("") + "</align>\n");
  const size = Number(about.frame.match(/<size>(\d+)<\/size>/)?.[1] ?? 0) + all.length;
  const end = about.frame.lastIndexOf("</alignments>");
  return (about.frame.slice(0, end) + links.join("") + about.frame.slice(end)).replace(/<size>\d+<\/size>/, `<size>${size}</size>`);
}

function save() {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([alignment()], { type: "application/xml" }));
  link.download = "alignment.xml";
  link.click();
  URL.revokeObjectURL(link.href);
  changed = false;
}

const KEYS = {
  ArrowLeft: () => step(-1), ArrowRight: () => step(1), "+": () => zoomTo(zoomed() * STEP), "=": () => zoomTo(zoomed() * STEP), "-": () => zoomTo(zoomed() / STEP),
  0: () => zoomTo("fit"), 1: () => zoomTo(1), "/": () => byId("search").focus(), e: () => setEdits(!edits), s: save, u: undo,
  f: toggleFuzzy, Delete: removeLinked, Backspace: removeLinked, Escape: () => { chosen = linked = null; draw(); },
};
document.addEventListener("keydown", event => {
  if (event.target.tagName === "INPUT") { if (event.key === "Escape") event.target.blur(); return; }
  if (event.ctrlKey || event.metaKey || event.altKey || !KEYS[event.key]) return;
  event.preventDefault();
  KEYS[event.key]();
});
const buttons = { before: () => step(-1), after: () => step(1), smaller: KEYS["-"], larger: KEYS["+"], fit: KEYS[0], edit: KEYS.e, fuzzy: toggleFuzzy, remove: removeLinked, undo, save };
for (const [id, work] of Object.entries(buttons)) byId(id).addEventListener("click", work);

// Two fingers, or the wheel with Ctrl, change the size.
const room = byId("picture");
let apart = 0;
room.addEventListener("wheel", event => { if (event.ctrlKey) { event.preventDefault(); zoomTo(zoomed() * (event.deltaY < 0 ? 1.1 : 1 / 1.1)); } }, { passive: false });
room.addEventListener("touchmove", event => {
  if (event.touches.length !== 2) return;
  event.preventDefault();
  const [a, b] = event.touches, now = Math.hypot(a.clientX - b.clientX, a.clientY - b.clientY);
  if (apart) zoomTo(zoomed() * now / apart);
  apart = now;
}, { passive: false });
room.addEventListener("touchend", () => { apart = 0; });

byId("search").addEventListener("input", list);
window.addEventListener("resize", scale);
const addressed = () => Number(location.hash.match(/^#pair-(\d+)$/)?.[1] ?? 0) - 1;
window.addEventListener("hashchange", () => go(addressed()));
window.addEventListener("beforeunload", event => { if (changed) event.preventDefault(); });
list();
if (pairs[addressed()]) go(addressed());
document.body.dataset.ready = "true";
