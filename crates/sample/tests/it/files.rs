//! The files of a sample that was written out say what the sample says.

use std::fs;
use std::path::Path;
use treeglot_sample::{Sample, write_to};
use treeglot_tree::format::{ReadTrees, conllu, ptb};

fn lines(folder: &Path, name: &str) -> Vec<String> {
    fs::read_to_string(folder.join(name)).expect("the file was written").lines().map(str::to_owned).collect()
}

#[test]
fn what_is_written_is_read_back() {
    let sample = Sample::embedded();
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path().join("new/sample");
    write_to(sample, &folder).unwrap();
    assert!(fs::read_to_string(folder.join("README.md")).unwrap().contains("train"));
    for (part, pairs) in sample.parts() {
        for (language, german) in [("de", true), ("en", false)] {
            let sides: Vec<_> = pairs.iter().map(|p| if german { &p.source } else { &p.target }).collect();
            let tokens: Vec<String> = sides.iter().map(|s| s.tokens()).collect();
            assert_eq!(lines(&folder, &format!("{part}.{language}")), tokens);
            let raw: Vec<String> = sides.iter().map(|s| s.raw.clone()).collect();
            assert_eq!(lines(&folder, &format!("{part}.raw.{language}")), raw);

            let parses = conllu::Reader::open(folder.join(format!("{part}.{language}.conllu"))).unwrap();
            let parses: Vec<_> = parses.trees().collect::<Result<_, _>>().unwrap();
            assert!(parses.iter().eq(sides.iter().map(|s| &s.parse)));

            let path = folder.join(format!("{part}.{language}.ptb"));
            let trees = ptb::Reader::open(path, ptb::BracketLayout::OnePerLine).unwrap();
            let trees: Vec<_> = trees.trees().collect::<Result<Vec<_>, _>>().unwrap();
            let labels =
                |t: &treeglot_tree::ConTree| t.nodes().map(|n| t.label(n).to_owned()).collect::<Vec<_>>();
            let read: Vec<_> = trees.iter().map(|t| labels(t.as_ref().unwrap())).collect();
            assert_eq!(read, sides.iter().map(|s| labels(&s.con)).collect::<Vec<_>>());
        }
        let links = lines(&folder, &format!("{part}.links"));
        let first: Vec<String> = pairs[0].links.iter().map(|(s, t)| format!("{s}-{t}")).collect();
        assert_eq!((links.len(), &links[0]), (pairs.len(), &first.join(" ")));
    }
}
