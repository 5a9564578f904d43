// The first tab: text in, translations of several systems side by side while one types, words that can be pointed at.

import { byId, download, isRtl, make, post } from "./api.js";
import { explainSentence, inspect, shown } from "./explain.js";

/** How long one must not type before the text is translated, in milliseconds. */
const PAUSE = 250;

/** Texts of more characters are translated without explanations of all words: these come for the sentence that is chosen. */
const ALL_EXPLAINED = 3000;

let server;
let asking = new AbortController();
/** The answer of each system, by its name. */
let answers = new Map();
/** The system and sentence that are looked at. */
let chosen = { system: null, line: 0, sentence: 0 };
/** The position of the word that is pointed at, in the chosen sentence. */
let pointed = null;

export function startTranslating(about) {
  server = about;
  const name = new Map(about.languages.map(language => [language.code, language.name]));
  const option = code => make("option", { value: code }, name.get(code) ?? code);
  const sources = about.languages.filter(language => language.targets.length);
  byId("source").append(make("option", { value: "auto" }, "Find out the language"), ...sources.map(language => option(language.code)));
  byId("source").value = about.settings.language.source.code;
  fillTargets(about.settings.language.target.code, option);
  byId("source").addEventListener("change", () => { fillTargets(byId("target").value, option); fillChoice(); translateNow(); });
  byId("target").addEventListener("change", () => { fillChoice(); translateNow(); });
  byId("swap").addEventListener("click", swap);
  byId("text").addEventListener("input", translateSoon);
  byId("text").addEventListener("scroll", () => { byId("backdrop").scrollTop = byId("text").scrollTop; });
  byId("clear").addEventListener("click", () => { byId("text").value = ""; translateNow(); byId("text").focus(); });
  byId("file").addEventListener("change", translateFile);
  document.addEventListener("newkey", translateNow);
  document.addEventListener("keydown", event => { if (event.key === "Escape") point(null); });
  startCorrections();
  startRating();
  fillChoice();
  byId("text").value = sessionStorage.getItem("text") ?? "";
  translateNow();
}

function fillTargets(wanted, option) {
  const source = byId("source").value;
  const targets = new Set(server.languages.filter(language => source === "auto" || language.code === source).flatMap(language => language.targets));
  byId("target").replaceChildren(...[...targets].map(option));
  if (targets.has(wanted)) byId("target").value = wanted;
  byId("text").lang = source === "auto" ? "" : source;
}

/** The systems that translate between the languages that are chosen. */
function possible() {
  const [source, target] = [byId("source").value, byId("target").value];
  return server.systems.filter(system => (source === "auto" || system.source === source) && system.target === target);
}

/** Offers the systems for these languages, and all of them together where they are of one pair of languages. */
function fillChoice() {
  const systems = possible();
  const names = systems.map(system => system.name);
  const pairs = new Set(systems.map(system => system.source));
  if (names.length > 1 && names.length <= 4 && pairs.size === 1) names.push(names.join("+"));
  const box = (name, k) => make("label", {},
    make("input", { type: "checkbox", value: name, checked: k < 3 && !name.includes("+"), onchange: translateNow }),
    name.includes("+") ? "all together" : name);
  byId("choice").replaceChildren(...names.map(box));
  byId("choice").hidden = names.length < 2;
}

function chosenSystems() {
  const checked = [...byId("choice").querySelectorAll(":checked")].map(box => box.value);
  return checked.length ? checked : possible().slice(0, 1).map(system => system.name);
}

function swap() {
  const [source, target] = [byId("source"), byId("target")];
  if (source.value === "auto" || !server.languages.some(language => language.code === target.value && language.targets.includes(source.value))) return;
  const first = answers.values().next().value;
  const [from, to] = [source.value, target.value];
  source.value = to;
  source.dispatchEvent(new Event("change"));
  target.value = from;
  if (first) byId("text").value = first.lines.map(line => line.text).join("\n");
  target.dispatchEvent(new Event("change"));
}

