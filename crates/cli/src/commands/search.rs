//! Arguments that set how far a search goes.

use clap::Args;
use treeglot_decode::chart::Algorithm;
use treeglot_pipeline::SearchSettings;

#[derive(Args)]
#[command(next_help_heading = "Search")]
pub struct SearchArgs {
    /// Combinations of rules and translations tried for each span: more find better translations, and take longer
    #[arg(long, value_name = "N")]
    pop_limit: Option<usize>,

    /// Hypotheses kept for each span; 0 for all
    #[arg(long, value_name = "N")]
    beam: Option<usize>,

    /// How much worse than the best a hypothesis may score
    #[arg(long, value_name = "SCORE")]
    threshold: Option<f32>,

    /// Rules used for each source side
    #[arg(long, value_name = "N")]
    table_limit: Option<usize>,

    /// How much worse than the best of its source side a rule may score
    #[arg(long, value_name = "SCORE")]
    rule_threshold: Option<f32>,

    /// The most words a rule may span; 0 for no limit
    #[arg(long, value_name = "N")]
    max_span: Option<usize>,

    /// The most words a phrase may jump; 0 for none, -1 for any distance
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    distortion_limit: Option<i32>,

    /// How forests are searched: `pruning` goes from the words up, `growing` works out only what is asked for
    #[arg(long, value_name = "HOW", value_parser = ["pruning", "growing"])]
    algorithm: Option<String>,
}

impl SearchArgs {
    /// What was given.
    pub fn settings(&self) -> SearchSettings {
        SearchSettings {
            pop_limit: self.pop_limit,
            beam: self.beam,
            threshold: self.threshold,
            table_limit: self.table_limit,
            rule_threshold: self.rule_threshold,
            max_span: self.max_span,
            distortion_limit: self.distortion_limit,
            algorithm: self.algorithm.as_ref().map(|name| match name.as_str() {
                "growing" => Algorithm::Growing,
                _ => Algorithm::Pruning,
            }),
        }
    }
}
