// Why a translation is as it is: links, derivation, trees and other translations of one sentence, and the word pointed at.

import { byId, isRtl, make, post } from "./api.js";

/** How many other translations are shown. */
const OTHERS = 9;

let newest = 0;

/** The sentence that is shown, and which of its translations. */
export let shown = { sentence: null, rank: 0 };

/** Shows all that is known of a sentence. Other translations are asked for, for this sentence alone. */
export async function explainSentence({ answer, line, sentence: number, text, system, onPoint }) {
  const mine = ++newest;
  let sentence = answer.lines[line]?.sentences[number];
  const alone = sentence ? sentence.source.join(" ") : text;
  if (!sentence && !alone) return;
  if (sentence) showSentence(answer, sentence, 0, onPoint, mine);
  const single = answer.lines.length === 1 && answer.lines[0].sentences.length === 1;
  try {
    const more = await post("/explain", { q: single ? text : rawSentence(text, answer.lines[line], number), source: answer.source, target: answer.target, system, alternatives: OTHERS });
    if (mine !== newest) return;
    const found = more.lines[0]?.sentences[0];
    // Cut out of its text, a sentence may be translated otherwise; then what was shown stays.
    if (found && (!sentence || found.best[0]?.text === sentence.best[0]?.text)) showSentence(more, found, 0, onPoint, mine);
  } catch { /* What is shown already stays. */ }
}

/** The text of a sentence, found by its words. */
function rawSentence(text, line, number) {
  const lower = text.toLowerCase();
  let at = 0, start = 0;
  for (let s = 0; s <= number; s++) {
    start = -1;
    for (const word of line.sentences[s]?.source ?? []) {
      const found = lower.indexOf(word.toLowerCase(), at);
      if (found < 0) continue;
      if (start < 0) start = found;
      at = found + word.length;
    }
  }
  return start < 0 ? text : text.slice(start, at);
}

function panel(title, open, wide, ...content) {
  return make("details", { class: wide ? "panel wide" : "panel", open }, make("summary", {}, title), ...content);
}

const scroll = drawing => make("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": drawing.getAttribute("aria-label") }, drawing);

function showSentence(answer, sentence, rank, onPoint, mine) {
  const best = sentence.best[rank];
  if (!best?.explanation || mine !== newest) return;
  const { words, rules } = best.explanation;
  const target = words.map(word => word.word);
  const links = words.flatMap((word, t) => word.source.map(s => [s, t]));
  const rtl = [isRtl(answer.source), isRtl(answer.target)];
  const open = name => byId("why").querySelector(`details[data-name=${name}]`)?.open;
  const panels = [
    ["links", panel("Links", open("links") ?? true, false, scroll(Drawings.links({ source: sentence.source, target, links, rtl })), scroll(Drawings.matrix({ source: sentence.source, target, links, rtl })))],
    ["kbest", panel("Other translations", open("kbest") ?? true, false, kbest(answer, sentence, rank, onPoint, mine))],
    ["derivation", panel("Derivation", open("derivation") ?? true, true, scroll(Drawings.derivation({ rules })))],
    ["trees", panel("Trees", open("trees") ?? true, true, ...trees(sentence, best, target, rtl))],
  ];
  byId("why").replaceChildren(...panels.map(([name, made]) => { made.dataset.name = name; return made; }));
  shown = { sentence, rank };
  pointBack(words, onPoint);
  // What was pointed at before still is; another translation has other words.
  onPoint(undefined);
}

/** The trees there are: of the source as parsed, of the target as its rules built it. */
function trees(sentence, best, target, rtl) {
  const drawn = [];
  const add = (title, drawing) => drawn.push(make("h3", {}, title), scroll(drawing));
  const { dependencies, constituents } = sentence.trees ?? {};
  if (dependencies) add("Source: dependencies", Drawings.dependencies({ ...dependencies, rtl: rtl[0] }));
  if (constituents) add("Source: constituents", Drawings.constituents({ ...constituents, rtl: rtl[0] }));
  if (best.heads?.length) add("Target: dependencies, from the heads of the rules", Drawings.dependencies({ words: target, heads: best.heads.map(head => head > 0 ? head - 1 : null), side: "target", rtl: rtl[1] }));
  if (!drawn.length) drawn.push(make("p", { class: "soft" }, "This system works without trees. Models such as dep2str and cons2str read trees of the source, str2dep builds one of the target."));
  return drawn;
}

