//! `GET /systems/{name}/rules`: a search in the tables of a system.

use crate::app::{App, Client};
use crate::error::{ApiError, ErrorBody};
use crate::systems::Opened;
use axum::Json;
use axum::extract::{Path, Query, State};
use axum::http::StatusCode;
use serde::{Deserialize, Serialize};
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::sync::Arc;
use std::time::{Duration, Instant};
use treeglot_grammar::table::{Dump, LineWriter, Rules};
use treeglot_grammar::{Kind, Symbol, Table};
use treeglot_text::Side;
use treeglot_text::vocab::Sym;
use utoipa::{IntoParams, ToSchema};

/// How long a search may take: of the largest tables, what was found until then is given.
const LONGEST: Duration = Duration::from_secs(3);

/// How many source sides are looked at between two looks at the clock.
const SOURCES_A_LOOK: usize = 4096;

#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(super) struct RulesQuery {
    /// Words or labels, all of which a rule must have
    q: String,
    /// On which side: `source` or `target`
    #[serde(default = "source")]
    side: String,
    /// How many rules, the most frequent first; 200 at most
    #[serde(default = "twenty")]
    limit: usize,
}

fn source() -> String {
    "source".to_string()
}

fn twenty() -> usize {
    20
}

#[derive(Serialize, ToSchema)]
pub(super) struct RulesAnswer {
    /// The rules, the most frequent first
    rules: Vec<FoundRule>,
    /// The names of the scores of each table
    scores: Vec<Vec<String>>,
    /// How many rules fit, as far as was looked
    found: usize,
    /// Whether the whole of all tables was looked at
    complete: bool,
}

/// A rule of a table.
#[derive(Serialize, ToSchema)]
pub(super) struct FoundRule {
    /// How often it was seen
    count: f32,
    /// Which table it is of
    table: usize,
    /// Its source side
    source: String,
    /// Its target side
    target: String,
    /// Its links
    links: String,
    /// Its scores
    scores: Vec<f64>,
}

/// Search the rules of a system
#[utoipa::path(
    get, path = "/systems/{name}/rules", params(("name" = String, Path, description = "its name"), RulesQuery),
    responses((status = 200, body = RulesAnswer), (status = 400, body = ErrorBody), (status = 404, body = ErrorBody))
)]
pub(super) async fn rules(
    State(app): State<Arc<App>>,
    client: Client,
    Path(name): Path<String>,
    Query(query): Query<RulesQuery>,
) -> Result<Json<RulesAnswer>, ApiError> {
    let _admitted = app.admit(&client, None)?;
    let system = app.systems.find(&name)?;
    let side = match query.side.as_str() {
        "source" => Side::Source,
        "target" => Side::Target,
        other => return Err(ApiError::bad(format!("`{other}` is no side: source or target"))),
    };
    let words: Vec<String> =
        query.q.split_whitespace().map(|word| word.trim_matches(['[', ']']).to_string()).collect();
    if words.is_empty() {
        return Err(ApiError::bad("what is looked for is words or labels in `q`"));
    }
    let turn = Arc::clone(&app.searches).acquire_owned().await.expect("turns are never closed");
    let limit = query.limit.clamp(1, 200);
    let answer = tokio::task::spawn_blocking(move || {
        let _turn = turn;
        search(&system, &words, side, limit, Instant::now() + LONGEST)
    });
    let failed = |_| ApiError::new(StatusCode::INTERNAL_SERVER_ERROR, "the table could not be searched");
    Ok(Json(answer.await.map_err(failed)??))
}

/// A rule with how often it was seen; of rules seen as often, the earlier in the table and in the alphabet comes first.
struct Ranked(f32, FoundRule);