let timer;
function translateSoon() {
  clearTimeout(timer);
  counted();
  unmark();
  for (const output of document.querySelectorAll(".output")) output.classList.add("waiting");
  timer = setTimeout(translateNow, PAUSE);
}

function counted() {
  const length = [...byId("text").value].length;
  byId("count").textContent = length ? `${length} of ${server.settings.charLimit} characters` : "";
  sessionStorage.setItem("text", byId("text").value);
}

/** Has the text translated by all chosen systems at once; what was asked before is no longer wanted. */
async function translateNow() {
  clearTimeout(timer);
  asking.abort();
  asking = new AbortController();
  const { signal } = asking;
  counted();
  pointed = null;
  inspect(null);
  unmark();
  const text = byId("text").value, systems = chosenSystems();
  answers = new Map([...answers].filter(([name]) => systems.includes(name)));
  if (!systems.includes(chosen.system)) chosen = { system: systems[0], line: 0, sentence: 0 };
  byId("problem").hidden = true;
  const sheets = new Map(systems.map(name => [name, sheet(name)]));
  byId("outputs").replaceChildren(...sheets.values());
  if (!text.trim()) {
    answers.clear();
    systems.forEach(name => show(name, sheets.get(name)));
    byId("why").replaceChildren();
    inspect(null);
    return;
  }
  await Promise.all(systems.map(name => translate(name, text, sheets.get(name), signal)));
}

async function translate(name, text, made, signal) {
  const ask = { q: text, source: byId("source").value, target: byId("target").value, system: name };
  if (ask.source === "auto") ask.source = server.systems.find(system => system.name === name.split("+")[0]).source;
  made.querySelector(".output").classList.add("waiting");
  try {
    const long = text.length > ALL_EXPLAINED;
    const answer = long ? whole(await post("/translate", ask, signal), ask) : await post("/explain", ask, signal);
    if (signal.aborted) return;
    answers.set(name, answer);
    show(name, made);
    if (name === chosen.system) choose(name, Math.min(chosen.line, answer.lines.length - 1), chosen.sentence, false);
  } catch (problem) {
    if (signal.aborted || problem.name === "AbortError") return;
    made.querySelector(".output").replaceChildren();
    made.querySelector(".output").classList.remove("waiting");
    byId("problem").textContent = problem.message;
    byId("problem").hidden = false;
  }
}

/** An answer without explanations in the shape of one with them. */
const whole = (answer, ask) => ({ ...ask, lines: answer.translatedText.split("\n").map(text => ({ text, sentences: [] })) });

/** The sheet of a system. */
function sheet(name) {
  const system = server.systems.find(one => one.name === name);
  const about = system ? `${system.model}, ${system.rules.toLocaleString("en")} rules` : "choose by agreement";
  const output = make("div", { class: "output", dir: "auto", role: "group", "aria-label": `Translation by ${name}` });
  output.addEventListener("keydown", event => move(event, output));
  output.addEventListener("pointerleave", () => { if (!output.contains(document.activeElement)) point(null); });
  const foot = make("div", { class: "sheet-foot" },
    make("button", { class: "quiet", onclick: event => copy(name, event.target) }, "Copy"),
    make("button", { class: "quiet", onclick: () => correct(name, made) }, "Correct"),
    make("button", { class: "quiet", onclick: () => choose(name, 0, 0, true) }, "Why?"),
    make("span", { class: "soft told", hidden: true }));
  const made = make("article", { class: "sheet", "data-system": name }, make("div", { class: "sheet-head" }, make("h2", {}, name.includes("+") ? "all together" : name), make("span", { class: "soft" }, about)), output, foot);
  return made;
}

