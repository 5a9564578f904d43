//! Reads dependency trees, makes them projective by lifting, and writes them again.

use treeglot::sample::Sample;
use treeglot::tree::format::{ReadTrees, conllu};
use treeglot::tree::transform::lift::{Scheme, lift};
use treeglot::tree::{DepParse, Roots};

/// Runs the example.
pub fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut file = Vec::new();
    for pair in &Sample::embedded().test {
        conllu::write(&pair.source.parse, &mut file)?;
    }
    let parses: Vec<DepParse> =
        conllu::Reader::new("test.de.conllu", file.as_slice()).trees().collect::<Result<_, _>>()?;
    let crossing = |parse: &DepParse| parse.checked_tree(Roots::One).is_ok_and(|tree| !tree.is_projective());
    let before = parses.iter().filter(|parse| crossing(parse)).count();
    let mut lifted = Vec::new();
    for parse in &parses {
        lifted.push(lift(parse, Roots::One, Scheme::Head)?);
    }
    let after = lifted.iter().filter(|parse| crossing(parse)).count();
    println!("{before} of {} trees have crossing arcs, {after} after lifting", parses.len());
    assert!(before > 0 && after == 0);
    if let Some(tree) = parses.iter().position(crossing) {
        conllu::write(&lifted[tree], &mut std::io::stdout().lock())?;
    }
    Ok(())
}