impl PartialEq for Ranked {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Ranked {}

impl PartialOrd for Ranked {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Ranked {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        let place = |rule: &FoundRule| (rule.table, rule.source.clone(), rule.target.clone());
        self.0.total_cmp(&other.0).then_with(|| place(&other.1).cmp(&place(&self.1)))
    }
}

/// Why a search ended before its end.
enum Ended {
    OutOfTime,
    Damaged(treeglot_grammar::Error),
}

impl From<treeglot_grammar::Error> for Ended {
    fn from(error: treeglot_grammar::Error) -> Self {
        Self::Damaged(error)
    }
}

fn search(
    system: &Opened,
    words: &[String],
    side: Side,
    limit: usize,
    until: Instant,
) -> Result<RulesAnswer, ApiError> {
    let mut best = BinaryHeap::new();
    let (mut found, mut complete) = (0, true);
    for (number, table) in system.tables.iter().enumerate() {
        let syms: Option<Vec<Sym>> = words.iter().map(|word| table.vocab().get(word)).collect();
        let Some(syms) = syms else { continue };
        let mut finder =
            Finder { table, number, syms, side, limit, best: &mut best, found: 0, looked_at: 0, until };
        let mut writer = LineWriter::new(table);
        match table.walk_unverified(|rules| finder.look(&rules, &mut writer)) {
            Ok(()) => {}
            Err(Ended::OutOfTime) => complete = false,
            Err(Ended::Damaged(error)) => return Err(treeglot_pipeline::Error::from(error).into()),
        }
        found += finder.found;
    }
    let mut rules: Vec<Ranked> = best.into_iter().map(|Reverse(ranked)| ranked).collect();
    rules.sort_by(|a, b| b.cmp(a));
    Ok(RulesAnswer {
        rules: rules.into_iter().map(|Ranked(_, rule)| rule).collect(),
        scores: system.tables.iter().map(|table| table.score_names().to_vec()).collect(),
        found,
        complete,
    })
}

/// A search through one table.
struct Finder<'a> {
    table: &'a Table,
    number: usize,
    syms: Vec<Sym>,
    side: Side,
    limit: usize,
    /// The rules that were seen most often so far, the rarest on top.
    best: &'a mut BinaryHeap<Reverse<Ranked>>,
    found: usize,
    looked_at: usize,
    until: Instant,
}

impl Finder<'_> {
    fn look(&mut self, rules: &Rules<'_>, writer: &mut LineWriter<'_>) -> Result<(), Ended> {
        self.looked_at += 1;
        if self.looked_at.is_multiple_of(SOURCES_A_LOOK) && Instant::now() >= self.until {
            return Err(Ended::OutOfTime);
        }
        if self.side == Side::Source && !self.fits(rules.source) {
            return Ok(());
        }
        let mut target = Vec::new();
        let mut written = false;
        for rule in rules.ids() {
            if self.side == Side::Target {
                self.table.target(rule, rules.node.variables(), &mut target);
                if !self.fits(&target) {
                    continue;
                }
            }
            self.found += 1;
            let count = self.table.rule_counts(rule, rules.count).joint;
            let rarest = self.best.peek().map(|Reverse(ranked)| ranked.0);
            if self.best.len() >= self.limit && rarest.is_some_and(|rarest| count < rarest) {
                continue;
            }
            if !written {
                writer.source(rules);
                written = true;
            }
            let line = String::from_utf8_lossy(writer.line(rules, rule, Dump::Rules)).into_owned();
            self.best.push(Reverse(Ranked(count, parse(&line, self.number, count))));
            if self.best.len() > self.limit {
                self.best.pop();
            }
        }
        Ok(())
    }

    /// Whether a side has all that is looked for, as words or as labels.
    fn fits(&self, side: &[Symbol]) -> bool {
        let has = |&sym: &Sym| {
            side.iter().any(|symbol| match symbol.kind() {
                Kind::Word(word) | Kind::Var(word) | Kind::Label(word) => word == sym,
                Kind::Ref(_) | Kind::Mark(_) => false,
            })
        };
        self.syms.iter().all(has)
    }
}

/// A rule from its line in the notation that tables are printed in.
fn parse(line: &str, table: usize, count: f32) -> FoundRule {
    let mut fields = line.split(" |||").map(str::trim);
    let mut next = || fields.next().unwrap_or_default();
    let (source, target, scores, links) = (next().to_string(), next().to_string(), next(), next());
    let scores = scores.split_ascii_whitespace().filter_map(|score| score.parse().ok()).collect();
    FoundRule { count, table, source, target, links: links.to_string(), scores }
}
