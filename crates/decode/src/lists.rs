//! Rule lists ready for the search: all rules of one source side, each with its score outside of stateful features and
//! with its target side looked up, best first and cut to the table limit. Lists of tables are kept from one sentence to
//! the next.

use crate::derivation::Applied;
use crate::features::{Features, Item, RuleView, Stateful, affiliate, translated};
use crate::guide::{GivenWords, Guide};
use crate::vocab::SentenceVocab;
use rustc_hash::FxHashMap;
use std::ops::Range;
use treeglot_grammar::{Kind, RuleId, RuleLink, Symbol, Table, TrieNode};
use treeglot_models::{Edge, Estimates, Forest, RuleList};

/// How many symbols of target sides are kept before all lists are forgotten: a bound on memory.
const KEPT: usize = 8 << 20;

/// A rule of a list.
#[derive(Debug, Clone, Copy)]
pub struct Ranked {
    /// Its number in the table; of rules of no table, which of several.
    pub rule: u32,
    /// The weighted sum of its features but the stateful ones.
    pub score: f32,
    /// The same with what the stateful ones say of the target side by itself: what lists are ordered by.
    pub estimate: f32,
    items: u32,
    length: u32,
}

/// All lists that were looked up, in one arena; owned by a thread.
pub struct Lists<W> {
    found: FxHashMap<(u32, TrieNode), u32>,
    ends: Vec<u32>,
    rules: Vec<Ranked>,
    items: Vec<Item<W>>,
    /// How many lists, rules and items are of tables: the others are of one sentence only.
    kept: (usize, usize, usize),
    of_forest: Vec<u32>,
    parse_weight: f32,
    buffers: Buffers,
}

#[derive(Default)]
struct Buffers {
    words: Vec<Symbol>,
    target: Vec<Symbol>,
    links: Vec<RuleLink>,
    scores: Vec<f32>,
    order: Vec<(f32, u32)>,
    ranked: Vec<Ranked>,
    affiliated: Vec<u8>,
}

impl<W: Copy> Lists<W> {
    /// Nothing is looked up yet.
    pub fn new() -> Self {
        Self {
            found: FxHashMap::default(),
            ends: Vec::new(),
            rules: Vec::new(),
            items: Vec::new(),
            kept: (0, 0, 0),
            of_forest: Vec::new(),
            parse_weight: 0.0,
            buffers: Buffers::default(),
        }
    }

    /// Looks up the lists of a forest.
    pub fn look_up<F: Stateful<Word = W>>(
        &mut self,
        forest: &Forest,
        source: &Source<'_, '_>,
        feature: &mut F,
    ) {
        let lists = forest.lists();
        self.parse_weight = source.features.parse_weight();
        self.of_forest.clear();
        for list in lists {
            let number = match *list {
                RuleList::Table { table, node } => self.of_table(table, node, source, feature),
                _ => u32::MAX,
            };
            self.of_forest.push(number);
        }
        self.kept = (self.ends.len(), self.rules.len(), self.items.len());
        for (at, list) in lists.iter().enumerate() {
            if self.of_forest[at] == u32::MAX {
                self.of_forest[at] = self.add_own(*list, source, feature);
            }
        }
    }

    /// Adds a list that is of one sentence only.
    fn add_own<F: Stateful<Word = W>>(
        &mut self,
        list: RuleList,
        source: &Source<'_, '_>,
        feature: &mut F,
    ) -> u32 {
        match list {
            RuleList::Containing { table, node, given } => {
                let given = Some(&source.guide.given[given as usize]);
                self.rules_of_table((table, node), given, source, feature)
            }
            RuleList::Given(number) => self.add_given(number, source, feature),
            _ => self.add_single(list, source, feature),
        }
    }

    /// The estimate of the best rule of a list.
    fn best_of<F: Stateful<Word = W>>(
        &mut self,
        list: RuleList,
        source: &Source<'_, '_>,
        feature: &mut F,
    ) -> f32 {
        let known = (self.ends.len(), self.rules.len(), self.items.len());
        match list {
            RuleList::Table { table, node } => {
                let list = self.of_table(table, node, source, feature);
                self.best_of_list(list)
            }
            _ => {
                let list = self.add_own(list, source, feature);
                let best = self.best_of_list(list);
                self.truncate(known);
                best
            }
        }
    }

    /// The rules of a list of the forest.
    pub fn rules(&self, list: u32) -> &[Ranked] {
        let Range { start, end } = self.range(list);
        &self.rules[start as usize..end as usize]
    }

    /// The numbers of the rules of a list of the forest.
    #[inline]
    pub fn range(&self, list: u32) -> Range<u32> {
        let number = self.of_forest[list as usize] as usize;
        let start = number.checked_sub(1).map_or(0, |before| self.ends[before]);
        start..self.ends[number]
    }

