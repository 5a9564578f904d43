//! Charts of a report: bars for scores and counts, points for speed against quality, lines for length buckets.

use super::svg::{Anchor, LINE, Svg, text_width};

const HEIGHT: f64 = 180.0;
const TOP: f64 = 24.0;
const LEFT: f64 = 52.0;
/// Where a legend goes on in the next row.
const WIDEST: f64 = 640.0;
/// How many colours the style sheet has.
const COLOURS: usize = 12;

/// Values of several series over the same groups.
#[derive(Debug, Clone, Default)]
pub struct Series {
    /// What is shown.
    pub title: String,
    /// The groups along the axis.
    pub groups: Vec<String>,
    /// Each series' name and its values, one a group; missing values are not drawn.
    pub series: Vec<(String, Vec<Option<f64>>)>,
}

/// A point of a scatter chart.
#[derive(Debug, Clone)]
pub struct Point {
    /// What the point stands for.
    pub name: String,
    /// Its place along the axis.
    pub x: f64,
    /// Its height.
    pub y: f64,
}

/// A round step that cuts `range` into about five parts.
fn step(range: f64) -> f64 {
    let raw = (range / 5.0).max(1e-12);
    let magnitude = 10f64.powf(raw.log10().floor());
    let nice = [1.0, 2.0, 5.0, 10.0].into_iter().find(|nice| nice * magnitude >= raw).unwrap_or(10.0);
    nice * magnitude
}

/// A number with as many digits as a reader wants.
fn number(value: f64) -> String {
    match value.abs() {
        v if v >= 1e6 => format!("{:.1}M", value / 1e6),
        v if v >= 1e4 => format!("{:.0}k", value / 1e3),
        v if v >= 100.0 || value.fract() == 0.0 => format!("{value:.0}"),
        v if v >= 1.0 => format!("{value:.1}"),
        _ => format!("{value:.3}"),
    }
}

struct Axis {
    low: f64,
    high: f64,
    from: f64,
    to: f64,
}

impl Axis {
    /// An axis over `values` drawn between two coordinates; from zero if `zero`.
    fn new(values: impl Iterator<Item = f64>, zero: bool, from: f64, to: f64) -> Self {
        let (mut low, mut high) =
            values.fold((f64::MAX, f64::MIN), |(low, high), v| (low.min(v), high.max(v)));
        if low > high {
            (low, high) = (0.0, 1.0);
        }
        if zero {
            low = low.min(0.0);
        }
        let step = step((high - low).max(high.abs() * 0.05));
        let (mut low, mut high) = ((low / step).floor() * step, (high / step).ceil() * step);
        if high <= low {
            (low, high) = (low - step, low + step);
        }
        Self { low, high, from, to }
    }

    fn at(&self, value: f64) -> f64 {
        self.from + (value - self.low) / (self.high - self.low) * (self.to - self.from)
    }

    /// Where it starts, if that is not zero: readers expect zero.
    fn start(&self) -> String {
        if self.low == 0.0 { String::new() } else { format!(" (axis from {})", number(self.low)) }
    }

    fn ticks(&self) -> impl Iterator<Item = f64> {
        let step = step(self.high - self.low);
        let (low, count) = (self.low, ((self.high - self.low) / step).round() as usize);
        (0..=count).map(move |k| low + step * k as f64)
    }
}

fn grid(svg: &mut Svg, axis: &Axis, right: f64) {
    for tick in axis.ticks() {
        let y = axis.at(tick);
        svg.line((LEFT, y), (right, y), "grid");
        svg.text(LEFT - 6.0, y + 4.0, Anchor::End, "small", &number(tick));
    }
}