/** Shows what a system answered, word by word. */
function show(name, made) {
  const output = made.querySelector(".output"), answer = answers.get(name);
  output.classList.remove("waiting");
  output.lang = byId("target").value;
  output.replaceChildren();
  showConfidence(answer, made);
  // Lines without text have no answer, but stay.
  let at = 0;
  byId("text").value.split("\n").forEach((line, k) => {
    if (k) output.append("\n");
    if (!line.trim() || !answer) return;
    const explained = answer.lines[answer.lines.length === byId("text").value.split("\n").length ? k : at];
    if (!explained) return;
    const number = at++;
    if (!explained.sentences.length) output.append(explained.text);
    explained.sentences.forEach((sentence, s) => {
      if (s) output.append(" ");
      output.append(sentenceElement(name, number, s, sentence));
    });
  });
  const first = output.querySelector(".word");
  if (first) first.tabIndex = 0;
}

function sentenceElement(name, line, number, sentence) {
  const best = sentence.best[0];
  const made = make("span", { class: "sentence", "data-line": line, "data-sentence": number });
  if (!best) return made;
  rate(made, sentence.confidence);
  for (const piece of pieces(best.text, best.explanation.words.map(word => word.word))) {
    if (piece.word === undefined) { made.append(piece.text); continue; }
    const about = best.explanation.words[piece.word];
    const unknown = ["unknown", "guess"].includes(best.explanation.rules[about.rule]?.kind);
    const look = () => { choose(name, line, number, false); point(piece.word); };
    made.append(make("span", {
      class: unknown ? "word unknown" : "word", role: "button", tabindex: "-1", "data-word": piece.word,
      onpointerenter: look, onfocus: look, onclick: look,
    }, piece.text));
  }
  return made;
}

/** Gives an element the colour of a confidence: from red and strong to green and faint, as in pages that are translated. */
export function rate(made, confidence) {
  if (typeof confidence !== "number") return made;
  const sure = Math.min(1, Math.max(0, (confidence - .35) / .4));
  made.classList.add("rated");
  made.title = `Confidence ${confidence.toFixed(2)}`;
  made.style.setProperty("--rated", `hsl(${Math.round(120 * sure)} 75% 45% / ${(.42 - .27 * sure).toFixed(2)})`);
  return made;
}

/** Tells how far the sentences of a translation can be trusted: from the one that can be trusted least to the one that can most. */
function showConfidence(answer, made) {
  const all = (answer?.lines ?? []).flatMap(line => line.sentences).map(sentence => sentence.confidence).filter(one => typeof one === "number").sort((a, b) => a - b);
  const told = made.querySelector(".told");
  told.hidden = !all.length;
  if (!all.length) return;
  byId("rate-box").hidden = false;
  const ends = all.at(-1) - all[0] < .005 ? [all[0]] : [all[0], all.at(-1)];
  told.replaceChildren("Confidence ", ...ends.flatMap((one, k) => [k ? " to " : "", rate(make("span"), one)]));
  told.querySelectorAll(".rated").forEach((one, k) => { one.textContent = ends[k].toFixed(2); });
}

/** Colours of confidence are shown or not, as the user left it. */
function startRating() {
  const colours = on => {
    document.body.classList.toggle("unrated", !on);
    byId("rate").checked = on;
    localStorage.setItem("unrated", on ? "" : "true");
  };
  byId("rate").addEventListener("change", event => colours(event.target.checked));
  colours(!localStorage.getItem("unrated"));
}

/** A text cut at its words, as far as they stand in it: words are those of the model, the text is what people read. */
export function pieces(text, words) {
  const lower = text.toLowerCase(), found = [];
  let at = 0;
  words.forEach((word, k) => {
    const start = lower.indexOf(word.toLowerCase(), at);
    if (start < 0 || start > at + 12) return;
    if (start > at) found.push({ text: text.slice(at, start) });
    at = start + word.length;
    found.push({ text: text.slice(start, at), word: k });
  });
  if (at < text.length) found.push({ text: text.slice(at) });
  return found;
}