    /// A rule by number.
    #[inline]
    pub fn rule(&self, number: u32) -> &Ranked {
        &self.rules[number as usize]
    }

    /// What a hyperarc's share of the parses scores.
    #[inline]
    pub fn parse_score(&self, edge: &Edge) -> f32 {
        self.parse_weight * edge.parse
    }

    /// The target side of a rule.
    #[inline]
    pub fn target(&self, rule: &Ranked) -> &[Item<W>] {
        &self.items[rule.items as usize..(rule.items + rule.length) as usize]
    }

    fn best_of_list(&self, number: u32) -> f32 {
        let start = (number as usize).checked_sub(1).map_or(0, |before| self.ends[before]);
        let rules = &self.rules[start as usize..self.ends[number as usize] as usize];
        rules.first().map_or(f32::NEG_INFINITY, |best| best.estimate)
    }

    fn truncate(&mut self, (lists, rules, items): (usize, usize, usize)) {
        self.ends.truncate(lists);
        self.rules.truncate(rules);
        self.items.truncate(items);
    }

    /// Forgets what is of one sentence only; everything, if there is much.
    pub fn forget(&mut self) {
        let (lists, rules, items) = if self.items.len() > KEPT { (0, 0, 0) } else { self.kept };
        if lists == 0 {
            self.found.clear();
        }
        self.truncate((lists, rules, items));
    }

    /// The list at a node of a table's trie, which is kept from then on.
    fn of_table<F: Stateful<Word = W>>(
        &mut self,
        number: u32,
        node: TrieNode,
        source: &Source<'_, '_>,
        feature: &mut F,
    ) -> u32 {
        if let Some(&known) = self.found.get(&(number, node)) {
            return known;
        }
        let list = self.rules_of_table((number, node), None, source, feature);
        self.found.insert((number, node), list);
        list
    }

    /// Ranks the rules of a table, which are list `at` of the forest; if something is given, those that have it in their target side.
    fn rules_of_table<F: Stateful<Word = W>>(
        &mut self,
        (number, node): (u32, TrieNode),
        given: Option<&GivenWords>,
        source: &Source<'_, '_>,
        feature: &mut F,
    ) -> u32 {
        let table = source.tables[number as usize];
        let first_item = self.items.len();
        let Buffers { words, target, links, scores, order, ranked, affiliated } = &mut self.buffers;
        words.clear();
        if source.features.reads_source() {
            source.source_side(number, node, words);
        }
        let weights = &source.features.weights()[source.features.table(number)];
        order.clear();
        ranked.clear();
        for rule in table.rules(node) {
            table.target(rule, node.variables(), target);
            table.scores(rule, scores);
            for symbol in target.iter_mut() {
                *symbol = symbol.map(|word| source.vocab.of_table(number as usize, word));
            }
            let text = |symbol: &Symbol| match symbol.kind() {
                Kind::Word(word) => source.vocab.text(word),
                _ => "",
            };
            if given.is_some_and(|given| !given.is_within(target.iter().map(text), source.vocab)) {
                continue;
            }
            if source.features.reads_links() || F::PLACED {
                table.links(rule, links);
            }
            if F::PLACED {
                affiliate(target, links, affiliated);
            }
            let own: f32 = scores.iter().zip(weights).map(|(score, weight)| score * weight).sum();
            let applied = Applied::Rule { table: number, rule: rule.0 };
            let score =
                source.features.weigh(own, &RuleView { applied, source: words, target, links, parse: 0.0 });
            let items = self.items.len() as u32;
            self.items.extend(target.iter().enumerate().filter_map(|(at, symbol)| match symbol.kind() {
                Kind::Word(word) => {
                    let affiliated = affiliated.get(at).copied().unwrap_or(0);
                    Some(Item::Word(feature.word(word, affiliated, source.vocab)))
                }
                Kind::Ref(k) => Some(Item::Tail(k)),
                Kind::Mark(head) => Some(Item::Head(head)),
                _ => None,
            }));
            if F::PLACED {
                let items = &mut self.items;
                translated(target, links, |symbol, linked| {
                    items.extend(feature.source(linked, symbol, source.vocab).map(Item::Source));
                });
            }
            let length = self.items.len() as u32 - items;
            let estimate = score + feature.estimate(self.items[items as usize..].iter().copied());
            order.push((estimate, ranked.len() as u32));
            ranked.push(Ranked { rule: rule.0, score, estimate, items, length });
        }
        order.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
        order.truncate(source.table_limit);
        if let Some(&(best, _)) = order.first() {
            order.retain(|&(estimate, _)| estimate >= best - source.rule_threshold);
        }
        self.rules.extend(order.iter().map(|&(_, at)| ranked[at as usize]));
        self.pack(first_item);
        self.finish_list()
    }