/// The names of the series with their colours, in as many rows as they need; one series needs none.
fn legend(svg: &mut Svg, series: &[(String, Vec<Option<f64>>)], mut y: f64) {
    if series.len() < 2 {
        return;
    }
    let mut x = LEFT;
    for (k, (name, _)) in series.iter().enumerate() {
        let width = 34.0 + text_width(name);
        if x > LEFT && x + width > LEFT + WIDEST {
            (x, y) = (LEFT, y + LINE);
        }
        svg.rect(x, y - 9.0, 10.0, 10.0, &colour('c', k), name);
        svg.text(x + 14.0, y, Anchor::Start, "small", name);
        x += width;
    }
}

/// The class of the colour of a series.
fn colour(kind: char, series: usize) -> String {
    format!("{kind}{}", series % COLOURS)
}

/// Writes the names of groups below their middles, one below the other where they would touch; where what follows may begin.
fn group_names(svg: &mut Svg, names: &[String], middle: impl Fn(usize) -> f64) -> f64 {
    let mut labels: Vec<((f64, f64), f64)> = Vec::new();
    let mut lowest = TOP + HEIGHT + LINE;
    for (g, name) in names.iter().enumerate() {
        let width = text_width(name) + 6.0;
        let place = free_place(&labels, middle(g) - width / 2.0, TOP + HEIGHT + LINE, width);
        labels.push((place, width));
        svg.text(middle(g), place.1, Anchor::Middle, "small", name);
        lowest = lowest.max(place.1);
    }
    lowest + 1.5 * LINE
}

/// Bars side by side, a colour a series. They begin at zero: a bar that does not shows a difference larger than it is.
pub fn bars(chart: &Series) -> String {
    let mut svg = Svg::default();
    let values = || chart.series.iter().flat_map(|(_, values)| values.iter().flatten().copied());
    let axis = Axis::new(values(), true, TOP + HEIGHT, TOP);
    let bar = (480.0 / (chart.groups.len() * (chart.series.len() + 1)).max(1) as f64).clamp(8.0, 42.0);
    let group = bar * (chart.series.len() + 1) as f64;
    let right = LEFT + group * chart.groups.len() as f64;
    grid(&mut svg, &axis, right);
    svg.text(LEFT, 14.0, Anchor::Start, "title", &chart.title);
    for (g, name) in chart.groups.iter().enumerate() {
        let x = LEFT + group * g as f64 + bar / 2.0;
        for (s, (series, values)) in chart.series.iter().enumerate() {
            if let Some(value) = values.get(g).copied().flatten() {
                let y = axis.at(value);
                let tip = format!("{series}, {name}: {}", number(value));
                let height = axis.at(axis.low) - y;
                svg.rect(x + bar * s as f64, y, bar - 2.0, height, &colour('c', s), &tip);
            }
        }
    }
    let middle = |g: usize| LEFT + group * g as f64 + group / 2.0;
    let below = group_names(&mut svg, &chart.groups, middle);
    legend(&mut svg, &chart.series, below);
    svg.finish(&chart.title)
}

/// Lines over groups, a colour a series.
pub fn lines(chart: &Series) -> String {
    let mut svg = Svg::default();
    let values = || chart.series.iter().flat_map(|(_, values)| values.iter().flatten().copied());
    let axis = Axis::new(values(), false, TOP + HEIGHT, TOP);
    let pitch = (480.0 / chart.groups.len().max(1) as f64).max(48.0);
    let right = LEFT + pitch * chart.groups.len() as f64;
    grid(&mut svg, &axis, right);
    svg.text(LEFT, 14.0, Anchor::Start, "title", &format!("{}{}", chart.title, axis.start()));
    let x = |g: usize| LEFT + pitch * (g as f64 + 0.5);
    let below = group_names(&mut svg, &chart.groups, x);
    for (s, (series, values)) in chart.series.iter().enumerate() {
        let there = values.iter().enumerate().filter_map(|(g, value)| value.map(|value| (g, value)));
        let points: Vec<(usize, f64)> = there.collect();
        for pair in points.windows(2) {
            let at = |(g, value): (usize, f64)| (x(g), axis.at(value));
            svg.line(at(pair[0]), at(pair[1]), &colour('l', s));
        }
        for (g, value) in points {
            let tip = format!("{series}, {}: {}", chart.groups[g], number(value));
            svg.dot(x(g), axis.at(value), &colour('c', s), &tip);
        }
    }
    legend(&mut svg, &chart.series, below);
    svg.finish(&chart.title)
}

