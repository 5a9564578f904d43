//! Words of trees taken apart, compounds into the words that they are made of: the last part stands where the whole stood, and those before it
//! hang from it. Each word is given by its parts, at least one; a word of one part is called what the part says.

use crate::con::{ConBuilder, ConTree, Draft};
use crate::dep::{DepTree, Roots};
use crate::index::WordIx;
use crate::parse::{DepParse, FIELDS, Field};
use crate::transform::strip::category;

/// The relation of the parts before the last one to it, as Universal Dependencies name it.
const RELATION: &str = "compound";

/// The number of the last part of each word, counted from 1, after a 0 for the root.
fn last_parts(counts: impl Iterator<Item = usize>) -> Vec<u32> {
    let mut last = vec![0];
    counts.for_each(|count| last.push(last.last().map_or(0, |before: &u32| before + count as u32)));
    last
}

/// Takes the words of a parse apart. Its parts have the tags of the whole. Comments stay; multi-word tokens, empty nodes and enhanced
/// dependencies, whose numbers would be others, do not.
pub fn split_parse(parse: &DepParse, parts: &[Vec<&str>]) -> DepParse {
    let last = last_parts(parts.iter().map(Vec::len));
    let mut split = DepParse::at(parse.place().clone());
    for word in parse.words() {
        let mut columns: [&str; FIELDS] = parse.columns(word);
        columns[Field::Deps as usize] = "_";
        let own = &parts[word.ix()];
        let Some((head, modifiers)) = own.split_last() else { continue };
        for part in modifiers {
            let mut of_part = columns;
            of_part[Field::Form as usize] = part;
            of_part[Field::Lemma as usize] = "_";
            of_part[Field::Deprel as usize] = RELATION;
            split.push(of_part, Some(last[word.ix() + 1]));
        }
        columns[Field::Form as usize] = head;
        if !modifiers.is_empty() {
            columns[Field::Lemma as usize] = "_";
        }
        let above = parse.raw_head(word);
        split.push(columns, above.map(|above| last.get(above as usize).copied().unwrap_or(u32::MAX)));
    }
    split
}

/// Takes the words of a tree apart, each into so many.
pub fn split_dep(tree: &DepTree, counts: &[usize]) -> DepTree {
    let last = last_parts(counts.iter().copied());
    let place = |word: WordIx| WordIx(last[word.ix() + 1] - 1);
    let mut heads = Vec::with_capacity(last.last().map_or(0, |&all| all as usize));
    for word in tree.words() {
        heads.extend((1..counts[word.ix()]).map(|_| Some(place(word))));
        heads.push(tree.head(word).map(place));
    }
    DepTree::new(heads, Roots::One).expect("what hangs from a word of a tree makes no cycle and no root")
}

/// Takes the words of a constituency tree apart. The parts of a word with a tag get nodes of their own below it, called by its category.
pub fn split_con(tree: &ConTree, parts: &[Vec<&str>]) -> ConTree {
    let mut builder = ConBuilder::default();
    let mut drafts: Vec<Draft> = Vec::with_capacity(tree.node_count());
    for node in tree.nodes() {
        let draft = builder.node(tree.label(node), tree.parent(node).map(|parent| drafts[parent.ix()]));
        builder.set_edge(draft, tree.edge(node));
        drafts.push(draft);
    }
    for word in tree.words() {
        let node = tree.parent_of_word(word);
        let own = &parts[word.ix()];
        for part in own {
            let below = match tree.preterminal(node).filter(|_| own.len() > 1) {
                Some(_) => builder.node(category(tree.label(node)), Some(drafts[node.ix()])),
                None => drafts[node.ix()],
            };
            builder.word_with(part, "", tree.morph(word), below);
        }
    }
    builder.finish().expect("a tree whose words are taken apart is a tree")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::format::{AnyTree, Format, ReadOptions, ReadTrees};

    fn parts() -> Vec<Vec<&'static str>> {
        vec![vec!["der"], vec!["Sonne", "Unter", "Gang"], vec!["kam"]]
    }

    fn read(name: &str, text: &str) -> AnyTree {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(name);
        std::fs::write(&path, text).unwrap();
        let mut reader = Format::of_file(&path).unwrap().open(&path, &ReadOptions::default()).unwrap();
        reader.next_tree().unwrap().unwrap()
    }

    #[test]
    fn parts_hang_from_the_last_one_which_stands_where_the_whole_stood() {
        let text = "# text\n1\tder\tder\tDET\tART\t_\t2\tdet\t_\t_\n\
            2\tSonnenuntergang\tSonnenuntergang\tNOUN\tNN\tCase=Nom\t3\tnsubj\t3:nsubj\t_\n\
            3\tkam\tkommen\tVERB\tVVFIN\t_\t0\troot\t_\t_\n\n";
        let AnyTree::Dep(parse) = read("a.conllu", text) else { panic!("a parse") };
        let split = split_parse(&parse, &parts());
        assert_eq!(split.forms().collect::<Vec<_>>(), ["der", "Sonne", "Unter", "Gang", "kam"]);
        let heads: Vec<_> = split.words().map(|word| split.raw_head(word).unwrap()).collect();
        assert_eq!(heads, [4, 4, 4, 5, 0]);
        assert_eq!(split.deprel(WordIx(1)), "compound");
        assert_eq!((split.tag(WordIx(1)), split.deprel(WordIx(3))), (split.tag(WordIx(3)), "nsubj"));
        let tree = parse.tree(Roots::One).unwrap();
        assert_eq!(split_dep(&tree, &[1, 3, 1]), split.tree(Roots::One).unwrap());
    }

    #[test]
    fn parts_of_a_tagged_word_are_nodes_below_it() {
        let AnyTree::Con(tree) = read("a.ptb", "(S (NP-SB (ART der) (NN-HD Sonnenuntergang)) (VVFIN kam))\n")
        else {
            panic!("a tree")
        };
        let split = split_con(&tree, &parts());
        let AnyTree::Con(expected) =
            read("a.ptb", "(S (NP-SB (ART der) (NN-HD (NN Sonne) (NN Unter) (NN Gang))) (VVFIN kam))\n")
        else {
            panic!("a tree")
        };
        assert_eq!(split, expected);
    }
}
