//! Estimates a language model of the embedded sample and asks it for probabilities.

use treeglot::lm::{Lm, Settings, estimate, words};
use treeglot::sample::Sample;
use treeglot::text::Input;

/// Runs the example.
pub fn main() -> Result<(), Box<dyn std::error::Error>> {
    let lines: Vec<String> = Sample::embedded().train.iter().map(|pair| pair.target.tokens()).collect();
    let text = std::io::Cursor::new(lines.join("\n").into_bytes());
    let settings = Settings::of_order(3);
    let input = Input { name: "sample".into(), reader: Box::new(text) };
    let (ngrams, _) = estimate::from_text(input, &settings)?;
    let lm = Lm::build_as(ngrams, &settings)?;
    let log10 = |line: &str| {
        let symbols: Vec<_> = words(line).map(|word| lm.symbol(word)).collect();
        lm.tables().sentence(&symbols).prob
    };
    for line in [lines[0].as_str(), "the woman sees the man .", ". man the sees woman the"] {
        println!("{:8.3}  {line}", log10(line));
    }
    assert!(log10("the woman sees the man .") > log10(". man the sees woman the"));
    Ok(())
}
