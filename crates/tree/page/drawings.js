// Drawings of sentences: dependency trees, constituency trees, derivations, links, matrices of links, bars of features.
// Each is made from plain data and returned as an SVG element. A page embeds this file as it is.
//
// What can be pointed at carries what it stands for as data: data-source and data-target (positions of words), data-rule,
// data-node. `Drawings.point` marks everything of a page that stands for the same.
"use strict";
const Drawings = (() => {
  const LINE = 18, LEVEL = 38, STOREY = 24, GAP = 14, EDGE = 6;

  function element(name, attributes = {}, text) {
    const made = document.createElementNS("http://www.w3.org/2000/svg", name);
    for (const [key, value] of Object.entries(attributes)) if (value !== undefined) made.setAttribute(key, value);
    if (text !== undefined) made.textContent = text;
    return made;
  }

  const brush = document.createElement("canvas").getContext("2d");
  /** The width of a text in pixels. */
  function measure(text, size = 13) {
    brush.font = `${size}px system-ui, sans-serif`;
    return brush.measureText(text).width;
  }

  /** An empty picture of a size, with a description for those who cannot see it. */
  function picture(width, height, description) {
    const [w, h] = [Math.ceil(width) + 2 * EDGE, Math.ceil(height) + EDGE];
    const svg = element("svg", { width: w, height: h, viewBox: `0 0 ${w} ${h}`, role: "group", "aria-label": description });
    svg.append(element("title", {}, description));
    return svg;
  }

  const label = (x, y, text, kind, anchor = "middle") => element("text", { x: x.toFixed(1), y: y.toFixed(1), "text-anchor": anchor, class: kind }, text);

  /** A group that stands for something; `data` has what. */
  function group(data = {}, kind = "") {
    const made = element("g", { class: kind });
    for (const [key, value] of Object.entries(data)) if (value !== undefined) made.dataset[key] = value;
    return made;
  }

  /** How wide each word must be so that the labels over it do not run into each other: the words below a node share what its
   *  label needs. */
  function labelRoom(tree) {
    const room = tree.words.map(() => 18);
    yields(tree).forEach((words, n) => {
      const share = (measure(tree.labels[n], 12) + 10 - (words.length - 1) * GAP) / words.length;
      words.forEach(word => { room[word] = Math.max(room[word], share); });
    });
    return room;
  }

  /** Words side by side, at least so wide, all or each: their middles, and the width of the row. From right to left if asked. */
  function row(words, least, rtl, more = []) {
    let x = EDGE;
    const middles = words.map((word, k) => {
      const width = Math.max(measure(word), more[k] ? measure(more[k], 11) : 0, least[k] ?? least);
      const middle = x + width / 2;
      x += width + GAP;
      return middle;
    });
    return { middles: rtl ? middles.map(m => x - m) : middles, width: x };
  }

  /** A dependency tree: `heads[k]` is the position of the head of word k, null for a root; tags stand below the words. */
  function dependencies({ words, heads, labels = [], tags = [], side = "source", rtl = false }) {
    const arcs = heads.map((head, k) => [k, head]).filter(([, head]) => head !== null && head >= 0 && head < words.length);
    const { middles, width } = row(words, arcRoom(words, arcs, labels), rtl, tags);
    const levels = arcLevels(arcs);
    const top = level => base - 8 - level * STOREY;
    const base = Math.max(1, ...levels) * STOREY + 26;
    const svg = picture(width, base + (tags.length ? 2 : 1) * LINE + 4, `dependency tree of: ${words.join(" ")}`);
    arcs.forEach(([k, head], number) => {
      const made = group({ [side]: k });
      const [from, to, y] = [middles[head] + (middles[k] < middles[head] ? -5 : 5), middles[k], top(levels[number])];
      const turn = Math.min(8, Math.abs(to - from) / 2) * Math.sign(to - from);
      made.append(element("path", { class: "arc", d: `M${from} ${base} V${y + 8} Q${from} ${y} ${from + turn} ${y} H${to - turn} Q${to} ${y} ${to} ${y + 8} V${base}` }),
        element("path", { class: "tip", d: `M${to} ${base} l-3.5 -7 l7 0 z` }),
        label((from + to) / 2, y - 4, labels[k] ?? "", "label"));
      svg.append(made);
    });
    words.forEach((word, k) => {
      const made = group({ [side]: k });
      if (heads[k] === null || heads[k] === undefined || heads[k] < 0) {
        made.append(element("line", { class: "arc", x1: middles[k], y1: 8, x2: middles[k], y2: base }),
          element("path", { class: "tip", d: `M${middles[k]} ${base} l-3.5 -7 l7 0 z` }));
      }
      made.append(label(middles[k], base + LINE, word, "word"));
      if (tags[k]) made.append(label(middles[k], base + 2 * LINE, tags[k], "small"));
      svg.append(made);
    });
    return svg;
  }

  /** How wide each word must be so that the label of an arc fits between its ends, and none runs into the next: the words that the
   *  arc goes over share what is missing. */
  function arcRoom(words, arcs, labels) {
    const room = words.map(word => Math.max(40, measure(word)));
    const ends = arcs.map(([k, head]) => [Math.min(k, head), Math.max(k, head), measure(labels[k] ?? "", 12) + 16]);
    for (const [left, right, wanted] of ends.sort((a, b) => (a[1] - a[0]) - (b[1] - b[0]))) {
      let has = (right - left) * GAP + (room[left] + room[right]) / 2;
      for (let k = left + 1; k < right; k++) has += room[k];
      const more = (wanted - has) / (right - left);
      if (more > 0) for (let k = left; k <= right; k++) room[k] += more;
    }
    return room;
  }

  /** How high arcs go, so that one that spans others goes over them: its storey, from 1. */
  function arcLevels(arcs) {
    const ends = arcs.map(([k, head]) => [Math.min(k, head), Math.max(k, head)]);
    const order = arcs.map((_, n) => n).sort((a, b) => (ends[a][1] - ends[a][0]) - (ends[b][1] - ends[b][0]));
    const levels = arcs.map(() => 0);
    for (const n of order) {
      const under = order.filter(m => levels[m] && ends[m][0] < ends[n][1] && ends[n][0] < ends[m][1]);
      levels[n] = 1 + Math.max(0, ...under.map(m => levels[m]));
    }
    return levels;
  }

  /** A tree over words, from the top down: `labels` and `parents` by node in pre-order (-1 for the root), `leaves` by word the
   *  node it hangs from. Words stand in their order, so branches of discontinuous constituents cross. A click folds a node. */
  function constituents(tree) {
    // What is large starts folded; whenever a node is folded or unfolded, the tree is drawn anew.
    const folded = new Set(foldedAtFirst(tree));
    const redraw = old => {
      const svg = drawWordTree(tree, folded, node => {
        if (!folded.delete(node)) folded.add(node);
        redraw(svg).querySelector(`[data-node="${node}"]`)?.focus();
      });
      old?.replaceWith(svg);
      return svg;
    };
    return redraw();
  }

  function drawWordTree(tree, folded, toggle) {
    const shown = foldTree(tree, folded);
    const place = wordTreeLayout(shown, tree.rtl);
    const bottom = place.height * LEVEL;
    const svg = picture(place.width, bottom + 8, `constituency tree of: ${tree.words.join(" ")}`);
    const y = n => 18 + place.depth[n] * LEVEL;
    branches(svg, shown, place, y, false);
    svg.append(...wordTreeNodes(shown, place, y, bottom - 8, { side: tree.side ?? "source", toggle }));
    return svg;
  }

  /** The words below each node, by their positions. */
  function yields(tree) {
    const below = tree.parents.map(() => []);
    tree.leaves.forEach((node, word) => { for (let n = node; n >= 0; n = tree.parents[n]) below[n].push(word); });
    return below;
  }

  /** Constituents of middling size, where a tree is too wide to be looked at as a whole. */
  function foldedAtFirst(tree) {
    if (tree.words.length <= 30) return [];
    const below = yields(tree), folded = [];
    const inside = tree.parents.map(() => false);
    tree.parents.forEach((parent, n) => {
      inside[n] = parent >= 0 && (inside[parent] || folded.includes(parent));
      const words = below[n], joined = words.length && words.at(-1) - words[0] + 1 === words.length;
      if (!inside[n] && parent >= 0 && joined && words.length >= 3 && words.length <= 12) folded.push(n);
    });
    return folded;
  }

  /** The tree with folded nodes as leaves, whose words are one. `numbers` are those of the whole tree. */
  function foldTree(tree, folded) {
    const below = yields(tree), keep = [], numbers = [], map = new Map();
    tree.parents.forEach((parent, n) => {
      const hidden = parent >= 0 && (!map.has(parent) || folded.has(parent));
      if (hidden) return;
      map.set(n, numbers.length);
      numbers.push(n);
      keep.push(n);
    });
    const shown = { labels: keep.map(n => tree.labels[n]), parents: keep.map(n => map.get(tree.parents[n]) ?? -1), words: [], leaves: [], positions: [], numbers, folded };
    const done = new Set();
    tree.words.forEach((word, k) => {
      let node = tree.leaves[k];
      const top = keep.find(n => folded.has(n) && below[n].includes(k));
      if (top !== undefined) {
        if (done.has(top)) return;
        done.add(top);
        const words = below[top].map(w => tree.words[w]);
        shown.words.push(words.length > 2 ? `${words[0]} … ${words.at(-1)}` : words.join(" "));
        node = top;
        shown.positions.push(below[top]);
      } else {
        shown.words.push(word);
        shown.positions.push([k]);
      }
      shown.leaves.push(map.get(node));
    });
    return shown;
  }

  /** Where the nodes and words of a tree stand: middles of words and nodes, depths of nodes. */
  function wordTreeLayout(tree, rtl = false) {
    const depth = tree.parents.map(() => 0);
    tree.parents.forEach((parent, n) => { if (parent >= 0) depth[n] = depth[parent] + 1; });
    const { middles, width } = row(tree.words, labelRoom(tree), rtl);
    const ends = tree.parents.map(() => [Infinity, -Infinity]);
    const reach = (n, x) => { ends[n] = [Math.min(ends[n][0], x), Math.max(ends[n][1], x)]; };
    tree.leaves.forEach((leaf, w) => reach(leaf, middles[w]));
    const x = [];
    for (let n = tree.parents.length - 1; n >= 0; n--) {
      x[n] = (ends[n][0] + ends[n][1]) / 2;
      if (!Number.isFinite(x[n])) x[n] = EDGE;
      if (tree.parents[n] >= 0) reach(tree.parents[n], x[n]);
    }
    return { depth, x, middles, width, height: Math.max(0, ...depth) + 2 };
  }

  function branches(svg, tree, place, y, upwards) {
    tree.parents.forEach((parent, n) => {
      if (parent < 0) return;
      svg.append(element("line", { class: "branch", x1: place.x[parent], y1: y(parent) + (upwards ? -13 : 5), x2: place.x[n], y2: y(n) + (upwards ? 4 : -13) }));
    });
  }

  /** The nodes and words of a tree; words stand at `foot`, below or above. */
  function wordTreeNodes(tree, place, y, foot, { side, toggle, found = () => false, upwards = false, extra = () => ({}) }) {
    const nodes = tree.parents.map((parent, n) => {
      const number = tree.numbers ? tree.numbers[n] : n;
      const made = group({ node: number, nodeSide: side, ...extra(n) }, toggle ? "node fold" : "node");
      const width = measure(tree.labels[n], 12) + 8;
      made.append(element("rect", { class: "box", x: place.x[n] - width / 2, y: y(n) - 13, width, height: 17, rx: 4 }),
        label(place.x[n], y(n), tree.labels[n], "label" + (found(tree.labels[n]) ? " found" : "")));
      if (toggle) foldable(made, tree.labels[n], !tree.folded.has(number), () => toggle(number));
      return made;
    });
    const words = tree.words.map((word, w) => {
      const made = group({ [side]: (tree.positions?.[w] ?? [w]).join(" ") });
      const leaf = tree.leaves[w];
      const [from, to] = upwards ? [y(leaf) - 13, foot + 4] : [y(leaf) + 5, foot - 13];
      if (Math.abs(to - from) > 6 || place.middles[w] !== place.x[leaf]) made.append(element("line", { class: "branch", x1: place.x[leaf], y1: from, x2: place.middles[w], y2: to }));
      made.append(label(place.middles[w], foot, word, found(word) ? "found" : "word"));
      return made;
    });
    return [...words, ...nodes];
  }

  /** Makes a group something that keys and pointers fold. */
  function foldable(made, name, open, toggle) {
    made.setAttribute("role", "button");
    made.setAttribute("tabindex", "0");
    made.setAttribute("aria-expanded", String(open));
    made.setAttribute("aria-label", `${name}: ${open ? "fold" : "unfold"}`);
    made.addEventListener("click", toggle);
    made.addEventListener("keydown", event => {
      if (event.key === "Enter" || event.key === " ") { event.preventDefault(); toggle(); }
    });
  }

  /** What a rule is called in a drawing. */
  function ruleText(rule) {
    const name = rule.label ? `${rule.label}: ` : "";
    return ["rule", "unknown"].includes(rule.kind) ? `${name}${rule.source} → ${rule.target}` : name + rule.kind;
  }

  /** A derivation: rules, each with the rule whose variable it fills and the number of the variable. A click folds. */
  function derivation({ rules }) {
    const below = rules.map(() => []);
    const roots = [];
    rules.forEach((rule, k) => (rule.fills ? below[rule.fills[0]] : roots).push(k));
    below.forEach(children => children.sort((a, b) => rules[a].fills[1] - rules[b].fills[1]));
    const { children, merged } = mergeChains(rules, below);
    const folded = new Set();
    if (rules.length > 40) rules.forEach((rule, k) => { if (children[k].length && depthOf(rules, k) === 5) folded.add(k); });
    const redraw = old => {
      const svg = drawDerivation({ rules, below: children, merged, roots }, folded, k => {
        if (!folded.delete(k)) folded.add(k);
        redraw(svg).querySelector(`[data-rule="${merged[k].join(" ")}"]`)?.focus();
      });
      old?.replaceWith(svg);
      return svg;
    };
    return redraw();
  }

  /** Glue joins one piece after the other, each with all before it: shown as one node over all pieces. Which rules stand below
   *  each, and which rules each node stands for. */
  function mergeChains(rules, below) {
    const joins = kind => kind === "glue" || kind === "join";
    const chain = (above, under) => above === under ? joins(above) : (joins(above) && under === "begin") || (above === "end" && joins(under));
    const merged = rules.map((_, k) => [k]);
    const collect = (top, k) => below[k].flatMap(child => {
      if (!chain(rules[k].kind, rules[child].kind)) return [child];
      merged[top].push(child);
      return collect(top, child);
    });
    return { children: rules.map((_, k) => collect(k, k)), merged };
  }

  function depthOf(rules, k) {
    let depth = 0;
    for (let at = k; rules[at].fills; at = rules[at].fills[0]) depth++;
    return depth;
  }

  function drawDerivation({ rules, below, merged, roots }, folded, toggle) {
    const places = new Map();
    let height = 0;
    // A node is as wide as its own text or as all below it; it stands over the middle of these.
    const place = (k, left, depth) => {
      const text = (rules[k].kind === "end" && merged[k].length > 1 ? "sentence" : ruleText(rules[k])) + (folded.has(k) ? " …" : "");
      const own = measure(text, below[k].length ? 12 : 13) + GAP;
      let x = left;
      const middles = (folded.has(k) ? [] : below[k]).map(child => {
        const [middle, right] = place(child, x, depth + 1);
        x = right;
        return middle;
      });
      const least = left + own / 2 - GAP / 2;
      const middle = middles.length ? Math.max((middles[0] + middles.at(-1)) / 2, least) : least;
      places.set(k, { x: middle, y: 18 + depth * LEVEL, middles, own, text });
      height = Math.max(height, 18 + depth * LEVEL);
      return [middle, Math.max(x, middle + own / 2, left + own)];
    };
    let width = EDGE;
    for (const root of roots) width = place(root, width, 0)[1];
    const svg = picture(width, height + 8, "derivation: the rules that made the translation");
    for (const { x, y, middles } of places.values()) for (const middle of middles) svg.append(element("line", { class: "branch", x1: x, y1: y + 5, x2: middle, y2: y + LEVEL - 13 }));
    for (const [k, { x, y, own, text }] of places) {
      const inner = below[k].length > 0;
      const made = group({ rule: merged[k].join(" ") }, inner ? "fold" : "");
      made.append(element("rect", { class: "box", x: x - own / 2 + 4, y: y - 13, width: own - 8, height: 17, rx: 4 }), label(x, y, text, inner ? "label" : "word"));
      made.append(element("title", {}, `${rules[k].kind}, score ${Number(rules[k].score).toFixed(3)}`));
      if (inner) foldable(made, text, !folded.has(k), () => toggle(k));
      svg.append(made);
    }
    return svg;
  }

  /** Links between two rows of words, by positions. */
  function links({ source, target, links: all, rtl = [false, false] }) {
    const rows = [row(source, 16, rtl[0]), row(target, 16, rtl[1])];
    const [top, bottom] = [LINE + 6, LINE + 64];
    const svg = picture(Math.max(rows[0].width, rows[1].width), bottom + LINE + 4, `links between: ${source.join(" ")} / ${target.join(" ")}`);
    for (const [s, t] of all) {
      if (rows[0].middles[s] === undefined || rows[1].middles[t] === undefined) continue;
      const line = element("line", { class: "link", x1: rows[0].middles[s], y1: top, x2: rows[1].middles[t], y2: bottom });
      line.dataset.link = `${s} ${t}`;
      svg.append(line);
    }
    [[source, "source", LINE], [target, "target", bottom + LINE]].forEach(([words, side, y], k) => words.forEach((word, w) => {
      const made = group({ [side]: w });
      made.append(label(rows[k].middles[w], y, word, "word"));
      svg.append(made);
    }));
    return svg;
  }

  /** A matrix with a row for each target word, a column for each source word, and a mark for each link. */
  function matrix({ source, target, links: all, rtl = [false, false] }) {
    const SIZE = 22;
    const left = Math.max(0, ...target.map(word => measure(word))) + 12;
    const top = Math.max(0, ...source.map(word => measure(word))) * .75 + 18;
    const column = s => left + (rtl[0] ? source.length - 1 - s : s) * SIZE;
    const tail = Math.max(0, ...source.map(word => measure(word))) * .75;
    const svg = picture(left + source.length * SIZE + tail, top + target.length * SIZE, `matrix of links: ${all.map(([s, t]) => `${source[s]}–${target[t]}`).join(", ")}`);
    source.forEach((word, s) => {
      const made = group({ source: s });
      const [x, y] = [column(s) + SIZE / 2 + 4, top - 6];
      const text = label(x, y, word, "word", "start");
      text.setAttribute("transform", `rotate(-48 ${x} ${y})`);
      made.append(text);
      svg.append(made);
    });
    target.forEach((word, t) => {
      const made = group({ target: t });
      made.append(label(left - 6, top + t * SIZE + 15, word, "word", "end"));
      svg.append(made);
      source.forEach((_, s) => svg.append(element("rect", { class: "field", x: column(s), y: top + t * SIZE, width: SIZE, height: SIZE })));
    });
    for (const [s, t] of all) {
      const cell = element("rect", { class: "cell", x: column(s) + 3, y: top + t * SIZE + 3, width: SIZE - 6, height: SIZE - 6, rx: 3 });
      cell.dataset.link = `${s} ${t}`;
      cell.append(element("title", {}, `${source[s]} – ${target[t]}`));
      svg.append(cell);
    }
    return svg;
  }

  /** Bars to the left and right of zero: names with values. */
  function bars({ values, most }) {
    const ROW = 20, HALF = 110;
    const left = Math.max(0, ...values.map(([name]) => measure(name, 12))) + 10;
    const scale = most ?? Math.max(1e-9, ...values.map(([, value]) => Math.abs(value)));
    const svg = picture(left + 2 * HALF + 60, values.length * ROW + 4, `features: ${values.map(([name, value]) => `${name} ${value.toFixed(2)}`).join(", ")}`);
    values.forEach(([name, value], k) => {
      const y = k * ROW + 15, width = Math.min(1, Math.abs(value) / scale) * HALF, zero = left + HALF;
      svg.append(label(left - 6, y, name, "small", "end"),
        element("rect", { class: value < 0 ? "negative" : "positive", x: value < 0 ? zero - width : zero, y: y - 10, width, height: 12, rx: 2 }),
        label(left + 2 * HALF + 6, y, value.toFixed(2), "small", "start"));
    });
    svg.append(element("line", { class: "grid", x1: left + HALF, y1: 0, x2: left + HALF, y2: values.length * ROW }));
    return svg;
  }

  /** Two trees over each other with links between their nodes: `links` are pairs of node numbers, each with classes of its own if
   *  need be. `choose` is called with a side and a node, `pick` with a link that is clicked. */
  function pair({ source, target, links: all, terms = [], choose, pick }) {
    const BETWEEN = 150;
    const found = text => terms.some(term => text.toLowerCase().includes(term));
    const [above, below] = [wordTreeLayout(source), wordTreeLayout(target)];
    const base = above.height * LEVEL, foot = base + BETWEEN;
    const ys = n => 18 + above.depth[n] * LEVEL;
    const yt = n => foot + (below.height - below.depth[n]) * LEVEL;
    const svg = picture(Math.max(above.width, below.width), foot + below.height * LEVEL + 20, "aligned trees");
    // The link of a node over one word ends at the word, so that it does not run through it.
    const end = (tree, place, n, y, foot, by) => {
      const word = tree.leaves.indexOf(n);
      return word >= 0 && tree.leaves.lastIndexOf(n) === word ? [place.middles[word], foot + by] : [place.x[n], y(n) + by];
    };
    const lines = all.map(([s, t, kinds = ""]) => {
      const [[x1, y1], [x2, y2]] = [end(source, above, s, ys, base - 8, 6), end(target, below, t, yt, foot + 16, -15)];
      const d = `M${x1} ${y1} C${x1} ${y1 + 70} ${x2} ${y2 - 70} ${x2} ${y2}`;
      const made = group({ link: `${s} ${t}` }), line = element("path", { class: `link ${kinds}`.trim(), d });
      made.append(line, element("path", { class: "grip", d }));
      if (pick) made.addEventListener("click", () => pick([s, t]));
      svg.append(made);
      return line;
    });
    branches(svg, source, above, ys, false);
    branches(svg, target, below, yt, true);
    const nodes = [
      wordTreeNodes(source, above, ys, base - 8, { side: "source", found }),
      wordTreeNodes(target, below, yt, foot + 16, { side: "target", found, upwards: true }),
    ];
    nodes.forEach(side => svg.append(...side));
    const node = (side, tree, n) => nodes[side][tree.words.length + n];
    if (choose) [source, target].forEach((tree, side) => tree.labels.forEach((name, n) => choosable(node(side, tree, n), name, () => choose(SIDES[side], n))));
    all.forEach(([s, t], k) => {
      const ends = [lines[k], node(0, source, s), node(1, target, t)];
      const mark = on => { svg.classList.toggle("pointed", on); ends.forEach(end => end.classList.toggle("on", on)); };
      [lines[k].parentNode, ...ends.slice(1)].forEach(end => { end.addEventListener("pointerenter", () => mark(true)); end.addEventListener("pointerleave", () => mark(false)); });
    });
    return svg;
  }

  const SIDES = ["source", "target"];

  /** Makes a node something that keys and pointers choose. */
  function choosable(made, name, choose) {
    made.setAttribute("role", "button");
    made.setAttribute("tabindex", "0");
    made.setAttribute("aria-label", name);
    made.addEventListener("click", choose);
    made.addEventListener("keydown", event => {
      if (event.key === "Enter" || event.key === " ") { event.preventDefault(); choose(); }
    });
  }

  const KINDS = { dependencies, constituents, derivation, links, matrix, bars, pair };

  /** Draws data of any kind. */
  const draw = data => KINDS[data.kind](data);

  /** Puts drawings in the place of their data, which stand in a page as scripts of JSON with the class `drawing`;
   *  those inside of closed parts of the page when these are opened. */
  function drawAll(root) {
    for (const details of root.querySelectorAll("details")) {
      details.addEventListener("toggle", () => { if (details.open) drawAll(details); }, { once: true });
    }
    for (const script of root.querySelectorAll("script.drawing")) {
      const closed = script.closest("details:not([open])");
      if (closed && closed !== root) continue;
      const svg = draw(JSON.parse(script.textContent)), figure = script.parentElement;
      script.replaceWith(svg);
      // What does not fit beside another has the whole width.
      figure.classList.toggle("wide", figure.scrollWidth > figure.clientWidth);
    }
  }

  /** Marks all below `root` that stands for something of `what`: `{ source: [..], target: [..], rule: [..], node: [..] }`. */
  function point(root, what) {
    const sets = Object.fromEntries(Object.entries(what).map(([key, values]) => [key, new Set(values.map(String))]));
    for (const svg of root.querySelectorAll("svg")) svg.classList.toggle("pointed", Object.values(sets).some(set => set.size > 0));
    for (const part of root.querySelectorAll("[data-source], [data-target], [data-rule], [data-node]")) {
      const stands = key => part.dataset[key] !== undefined && part.dataset[key].split(" ").some(value => sets[key]?.has(value));
      part.classList.toggle("on", stands("source") || stands("target") || stands("rule") || (stands("node") && part.dataset.nodeSide !== "target"));
    }
    for (const part of root.querySelectorAll("[data-link]")) {
      const [s, t] = part.dataset.link.split(" ");
      part.classList.toggle("on", Boolean(sets.target?.has(t) && (!sets.source?.size || sets.source.has(s))));
    }
  }

  return { ...KINDS, draw, drawAll, point, ruleText };
})();
