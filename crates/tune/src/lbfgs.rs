//! Limited-memory BFGS (Nocedal 1980) for smooth convex functions: what trains PRO's classifier.

use std::collections::VecDeque;

/// How many earlier steps shape the next.
const MEMORY: usize = 10;

/// A minimum of `function`, which returns its value at a place and writes its gradient. Ends after `rounds`, or when
/// the gradient's length is below `tolerance` times that of the place (at least 1).
pub fn minimise(
    mut function: impl FnMut(&[f64], &mut [f64]) -> f64,
    start: &[f64],
    rounds: usize,
    tolerance: f64,
) -> Vec<f64> {
    let mut place = start.to_vec();
    let mut gradient = vec![0.0; place.len()];
    let mut value = function(&place, &mut gradient);
    let mut steps: VecDeque<Step> = VecDeque::with_capacity(MEMORY);
    for _ in 0..rounds {
        if norm(&gradient) <= tolerance * norm(&place).max(1.0) {
            break;
        }
        let mut direction = descent(&gradient, &steps);
        if dot(&direction, &gradient) >= 0.0 {
            steps.clear();
            direction = gradient.iter().map(|g| -g).collect();
        }
        let first = if steps.is_empty() { 1.0 / norm(&gradient) } else { 1.0 };
        let slope = dot(&direction, &gradient);
        let Some(next) = search(&mut function, &place, value, &direction, slope, first) else { break };
        let moved: Vec<f64> = next.place.iter().zip(&place).map(|(n, p)| n - p).collect();
        let turned: Vec<f64> = next.gradient.iter().zip(&gradient).map(|(n, g)| n - g).collect();
        let curvature = dot(&moved, &turned);
        if curvature > 1e-12 * norm(&moved) * norm(&turned) {
            steps.truncate(MEMORY - 1);
            steps.push_front(Step { moved, turned, curvature });
        }
        (place, gradient, value) = (next.place, next.gradient, next.value);
    }
    place
}

/// One step taken: how the place and the gradient changed.
struct Step {
    moved: Vec<f64>,
    turned: Vec<f64>,
    curvature: f64,
}

struct Reached {
    place: Vec<f64>,
    gradient: Vec<f64>,
    value: f64,
}

/// The two-loop recursion.
fn descent(gradient: &[f64], steps: &VecDeque<Step>) -> Vec<f64> {
    let mut direction: Vec<f64> = gradient.iter().map(|g| -g).collect();
    let mut shares = Vec::with_capacity(steps.len());
    for step in steps {
        let share = dot(&step.moved, &direction) / step.curvature;
        add(&mut direction, -share, &step.turned);
        shares.push(share);
    }
    if let Some(step) = steps.front() {
        let scale = step.curvature / dot(&step.turned, &step.turned);
        direction.iter_mut().for_each(|d| *d *= scale);
    }
    for (step, share) in steps.iter().zip(shares).rev() {
        let back = dot(&step.turned, &direction) / step.curvature;
        add(&mut direction, share - back, &step.moved);
    }
    direction
}

/// Halves the step until the value falls enough (Armijo 1966).
fn search(
    function: &mut impl FnMut(&[f64], &mut [f64]) -> f64,
    from: &[f64],
    value: f64,
    direction: &[f64],
    slope: f64,
    first: f64,
) -> Option<Reached> {
    let mut gradient = vec![0.0; from.len()];
    let mut length = first;
    for _ in 0..40 {
        let mut place = from.to_vec();
        add(&mut place, length, direction);
        let reached = function(&place, &mut gradient);
        if reached <= value + 1e-4 * length * slope {
            return Some(Reached { place, gradient, value: reached });
        }
        length *= 0.5;
    }
    None
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(x, y)| x * y).sum()
}

fn norm(a: &[f64]) -> f64 {
    dot(a, a).sqrt()
}

fn add(to: &mut [f64], factor: f64, from: &[f64]) {
    to.iter_mut().zip(from).for_each(|(t, f)| *t += factor * f);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_minimum_of_a_stretched_bowl_is_its_centre() {
        let centre = [3.0, -2.0, 0.5, 100.0];
        let stretch = [1.0, 1e4, 1e-2, 3.0];
        let bowl = |place: &[f64], gradient: &mut [f64]| {
            let mut value = 0.0;
            for i in 0..4 {
                let away = place[i] - centre[i];
                value += 0.5 * stretch[i] * away * away;
                gradient[i] = stretch[i] * away;
            }
            value
        };
        let found = minimise(bowl, &[0.0; 4], 200, 1e-9);
        for i in 0..4 {
            assert!((found[i] - centre[i]).abs() < 1e-4, "{found:?}");
        }
    }

    #[test]
    fn a_curved_valley_is_followed_to_its_end() {
        let rosenbrock = |p: &[f64], g: &mut [f64]| {
            let (a, b) = (1.0 - p[0], p[1] - p[0] * p[0]);
            g[0] = -2.0 * a - 400.0 * p[0] * b;
            g[1] = 200.0 * b;
            a * a + 100.0 * b * b
        };
        let found = minimise(rosenbrock, &[-1.2, 1.0], 200, 1e-8);
        assert!((found[0] - 1.0).abs() < 1e-4 && (found[1] - 1.0).abs() < 1e-4, "{found:?}");
    }
}