/** Arrow keys go from word to word. */
function move(event, output) {
  const words = [...output.querySelectorAll(".word")], at = words.indexOf(document.activeElement);
  const rtl = isRtl(byId("target").value);
  const step = { ArrowRight: rtl ? -1 : 1, ArrowLeft: rtl ? 1 : -1, Home: -at, End: words.length - 1 - at }[event.key];
  if (step === undefined || at < 0) return;
  event.preventDefault();
  const next = words[Math.max(0, Math.min(words.length - 1, at + step))];
  words[at].tabIndex = -1;
  next.tabIndex = 0;
  next.focus();
}

/** Looks at a sentence of a system. */
function choose(system, line, sentence, scroll) {
  const same = chosen.system === system && chosen.line === line && chosen.sentence === sentence && byId("why").childElementCount;
  chosen = { system, line, sentence };
  for (const made of document.querySelectorAll(".sheet[data-system]")) {
    made.classList.toggle("chosen", made.dataset.system === system && answers.size > 1);
    for (const one of made.querySelectorAll(".sentence")) {
      const several = made.querySelectorAll(".sentence").length > 1;
      one.classList.toggle("chosen", several && made.dataset.system === system && Number(one.dataset.line) === line && Number(one.dataset.sentence) === sentence);
    }
  }
  const answer = answers.get(system);
  if (!answer || (same && !scroll)) return;
  const lines = byId("text").value.split("\n").filter(text => text.trim());
  explainSentence({ answer, line, sentence, text: lines[line], system, onPoint: point })
    .then(() => { if (scroll) byId("why").scrollIntoView({ behavior: "smooth", block: "start" }); });
}

/** Points at a word of the chosen sentence, or of the translation that is explained (`of`); at none for null, at the same as before
 *  for undefined. All that belongs to it is marked everywhere. */
function point(word = pointed, of = { sentence: answers.get(chosen.system)?.lines[chosen.line]?.sentences[chosen.sentence], rank: 0 }) {
  const best = of.sentence?.best[of.rank];
  const about = word === null ? null : best?.explanation.words[word];
  if (of.rank === 0) pointed = word;
  for (const made of document.querySelectorAll(".output .word")) {
    const { line, sentence } = made.closest(".sentence").dataset;
    const here = made.closest("[data-system]").dataset.system === chosen.system && Number(line) === chosen.line && Number(sentence) === chosen.sentence;
    made.classList.toggle("on", here && of.rank === 0 && Number(made.dataset.word) === word);
  }
  const rule = about ? best.explanation.rules[about.rule] : null;
  // The drawings may be those of another translation.
  const drawn = about && shown.rank === of.rank;
  Drawings.point(byId("why"), drawn ? { target: [word], source: about.source, rule: [about.rule], node: nodesOf(shown.sentence, rule) } : {});
  inspect(about ? { about, rule, sentence: of.sentence } : null);
  markSource(about ? of.sentence : null, about?.source ?? []);
}

/** The nodes of the source tree over just the words that a rule covers. */
function nodesOf(sentence, rule) {
  const tree = sentence.trees?.constituents;
  if (!tree) return [];
  const words = new Map();
  tree.leaves.forEach((leaf, w) => { for (let n = leaf; n >= 0; n = tree.parents[n]) words.set(n, [...(words.get(n) ?? []), w]); });
  return [...words].filter(([, below]) => below[0] === rule.span[0] && below.at(-1) === rule.span[1] - 1).map(([n]) => n);
}

/** Marks words of the text that was typed. */
function markSource(sentence, positions) {
  if (!sentence) { unmark(); return; }
  const text = byId("text").value;
  // Sentences stand one after the other: this one is looked for behind those before it.
  const before = answers.get(chosen.system).lines.slice(0, chosen.line + 1).flatMap((line, k) => k < chosen.line ? line.sentences : line.sentences.slice(0, chosen.sentence));
  let at = 0;
  const skip = words => pieces(text.slice(at), words).filter(piece => piece.word !== undefined).length;
  for (const one of before) if (skip(one.source)) at += pieces(text.slice(at), one.source).slice(0, -1).reduce((sum, piece) => sum + piece.text.length, 0);
  const parts = pieces(text.slice(at), sentence.source).map(piece => positions.includes(piece.word) ? make("mark", {}, piece.text) : piece.text);
  byId("backdrop").replaceChildren(text.slice(0, at), ...parts);
  byId("backdrop").dir = isRtl(byId("source").value) ? "rtl" : "auto";
  byId("backdrop").scrollTop = byId("text").scrollTop;
}