    /// Adds the choices of a given translation, the best first.
    fn add_given<F: Stateful<Word = W>>(
        &mut self,
        number: u32,
        source: &Source<'_, '_>,
        feature: &mut F,
    ) -> u32 {
        let first = self.rules.len();
        for (choice, (words, log_prob)) in (0..).zip(&source.guide.given[number as usize].choices) {
            let items = self.items.len();
            self.items.extend(words.iter().map(|&word| Item::Word(feature.word(word, 0, source.vocab))));
            let target: Vec<Symbol> = words.iter().map(|&word| Symbol::word(word)).collect();
            let applied = source.applied(RuleList::Given(number), choice);
            let view = RuleView { applied, source: &[], target: &target, links: &[], parse: 0.0 };
            let score = source.features.weigh_given(*log_prob, &view);
            self.push_rule(choice, score, items, feature);
        }
        self.rules[first..].sort_by(|a, b| b.estimate.total_cmp(&a.estimate).then(a.rule.cmp(&b.rule)));
        self.finish_list()
    }

    /// Drops the target sides of rules beyond the table limit.
    fn pack(&mut self, first_item: usize) {
        let first_rule = self.ends.last().copied().unwrap_or(0) as usize;
        let mut kept: Vec<Item<W>> = Vec::new();
        for rule in &mut self.rules[first_rule..] {
            let start = first_item + kept.len();
            kept.extend_from_slice(&self.items[rule.items as usize..(rule.items + rule.length) as usize]);
            rule.items = start as u32;
        }
        self.items.truncate(first_item);
        self.items.extend_from_slice(&kept);
    }

    fn add_single<F: Stateful<Word = W>>(
        &mut self,
        list: RuleList,
        source: &Source<'_, '_>,
        feature: &mut F,
    ) -> u32 {
        let items = self.items.len();
        match list {
            RuleList::Begin => self.items.push(Item::Begin),
            RuleList::Glue => return self.add_glue(source, feature),
            RuleList::First | RuleList::Join => self.items.extend([Item::Tail(0), Item::Tail(1)]),
            RuleList::Same | RuleList::Backoff => self.items.push(Item::Tail(0)),
            RuleList::End => self.items.extend([Item::Tail(0), Item::Word(feature.end())]),
            RuleList::Copy(at) => {
                let word = source.guide.copies[at as usize];
                self.items.extend(word.map(|word| Item::Word(feature.word(word, 0, source.vocab))));
            }
            RuleList::Table { .. } | RuleList::Containing { .. } | RuleList::Given(_) | RuleList::Silent => {}
        }
        self.push_single(list, 0, items, source, feature);
        self.finish_list()
    }

    /// Adds all joins of two pieces.
    fn add_glue<F: Stateful<Word = W>>(&mut self, source: &Source<'_, '_>, feature: &F) -> u32 {
        for (join, heads) in F::JOINS.iter().enumerate() {
            let items = self.items.len();
            self.items.extend([Item::Tail(0), Item::Tail(1)]);
            self.items.extend(heads.iter().map(|&head| Item::Head(head)));
            self.push_single(RuleList::Glue, join as u32, items, source, feature);
        }
        self.finish_list()
    }

    fn push_single<F: Stateful<Word = W>>(
        &mut self,
        list: RuleList,
        rule: u32,
        items: usize,
        source: &Source<'_, '_>,
        feature: &F,
    ) {
        let applied = source.applied(list, rule);
        let view = RuleView { applied, source: &[], target: &[], links: &[], parse: 0.0 };
        let score = source.features.weigh(0.0, &view);
        self.push_rule(rule, score, items, feature);
    }

    /// Adds a rule of no table, whose target side is the items from this one on.
    fn push_rule<F: Stateful<Word = W>>(&mut self, rule: u32, score: f32, items: usize, feature: &F) {
        let target = &self.items[items..];
        let estimate = score + feature.estimate(target.iter().copied());
        self.rules.push(Ranked { rule, score, estimate, items: items as u32, length: target.len() as u32 });
    }

    fn finish_list(&mut self) -> u32 {
        self.ends.push(self.rules.len() as u32);
        self.ends.len() as u32 - 1
    }
}

impl<W: Copy> Default for Lists<W> {
    fn default() -> Self {
        Self::new()
    }
}

/// Rule lists that are looked up while a forest is laid out.
pub struct Ranking<'a, 's, F: Stateful> {
    /// The lists.
    pub lists: &'a mut Lists<F::Word>,
    /// Where they come from.
    pub source: &'a Source<'a, 's>,
    /// The stateful features.
    pub feature: &'a mut F,
}