/** Pointing at a word in a drawing is pointing at it in the text. */
function pointBack(words, onPoint) {
  for (const part of byId("why").querySelectorAll("[data-target], [data-source], [data-rule]")) {
    const { target, source, rule } = part.dataset;
    const numbers = (target ?? source ?? rule).split(" ").map(Number);
    const word = target !== undefined ? numbers[0] : words.findIndex(one => source !== undefined ? one.source.includes(numbers[0]) : numbers.includes(one.rule));
    if (word >= 0) part.addEventListener("pointerenter", () => onPoint(word, shown));
  }
}

/** What each feature adds to the score: its values times their weights. */
function contributions(hypothesis, weights) {
  return Object.entries(hypothesis.features).map(([name, values]) => {
    const all = [values].flat();
    return [name, all.reduce((sum, value, k) => sum + value * ([weights[name]].flat()[k] ?? 0), 0)];
  });
}

const swatch = k => { const made = new DOMParser().parseFromString(`<svg xmlns="http://www.w3.org/2000/svg" width="10" height="10" aria-hidden="true"><rect class="c${k % 12}" width="10" height="10" rx="2"/></svg>`, "image/svg+xml").documentElement; return document.adoptNode(made); };

/** The best translations with what each feature adds to their scores. */
function kbest(answer, sentence, rank, onPoint, mine) {
  const all = sentence.best.map(one => contributions(one, answer.weights));
  const names = all[0].map(([name]) => name);
  const most = Math.max(1e-9, ...all.map(one => one.reduce((sum, [, value]) => sum + Math.abs(value), 0)));
  const rows = sentence.best.map((one, k) => make("tr", { "aria-selected": String(k === rank) },
    make("td", { dir: "auto" }, make("button", { "aria-label": `Explain: ${one.text}`, onclick: () => showSentence(answer, sentence, k, onPoint, mine) }, one.text), stack(all[k], most)),
    make("td", {}, one.score.toFixed(2))));
  return make("div", {},
    make("div", { class: "legend" }, ...names.map((name, k) => make("span", {}, swatch(k), name))),
    make("div", { class: "list", tabindex: "0", role: "region", "aria-label": "Other translations" }, make("table", { class: "kbest" }, make("thead", {}, make("tr", {}, make("th", {}, "Translation"), make("th", {}, "Score"))), make("tbody", {}, ...rows))),
    make("h3", {}, "What each feature adds to the score of this one"), scroll(Drawings.bars({ values: all[rank] })));
}

/** One bar of as many parts as there are features. */
function stack(values, most) {
  let x = 0;
  const parts = values.map(([name, value], k) => {
    const width = Math.abs(value) / most * 100;
    const part = `<rect class="c${k % 12}" x="${x.toFixed(2)}" width="${width.toFixed(2)}" height="12"><title>${name.replace(/[<&]/g, "")}: ${value.toFixed(2)}</title></rect>`;
    x += width;
    return part;
  });
  const svg = new DOMParser().parseFromString(`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 100 12" preserveAspectRatio="none" aria-hidden="true">${parts.join("")}</svg>`, "image/svg+xml").documentElement;
  return make("div", { class: "stack" }, document.adoptNode(svg));
}

const KINDS = { unknown: "a word that no rule has, copied", guess: "a word that no rule has, by known words that it is made of or is another form of", glue: "glue", join: "two neighbours side by side", "back-off": "rules of a simpler model", begin: "begin of the sentence", end: "end of the sentence" };

/** Tells all of the word that is pointed at; nothing if there is none. */
export function inspect(what) {
  if (!what) {
    const hint = "Point at a word of a translation, or go to it with the arrow keys, to see where it comes from.";
    byId("inspector").replaceChildren(...byId("why").childElementCount ? [make("span", { class: "soft" }, hint)] : []);
    return;
  }
  const { about, rule, sentence } = what;
  const source = about.source.map(at => sentence.source[at]).join(" ") || "no word of the text";
  const covered = sentence.source.slice(...rule.span).join(" ");
  const features = Object.entries(rule.features).map(([name, values]) => `${name} ${[values].flat().map(value => Number(value.toFixed(3))).join(" ")}`);
  byId("inspector").replaceChildren(...[
    make("span", { class: "pair" }, make("bdi", {}, about.word), " ← ", make("bdi", {}, source)),
    make("span", { class: "rule" }, make("bdi", {}, Drawings.ruleText(rule))),
    make("span", {}, make("span", { class: "soft" }, "adds "), rule.score.toFixed(3), make("span", { class: "soft" }, " to the score")),
    make("span", {}, make("span", { class: "soft" }, rule.label ? `${rule.label} over ` : "over "), make("bdi", {}, `“${covered}”`)),
    KINDS[rule.kind] ? make("span", { class: "soft" }, KINDS[rule.kind]) : null,
    make("span", { class: "soft" }, features.join(" · ")),
  ].filter(Boolean));
}