const unmark = () => byId("backdrop").replaceChildren();

async function copy(name, button) {
  await navigator.clipboard.writeText(answers.get(name)?.lines.map(line => line.text).join("\n") ?? "");
  button.textContent = "Copied";
  setTimeout(() => { button.textContent = "Copy"; }, 1500);
}

async function translateFile(event) {
  const [file] = event.target.files;
  event.target.value = "";
  if (!file) return;
  const form = new FormData();
  for (const [name, value] of [["file", file], ["source", byId("source").value], ["target", byId("target").value], ["system", chosenSystems()[0]]]) form.append(name, value);
  if (byId("source").value === "auto") form.delete("system");
  const status = byId("file-status");
  status.textContent = `${file.name} is being translated`;
  try {
    const { translatedFileUrl } = await post("/translate_file", form);
    // The address may be known under another name here than to the server.
    status.replaceChildren(make("a", { href: new URL(translatedFileUrl).pathname, download: true }, `Save the translation of ${file.name}`));
  } catch (problem) {
    status.textContent = problem.message;
  }
}

// Corrections: what a translation should have been.

const kept = () => JSON.parse(localStorage.getItem("corrections") ?? "[]");

function startCorrections() {
  const names = () => `corrections-${byId("source").value}-${byId("target").value}`;
  const lines = write => kept().map(write).join("\n") + "\n";
  const flat = text => text.replace(/[\t\n]+/g, " ");
  byId("download-jsonl").addEventListener("click", () => download(`${names()}.jsonl`, "application/jsonl", lines(one => JSON.stringify(one))));
  byId("download-tsv").addEventListener("click", () => download(`${names()}.tsv`, "text/tab-separated-values", lines(one => `${flat(one.text)}\t${flat(one.translation)}`)));
  byId("forget").addEventListener("click", () => { localStorage.removeItem("corrections"); listCorrections(); });
  listCorrections();
}

function listCorrections() {
  const all = kept();
  byId("corrections").hidden = all.length === 0;
  byId("corrected").replaceChildren(...all.map(one => make("li", {}, make("span", { dir: "auto" }, one.text), " → ", make("b", { dir: "auto" }, one.translation), make("span", { class: "soft" }, one.stored ? "stored on the server" : ""))));
}

/** Lets the user write what a translation should be. */
function correct(name, made) {
  const answer = answers.get(name), output = made.querySelector(".output");
  if (!answer || made.querySelector(".correction")) return;
  const now = answer.lines.map(line => line.text).join("\n");
  const box = make("textarea", { class: "correction", rows: 3, dir: "auto", lang: byId("target").value, "aria-label": `What it should be instead of the translation by ${name}` });
  box.value = now;
  const end = () => { box.remove(); save.remove(); stop.remove(); output.hidden = false; };
  const save = make("button", { onclick: async () => { end(); if (box.value.trim() && box.value !== now) await keep(name, answer, box.value); } }, "Save");
  const stop = make("button", { class: "quiet", onclick: end }, "Cancel");
  output.hidden = true;
  output.after(box);
  made.querySelector(".sheet-foot").prepend(save, stop);
  box.focus();
}

async function keep(system, answer, translation) {
  const correction = { source: answer.source, target: answer.target, text: byId("text").value, translation, system };
  if (server.settings.suggestions) {
    try {
      await post("/suggest", { q: correction.text, s: translation, source: correction.source, target: correction.target, system });
      correction.stored = true;
    } catch (problem) {
      byId("problem").textContent = problem.message;
      byId("problem").hidden = false;
    }
  }
  localStorage.setItem("corrections", JSON.stringify([...kept(), correction]));
  listCorrections();
}