impl<F: Stateful> Estimates for Ranking<'_, '_, F> {
    fn best_of(&mut self, list: RuleList) -> f32 {
        self.lists.best_of(list, self.source, self.feature)
    }
}

/// Where rules come from, and what they are worth.
pub struct Source<'a, 's> {
    /// The tables.
    pub tables: &'a [&'s Table],
    /// The words of the tables and of the sentence.
    pub vocab: &'a SentenceVocab<'s>,
    /// What stands for words that are copied or given.
    pub guide: &'a Guide,
    /// The features and their weights.
    pub features: &'a Features,
    /// How many rules of one source side are used.
    pub table_limit: usize,
    /// How much worse than the best of its source side a rule may score.
    pub rule_threshold: f32,
    /// How two pieces can be joined: [`Stateful::JOINS`].
    pub joins: &'static [&'static [u8]],
}

impl Source<'_, '_> {
    /// The target side and links of a rule, words under the numbers of the sentence's vocabulary.
    pub fn content(&self, list: RuleList, rule: u32, target: &mut Vec<Symbol>, links: &mut Vec<RuleLink>) {
        self.target(list, rule, target);
        links.clear();
        match list {
            RuleList::Table { table, .. } | RuleList::Containing { table, .. } => {
                self.tables[table as usize].links(RuleId(rule), links);
            }
            RuleList::Given(number) => links.extend(self.guide.given[number as usize].links(rule)),
            RuleList::Copy(_) => links.extend((!target.is_empty()).then(|| RuleLink::new(0, 0))),
            _ => {}
        }
    }

    /// The target side of a rule.
    pub fn target(&self, list: RuleList, rule: u32, target: &mut Vec<Symbol>) {
        target.clear();
        match list {
            RuleList::Table { table, node } | RuleList::Containing { table, node, .. } => {
                let number = table as usize;
                self.tables[number].target(RuleId(rule), node.variables(), target);
                for symbol in target.iter_mut() {
                    *symbol = symbol.map(|word| self.vocab.of_table(number, word));
                }
            }
            RuleList::Begin | RuleList::Silent => {}
            RuleList::Given(number) => {
                let given = &self.guide.given[number as usize];
                let words = given.choices.get(rule as usize).map_or(&[][..], |(words, _)| words);
                target.extend(words.iter().map(|&word| Symbol::word(word)));
            }
            RuleList::Glue => {
                target.extend([Symbol::reference(0), Symbol::reference(1)]);
                let heads = self.joins.get(rule as usize).copied().unwrap_or_default();
                target.extend(heads.iter().map(|&head| Symbol::mark(head)));
            }
            RuleList::First | RuleList::Join => {
                target.extend([Symbol::reference(0), Symbol::reference(1)]);
            }
            RuleList::End | RuleList::Same | RuleList::Backoff => target.push(Symbol::reference(0)),
            RuleList::Copy(at) => target.extend(self.guide.copies[at as usize].map(Symbol::word)),
        }
    }

    /// The words and variables of the source side at a node of a table's trie, words under the numbers of the sentence's vocabulary.
    pub fn source_side(&self, table: u32, node: TrieNode, out: &mut Vec<Symbol>) {
        self.tables[table as usize].source_side(node, out);
        for symbol in out {
            if symbol.is_word() {
                *symbol = symbol.map(|word| self.vocab.of_table(table as usize, word));
            }
        }
    }

    /// The scores that a table gives a rule, or would give a translation that was given.
    pub fn scores(&self, list: RuleList, rule: u32, scores: &mut Vec<f32>) {
        scores.clear();
        match list {
            RuleList::Table { table, .. } | RuleList::Containing { table, .. } => {
                self.tables[table as usize].scores(RuleId(rule), scores);
            }
            RuleList::Given(number) => {
                let choice = self.guide.given[number as usize].choices.get(rule as usize);
                self.features.given_scores(choice.map_or(0.0, |(_, log_prob)| *log_prob), scores);
            }
            _ => {}
        }
    }

    /// What is applied by a rule of a list.
    pub fn applied(&self, list: RuleList, rule: u32) -> Applied {
        match list {
            RuleList::Table { table, .. } | RuleList::Containing { table, .. } => {
                Applied::Rule { table, rule }
            }
            RuleList::Begin => Applied::Begin,
            RuleList::First | RuleList::Glue => Applied::Glue,
            RuleList::Join | RuleList::Same => Applied::Join,
            RuleList::Backoff => Applied::Backoff,
            RuleList::End => Applied::End,
            RuleList::Copy(_) => Applied::Unknown,
            RuleList::Silent => Applied::Silent,
            RuleList::Given(given) => self.guide.given[given as usize].applied(given, rule),
        }
    }
}
