//! Damaged tables behind valid checksums: an error, or other rules, but never a panic, an endless loop or a variable that
//! the source side does not have.

use std::path::Path;
use treeglot_grammar::table::{Dump, Stats, dump, text};
use treeglot_grammar::{Counter, Kind, ScoreInputs, ScoreSettings, Scratch, Table, TrieNode, write_table};
use treeglot_text::mapped::reseal;
use treeglot_text::{Input, Output};

/// How many damaged files are tried a table.
const TRIES: u64 = 600;

/// Rules of each kind, as `treeglot extract` writes them.
const PHRASES: &str = "\
das ||| the ||| 0-0 ||| 3 ||| mono mono
das Haus ||| the house ||| 0-0 1-1 ||| 2 ||| mono swap
das Haus ||| the building ||| 0-0 1-1 ||| 1 ||| other mono
ist klein ||| is small ||| 0-0 1-1 ||| 1 ||| mono other
";
const HIERARCHICAL: &str = "\
[X][X] ist [X][X] [X] ||| [X][X] is [X][X] [X] ||| 0-0 1-1 2-2 ||| 2
[X][X] hat [X][X] [X] ||| [X][X] owns [X][X] [X] ||| 0-2 1-1 2-0 ||| 1
das [X][X] [X] ||| the [X][X] [X] ||| 0-0 1-1 ||| 3
klein [X] ||| small [X] ||| 0-0 ||| 1
";
const WITH_HEADS: &str = "\
das [X][X] [X] ||| the [X][X] [X] ||| 0-0 1-1 ||| 3 ||| {{Heads 2 0}}
rotes Haus [X] ||| red house [X] ||| 0-0 1-1 ||| 1 ||| {{Heads 2 0}}
sieht [X][X] nicht [X] ||| does not see [X][X] [X] ||| 0-2 1-3 2-1 ||| 1 ||| {{Heads 3 3 0 3 ill}}
";
const FRAGMENTS: &str = "\
(NP (ART das) x1:NN) ||| the x1 ||| 0-0 ||| 2 ||| tree
(S x1:NP (VP (VVFIN sieht) x2:NP)) ||| x2 is seen by x1 ||| 1-2 ||| 1 ||| tree
(NN Haus) ||| house ||| 0-0 ||| 1 ||| tree
";

/// The next number of a sequence (splitmix64).
struct Numbers(u64);

impl Numbers {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    fn below(&mut self, n: usize) -> usize {
        (self.next() % n as u64) as usize
    }
}

/// Alters one to four places behind the header: a bit, a byte, or a number that is too great.
fn damage(bytes: &mut [u8], numbers: &mut Numbers) {
    for _ in 0..=numbers.below(4) {
        let at = 40 + numbers.below(bytes.len() - 40);
        match numbers.below(4) {
            0 | 1 => bytes[at] ^= 1 << numbers.below(8),
            2 => bytes[at] = numbers.next() as u8,
            _ => bytes[at..].iter_mut().take(4).for_each(|byte| *byte = 0xff),
        }
    }
}

fn write(rules: &str, path: &Path) {
    let scratch = Scratch::new(None);
    let mut counter = Counter::new(1 << 20, &scratch);
    let reader = Box::new(std::io::Cursor::new(rules.as_bytes().to_vec()));
    counter.add_text(Input { name: "rules".into(), reader }, 1.0).expect("the rules are well-formed");
    let counted = counter.finish().expect("all is in memory");
    write_table(counted, &ScoreSettings::default(), &ScoreInputs::default(), &scratch, path)
        .expect("the folder can be written");
}

/// Follows everything the table tells, from the root down as far as `steps` reach.
fn follow(table: &Table, node: TrieNode, steps: &mut u32) {
    let (mut target, mut links, mut scores) = (Vec::new(), Vec::new(), Vec::new());
    for rule in table.rules(node).take(20) {
        table.target(rule, node.variables(), &mut target);
        for symbol in &target {
            if let Kind::Ref(k) = symbol.kind() {
                assert!(k < node.variables(), "a variable that the source side does not have");
            }
            if let Some(sym) = symbol.vocab() {
                assert!(sym.ix() < table.vocab().len(), "a word that the vocabulary does not have");
            }
            text(table, *symbol);
        }
        table.links(rule, &mut links);
        table.scores(rule, &mut scores);
        table.reordering(rule);
        table.counts(rule);
    }
    for (symbol, child) in table.children(node) {
        if *steps == 0 {
            return;
        }
        *steps -= 1;
        table.child(node, symbol);
        follow(table, child, steps);
    }
}

/// Whether the damaged file was refused.
fn try_one(bytes: &[u8], path: &Path, dumped: &Path) -> bool {
    std::fs::write(path, bytes).expect("the folder can be written");
    let Ok(table) = Table::open(path) else { return true };
    follow(&table, table.root(), &mut 5000);
    (0..table.vocab().len().min(1000) as u32)
        .for_each(|n| _ = table.vocab().word(treeglot_text::vocab::Sym(n)));
    table.vocab().get("das");
    let mut refused = Stats::new(&table).is_err();
    for what in [Dump::Rules, Dump::Reordering] {
        let mut out = Output::create(dumped).expect("the folder can be written");
        refused |= dump(&table, what, 1 << 20, &Scratch::new(None), &mut out).is_err();
        out.finish().expect("the folder can be written");
    }
    refused
}

#[test]
fn a_damaged_table_is_refused_or_gives_other_rules_whatever_its_checksums_say() {
    let folder = tempfile::tempdir().unwrap();
    let (path, dumped) = (folder.path().join("table"), folder.path().join("text"));
    for rules in [PHRASES, HIERARCHICAL, WITH_HEADS, FRAGMENTS] {
        write(rules, &path);
        let whole = std::fs::read(&path).unwrap();
        assert!(!try_one(&whole, &path, &dumped));
        let (mut numbers, mut refused) = (Numbers(1), 0);
        for _ in 0..TRIES {
            let mut bytes = whole.clone();
            damage(&mut bytes, &mut numbers);
            reseal(&mut bytes);
            refused += u64::from(try_one(&bytes, &path, &dumped));
        }
        assert!((1..TRIES).contains(&refused), "{refused} of {TRIES} refused: some are, some are not");
    }
}
