//! Damaged models behind valid checksums: an error, or other probabilities, but never a panic.

use crate::support::{estimate, layouts};
use std::path::Path;
use treeglot_lm::depend::DepLm;
use treeglot_lm::{ChartState, Lm, words};
use treeglot_text::mapped::reseal;
use treeglot_text::vocab::Sym;

/// How many damaged files are tried a layout.
const TRIES: u64 = 600;

/// The next number of a sequence (splitmix64).
fn next(state: &mut u64) -> usize {
    *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let mixed = (*state ^ (*state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    (mixed ^ (mixed >> 31)) as usize
}

/// Alters one to four places behind the header: a bit, a byte, or a number that is too great.
fn damage(bytes: &mut [u8], state: &mut u64) {
    for _ in 0..=next(state) % 4 {
        let at = 40 + next(state) % (bytes.len() - 40);
        match next(state) % 4 {
            0 | 1 => bytes[at] ^= 1 << (next(state) % 8),
            2 => bytes[at] = next(state) as u8,
            _ => bytes[at..].iter_mut().take(8).for_each(|byte| *byte = 0xff),
        }
    }
}

/// Asks everything of a model that a search asks; whether the file was refused.
fn try_one(bytes: &[u8], path: &Path) -> bool {
    std::fs::write(path, bytes).unwrap();
    let Ok(lm) = Lm::open(path) else { return true };
    let tables = lm.tables();
    let scorer = tables.scorer();
    for line in ["a b c a b", "d a b c", "c c c c c c", "x a y b", ""] {
        let symbols: Vec<Sym> = words(line).map(|word| lm.symbol(word)).collect();
        tables.sentence(&symbols);
        let (_, left) = tables.piece(symbols.iter().copied());
        let (_, state) = tables.append(&scorer.begin(), &left);
        scorer.score(&state, Sym(u32::MAX));
        let mut state = ChartState::default();
        let mut rule = scorer.rule(&mut state);
        rule.piece(&left, 0.0);
        symbols.iter().for_each(|&word| rule.word(word));
        rule.piece(&left, 0.0);
        rule.finish();
        symbols.iter().for_each(|&word| _ = lm.words().word(word));
    }
    (0..lm.words().len().min(1000) as u32).for_each(|word| _ = lm.words().word(Sym(word)));
    if let Some(lm) = DepLm::new(lm.clone()) {
        lm.scorer(&lm.tables()).root(lm.symbol("a"));
    }
    lm.verify().is_err()
}

#[test]
fn a_damaged_model_is_refused_or_gives_other_probabilities_whatever_its_checksums_say() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("lm");
    for settings in layouts() {
        let text = "a b c a b c d\nd a b c\nc b a\na b d c a b\n";
        let lm = Lm::build_as(estimate(text, &settings), &settings).unwrap();
        lm.write(&path).unwrap();
        let whole = std::fs::read(&path).unwrap();
        let (mut state, mut refused) = (1, 0);
        for _ in 0..TRIES {
            let mut bytes = whole.clone();
            damage(&mut bytes, &mut state);
            reseal(&mut bytes);
            refused += u64::from(try_one(&bytes, &path));
        }
        assert!((1..TRIES).contains(&refused), "{refused} of {TRIES} refused: some are, some are not");
    }
}
