//! The embedded sample is what the generator makes.

use treeglot_sample::{Files, Sample};
use treeglot_sample_generator::{SEED, Sizes, generate};

#[test]
fn the_embedded_files_are_those_of_the_generated_sample() {
    let generated = Files::of(&generate(SEED, Sizes::default()));
    let embedded = Files::of(Sample::embedded());
    let names = |files: &Files| files.iter().map(|(name, _)| name.to_string()).collect::<Vec<_>>();
    assert_eq!(names(&generated), names(&embedded));
    for ((name, generated), (_, embedded)) in generated.iter().zip(embedded.iter()) {
        assert!(generated == embedded, "{name} differs: run `cargo xtask sample`");
    }
}

#[test]
fn the_same_seed_gives_the_same_sample_and_another_seed_another() {
    let sizes = Sizes { train: 200, dev: 0, test: 0 };
    let sample = generate(7, sizes);
    assert_eq!(sample, generate(7, sizes));
    assert_ne!(sample, generate(8, sizes));
}

#[test]
fn without_training_text_no_word_is_known_and_generation_still_ends() {
    let sample = generate(1, Sizes { train: 0, dev: 5, test: 5 });
    assert_eq!(sample.pairs().count(), 0);
}
