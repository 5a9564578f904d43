// The second tab: the card of a bundle, and a search in its rules.

import { byId, get, make } from "./api.js";

export function startBundles(systems) {
  byId("system").append(...systems.map(system => make("option", { value: system.name }, `${system.name} (${system.source} to ${system.target})`)));
  byId("system").addEventListener("change", showCard);
  byId("rule-search").addEventListener("submit", event => { event.preventDefault(); search(); });
  document.addEventListener("newkey", showCard);
  showCard();
}

/** Numbers as people write them: single precision has digits that nobody gave. */
const plain = value => typeof value === "number" && !Number.isInteger(value) ? String(Number(value.toPrecision(6))) : String(value);

const facts = entries => make("dl", { class: "facts" }, ...entries.flatMap(([name, value]) => [make("dt", {}, name), make("dd", {}, plain(value))]));

/** Many facts, in columns. */
const columns = entries => make("dl", { class: "facts" }, ...entries.map(([name, value]) => make("div", {}, make("dt", {}, name), make("dd", {}, plain(value)))));

function table(columns, rows) {
  return make("table", {}, make("thead", {}, make("tr", {}, ...columns.map(name => make("th", { scope: "col" }, name)))),
    make("tbody", {}, ...rows.map(cells => make("tr", {}, ...cells.map(cell => make("td", {}, cell))))));
}

const box = (title, ...content) => make("div", {}, make("h2", {}, title), ...content);

/** Settings in a card may be nested. */
function flat(settings, prefix = "") {
  return Object.entries(settings).flatMap(([name, value]) => value !== null && typeof value === "object" && !Array.isArray(value)
    ? flat(value, `${prefix}${name}.`) : [[prefix + name, Array.isArray(value) ? value.map(one => typeof one === "object" ? JSON.stringify(one) : plain(one)).join(", ") : value]]);
}

const size = bytes => bytes < 1e6 ? `${(bytes / 1e3).toFixed(1)} kB` : `${(bytes / 1e6).toFixed(1)} MB`;

async function showCard() {
  byId("rules").hidden = true;
  byId("rules-status").textContent = "";
  try {
    const system = await get(`/systems/${encodeURIComponent(byId("system").value)}`);
    const { card } = system;
    const later = [];
    const boxes = [box("System", facts([["model", system.model], ["from", system.source], ["to", system.target], ["rules", system.rules.toLocaleString("en")], ...(card ? [["made", card.made], ["by treeglot", card.treeglot]] : [])]))];
    if (card && Object.keys(card.training).length) boxes.push(box("Training", facts(Object.entries(card.training))));
    if (card && Object.keys(card.tuning).length) boxes.push(box("Tuning", facts(Object.entries(card.tuning))));
    if (card && Object.keys(card.settings).length) {
      const settings = box("Settings", columns(flat(card.settings)));
      settings.classList.add("wide");
      later.push(settings);
    }
    boxes.push(box("Files", table(["file", "for", "size"], system.files.map(file => [file.name, file.role, size(file.bytes)]))));
    boxes.push(box("Weights", table(["feature", "weights"], Object.entries(system.weights).map(([name, values]) => [name, values.map(value => value.toFixed(4)).join("  ")]))));
    byId("card").replaceChildren(make("div", { class: "cards" }, ...boxes, ...later));
  } catch (problem) {
    byId("card").replaceChildren(make("p", { class: "problem", role: "alert" }, problem.message));
  }
}

async function search() {
  const words = byId("rule-words").value.trim(), status = byId("rules-status");
  if (!words) return;
  status.textContent = "Searching";
  try {
    const query = new URLSearchParams({ q: words, side: byId("rule-side").value, limit: "50" });
    const found = await get(`/systems/${encodeURIComponent(byId("system").value)}/rules?${query}`);
    const shown = found.rules.length < found.found ? `, the ${found.rules.length} most frequent are shown` : "";
    status.textContent = `${found.found.toLocaleString("en")} rules${shown}${found.complete ? "" : "; the search was ended before the whole table was seen"}`;
    const scores = found.scores[found.rules[0]?.table ?? 0] ?? [];
    byId("rules").hidden = !found.rules.length;
    byId("rules").replaceChildren(table(["source", "target", "seen", ...scores], found.rules.map(rule => [
      make("span", { class: "rule" }, rule.source), make("span", { class: "rule" }, rule.target), rule.count.toLocaleString("en"), ...rule.scores.map(score => score >= 1e-4 ? score.toFixed(4) : score.toExponential(1)),
    ])));
  } catch (problem) {
    status.textContent = problem.message;
  }
}
