//! A forest of units as a picture: vertices in rows by their distance from the root, hyperarcs as dots between their head and
//! their tails.

use super::svg::{Anchor, LINE, Svg, text_width};
use treeglot_models::DescribedSpan;
use treeglot_models::mwu::{DescribedForest, DescribedHyperarc};

/// The space between rows, where hyperarcs are drawn.
const ROW: f64 = 120.0;
const GAP: f64 = 24.0;
const BOX: f64 = 2.0 * LINE + 10.0;

/// Where a vertex is drawn.
#[derive(Debug, Clone, Copy)]
struct Place {
    x: f64,
    y: f64,
    width: f64,
}

impl Place {
    fn middle(self) -> f64 {
        self.x + self.width / 2.0
    }
}

/// Draws the vertices that derivations use.
pub fn unit_forest(forest: &DescribedForest) -> String {
    let places = places(forest);
    let mut svg = Svg::default();
    let width = places.iter().flatten().map(|place| place.x + place.width).fold(0.0, f64::max);
    let root = Place { x: width / 2.0 - 20.0, y: 4.0, width: 40.0 };
    hyperarcs(&mut svg, root, &forest.root, &places);
    for (vertex, place) in forest.vertices.iter().zip(&places) {
        if let Some(place) = place {
            hyperarcs(&mut svg, *place, &vertex.hyperarcs, &places);
        }
    }
    svg.rect(root.x, root.y, root.width, LINE + 6.0, "field", "the dummy root");
    svg.text(root.middle(), root.y + LINE, Anchor::Middle, "", "v0");
    for (number, (vertex, place)) in forest.vertices.iter().zip(&places).enumerate() {
        let Some(place) = place else { continue };
        let tip = format!(
            "v{}: aspan {}, cspan {}, alpha {:.4}, beta {:.4}",
            number + 1,
            DescribedSpan::named(vertex.aspan),
            DescribedSpan::named(vertex.cspan),
            vertex.alpha,
            vertex.beta
        );
        svg.rect(place.x, place.y, place.width, BOX, "field", &tip);
        svg.text(place.middle(), place.y + LINE, Anchor::Middle, "", &forest.phrase(&vertex.words));
        svg.text(
            place.middle(),
            place.y + 2.0 * LINE,
            Anchor::Middle,
            "small",
            &spans(number, vertex.aspan, vertex.cspan),
        );
    }
    svg.finish(&format!("the units of: {}", forest.source.join(" ")))
}

/// Rows by depth; in a row from left to right by where the covered words stand.
fn places(forest: &DescribedForest) -> Vec<Option<Place>> {
    let depths = forest.depths();
    let deepest = depths.iter().flatten().copied().max().unwrap_or(0);
    let (mut places, mut rows): (Vec<Option<Place>>, Vec<_>) = (vec![None; depths.len()], Vec::new());
    for depth in 1..=deepest {
        let mut row: Vec<usize> = (0..depths.len()).filter(|&k| depths[k] == Some(depth)).collect();
        let position = |k: usize| {
            let words = &forest.vertices[k].words;
            words.iter().sum::<u32>() * 1000 / words.len() as u32
        };
        row.sort_by_key(|&k| position(k));
        let mut x = 4.0;
        for &k in &row {
            let vertex = &forest.vertices[k];
            let widest = text_width(&forest.phrase(&vertex.words)).max(text_width(&spans(
                k,
                vertex.aspan,
                vertex.cspan,
            )));
            let width = widest + 12.0;
            places[k] = Some(Place { x, y: 4.0 + depth as f64 * ROW, width });
            x += width + GAP;
        }
        rows.push((row, x));
    }
    let widest = rows.iter().map(|(_, end)| *end).fold(0.0, f64::max);
    for (row, end) in rows {
        for k in row {
            if let Some(place) = &mut places[k] {
                place.x += (widest - end) / 2.0;
            }
        }
    }
    places
}

fn hyperarcs(svg: &mut Svg, head: Place, edges: &[DescribedHyperarc], places: &[Option<Place>]) {
    let bottom = head.y + if head.y < ROW { LINE + 6.0 } else { BOX };
    let step = 14.0;
    let first = head.middle() - step * (edges.len() as f64 - 1.0) / 2.0;
    for (k, edge) in edges.iter().enumerate() {
        let dot = (first + step * k as f64, bottom + 20.0);
        svg.line((head.middle(), bottom), dot, "branch");
        for place in edge.tails.iter().filter_map(|&tail| places[tail - 1]) {
            svg.line(dot, (place.middle(), place.y), "branch");
        }
        svg.dot(dot.0, dot.1, "c0", &format!("c {:.2}, p {:.4}", edge.c, edge.p));
    }
}

fn spans(number: usize, aspan: Option<DescribedSpan>, cspan: Option<DescribedSpan>) -> String {
    format!("v{} {} {}", number + 1, DescribedSpan::named(aspan), DescribedSpan::named(cspan))
}