/// The first place at or below a point where a label of this width covers no other.
fn free_place(labels: &[((f64, f64), f64)], x: f64, mut y: f64, width: f64) -> (f64, f64) {
    let covers = |y: f64| {
        labels.iter().any(|&((left, line), other)| {
            (line - y).abs() < LINE * 0.8 && x < left + other && left < x + width
        })
    };
    while covers(y) {
        y += LINE * 0.8;
    }
    (x, y)
}

/// Points, each with its name: `x` along the bottom, `y` up.
pub fn scatter(title: &str, along: &str, points: &[Point]) -> String {
    let mut svg = Svg::default();
    let right = LEFT + 420.0;
    let up = Axis::new(points.iter().map(|p| p.y), false, TOP + HEIGHT, TOP);
    let across = Axis::new(points.iter().map(|p| p.x), true, LEFT, right);
    grid(&mut svg, &up, right);
    svg.text(LEFT, 14.0, Anchor::Start, "title", &format!("{title}{}", up.start()));
    for tick in across.ticks() {
        svg.text(across.at(tick), TOP + HEIGHT + LINE, Anchor::Middle, "small", &number(tick));
    }
    svg.text((LEFT + right) / 2.0, TOP + HEIGHT + 2.2 * LINE, Anchor::Middle, "small", along);
    let mut labels: Vec<((f64, f64), f64)> = Vec::new();
    for (k, point) in points.iter().enumerate() {
        let (x, y) = (across.at(point.x), up.at(point.y));
        svg.dot(x, y, &colour('c', k), &format!("{}: {}, {}", point.name, number(point.x), number(point.y)));
        let place = free_place(&labels, x + 8.0, y - 6.0, text_width(&point.name));
        labels.push((place, text_width(&point.name)));
        svg.text(place.0, place.1, Anchor::Start, "small", &point.name);
    }
    svg.finish(title)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn axes_have_round_ticks_that_hold_all_values() {
        let axis = Axis::new([36.2, 41.9].into_iter(), false, 0.0, 1.0);
        assert!(axis.low <= 36.2 && axis.high >= 41.9);
        let ticks: Vec<f64> = axis.ticks().collect();
        assert!(ticks.len() >= 3 && ticks.len() <= 9, "{ticks:?}");
        assert_eq!(Axis::new([7.0].into_iter(), true, 0.0, 1.0).low, 0.0);
    }

    #[test]
    fn each_value_has_a_bar_and_missing_ones_have_none() {
        let chart = Series {
            title: "BLEU".into(),
            groups: vec!["a".into(), "b".into()],
            series: vec![("x".into(), vec![Some(1.0), None]), ("y".into(), vec![Some(2.0), Some(3.0)])],
        };
        let picture = bars(&chart);
        assert_eq!(picture.matches("<rect").count(), 3 + 2, "three bars, two in the legend");
        assert_eq!(lines(&chart).matches("<circle").count(), 3);
    }

    #[test]
    fn an_axis_that_does_not_start_at_zero_says_so() {
        let point = |y| Point { name: "x".into(), x: 5.0, y };
        assert!(scatter("BLEU", "speed", &[point(40.0), point(42.0)]).contains("BLEU (axis from "));
        assert!(!scatter("BLEU", "speed", &[point(0.0), point(42.0)]).contains("axis from"));
    }

    #[test]
    fn no_values_are_no_trouble() {
        assert!(bars(&Series::default()).starts_with("<svg"));
        assert!(scatter("t", "x", &[]).starts_with("<svg"));
    }
}
