use super::*;
use crate::table::{Dump, Import, dump, import};
use treeglot_text::{Input, Output};

fn table(folder: &Path, name: &str, text: &str, reordering: Option<&str>) -> Table {
    let input = |text: &str| Input {
        name: name.into(),
        reader: Box::new(std::io::Cursor::new(text.as_bytes().to_vec())),
    };
    let path = folder.join(name);
    import(input(text), reordering.map(input), &Import::default(), &Scratch::new(None), &path).unwrap();
    Table::open(path).unwrap()
}

fn all(limit: usize) -> Pivot {
    Pivot { model: String::new(), limit, memory: 1 << 20 }
}

fn joined(first: &str, second: &str, how: &Pivot) -> Result<String> {
    let folder = tempfile::tempdir().unwrap();
    let tables =
        [("first", first), ("second", second)].map(|(name, text)| table(folder.path(), name, text, None));
    let (path, out) = (folder.path().join("joined"), folder.path().join("text"));
    pivot(&tables[0], &tables[1], how, &Scratch::new(None), &path)?;
    let mut output = Output::create(&out).unwrap();
    dump(&Table::open(&path)?, Dump::Rules, 1 << 20, &Scratch::new(None), &mut output)?;
    output.finish().unwrap();
    Ok(std::fs::read_to_string(out).unwrap())
}

const TO_ENGLISH: &str = "haus ||| house ||| 0.5 0.4 0.6 0.3 ||| 0-0 ||| 4 5 3 ||| |||\n\
    haus ||| home ||| 0.2 0.1 0.4 0.7 ||| 0-0 ||| 5 5 2 ||| |||\n\
    haus ||| dwelling ||| 0.2 0.1 0.4 0.7 ||| 0-0 ||| 5 5 2 ||| |||\n\
    das haus ||| the house ||| 1 1 1 1 ||| 0-0 1-1 ||| 1 1 1 ||| |||\n";

const TO_SPANISH: &str = "home ||| casa ||| 0.5 0.5 0.25 0.5 ||| 0-0 ||| 6 4 1 ||| |||\n\
    house ||| casa ||| 0.4 0.2 0.5 0.8 ||| 0-0 ||| 6 4 2 ||| |||\n\
    house ||| hogar ||| 0.1 0.3 0.5 0.1 ||| 0-0 ||| 2 4 2 ||| |||\n\
    the house ||| la casa ||| 0.5 0.5 0.5 0.5 ||| 0-0 1-1 ||| 2 2 1 ||| |||\n";

/// p(casa|haus) = 0.6 * 0.5 + 0.4 * 0.25, and so on for all four.
#[test]
fn products_are_added_up_over_the_pivot() {
    let wanted = "das haus ||| la casa ||| 0.5 0.5 0.5 0.5 ||| 0-0 1-1 ||| 2 1 0.5 ||| |||\n\
        haus ||| casa ||| 0.3 0.13 0.4 0.59 ||| 0-0 ||| 6 5 2 ||| |||\n\
        haus ||| hogar ||| 0.05 0.12 0.3 0.03 ||| 0-0 ||| 2 5 1.5 ||| |||\n";
    assert_eq!(joined(TO_ENGLISH, TO_SPANISH, &all(0)).unwrap(), wanted);
    let best: String = wanted.lines().take(2).map(|line| format!("{line}\n")).collect();
    assert_eq!(joined(TO_ENGLISH, TO_SPANISH, &all(1)).unwrap(), best);
}

#[test]
fn the_memory_does_not_change_the_table() {
    let (mut first, mut second) = (String::new(), String::new());
    for n in 0..300 {
        for m in 0..4 {
            let p = 1.0 / (1.0 + f64::from(m));
            first += &format!("s{n} ||| p{} ||| {p} 0.1 {p} 0.3 ||| 0-0 ||| 1 1 1\n", (n + m * 7) % 100);
            second +=
                &format!("p{} ||| t{} ||| {p} 0.1 {p} 0.3 ||| 0-0 ||| 1 1 1\n", n % 100, (n + m * 31) % 90);
        }
    }
    let second: std::collections::BTreeMap<String, &str> = second
        .lines()
        .map(|line| (line.split(" ||| ").take(2).collect::<Vec<_>>().join("|"), line))
        .collect();
    let second = second.into_values().collect::<Vec<_>>().join("\n") + "\n";
    let wide = joined(&first, &second, &Pivot { memory: 1 << 30, ..all(0) }).unwrap();
    let narrow = joined(&first, &second, &Pivot { memory: 0, ..all(0) }).unwrap();
    assert!(wide.lines().count() > 1000);
    assert_eq!(wide, narrow);
}

#[test]
fn variables_and_links_are_followed_through_the_pivot() {
    let first = "[X][X] a [X][X] [X] ||| [X][X] b [X][X] [X] ||| 1 1 1 1 ||| 0-2 1-1 2-0 ||| 1 1 1\n";
    let second =
        "[X][X] b [X][X] [X] ||| c [X][X] d [X][X] [X] ||| 0.5 0.5 0.5 0.5 ||| 0-3 1-0 1-2 2-1 ||| 1 1 1\n";
    let wanted = "[X][X] a [X][X] [X] ||| c [X][X] d [X][X] [X] ||| 0.5 0.5 0.5 0.5 ||| 0-1 1-0 1-2 2-3 ||| 1 1 0.5 ||| |||\n";
    assert_eq!(joined(first, second, &all(0)).unwrap(), wanted);
}

#[test]
fn two_swaps_are_none() {
    let folder = tempfile::tempdir().unwrap();
    let rules = |a: &str, b: &str| format!("{a} ||| {b} ||| 1 1 1 1 ||| 0-0 ||| 1 1 1\n");
    let first = table(folder.path(), "a", &rules("s", "p"), Some("s ||| p ||| 0.2 0.8 0 0.5 0.25 0.25\n"));
    let second = table(folder.path(), "b", &rules("p", "t"), Some("p ||| t ||| 0 1 0 0.5 0.5 0\n"));
    let path = folder.path().join("joined");
    let made = pivot(&first, &second, &all(0), &Scratch::new(None), &path).unwrap();
    assert_eq!(made, Pivoted { first: 1, joined: 1, rules: 1 });
    let joined = Table::open(path).unwrap();
    let scores = joined.reordering_probabilities(crate::table::RuleId(0)).unwrap();
    assert_eq!(scores.map(|score| score.to_string()), ["0.8", "0.2", "0", "0.375", "0.375", "0.25"]);
}

#[test]
fn tables_of_other_scores_are_refused() {
    let error = joined("a ||| b ||| 1\n", TO_SPANISH, &all(0)).unwrap_err().to_string();
    assert!(error.starts_with("the first table has no score `p(s|t)`"), "{error}");
}

#[test]
fn tables_with_nothing_in_common_make_an_empty_one() {
    assert_eq!(joined("a ||| b ||| 1 1 1 1 ||| 0-0 ||| 1 1 1\n", TO_SPANISH, &all(0)).unwrap(), "");
}
