//! Elementwise functions, written so that the compiler turns their loops into vector instructions.

/// Runs a loop with the best vector instructions of this machine.
#[inline(always)]
pub(crate) fn simd<R>(work: impl FnOnce() -> R) -> R {
    pulp::Arch::new().dispatch(work)
}

/// e^x to about six digits: 2^n times a polynomial on the rest.
#[inline(always)]
pub(super) fn exp(x: f32) -> f32 {
    let y = x.clamp(-87.0, 87.0) * std::f32::consts::LOG2_E;
    // Adding and taking away 1.5 * 2^23 rounds to the nearest integer without a call.
    let n = (y + 12_582_912.0) - 12_582_912.0;
    let r = (y - n) * std::f32::consts::LN_2;
    let p = 1.0
        + r * (1.0 + r * (0.5 + r * (0.166_666_6 + r * (0.041_666_6 + r * (0.008_333_3 + r * 0.001_39)))));
    p * f32::from_bits(((n as i32 + 127) << 23) as u32)
}

#[inline(always)]
pub(super) fn sigmoid(x: f32) -> f32 {
    1.0 / (1.0 + exp(-x))
}

#[inline(always)]
pub(super) fn tanh(x: f32) -> f32 {
    2.0 * sigmoid(2.0 * x) - 1.0
}

const SLOPE: f32 = 0.1;

/// The leaky rectifier.
#[inline(always)]
pub(crate) fn leaky(x: f32) -> f32 {
    if x > 0.0 { x } else { SLOPE * x }
}

/// Its derivative, from its value.
#[inline(always)]
pub(crate) fn leaky_slope(y: f32) -> f32 {
    if y > 0.0 { 1.0 } else { SLOPE }
}

/// Turns scores into log-probabilities.
pub(crate) fn log_softmax(scores: &mut [f32]) {
    let most = scores.iter().fold(f32::NEG_INFINITY, |m, &s| m.max(s));
    if !most.is_finite() {
        return;
    }
    let sum: f32 = scores.iter().map(|&s| exp(s - most)).sum();
    let norm = most + sum.ln();
    scores.iter_mut().for_each(|s| *s -= norm);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_exponential_is_right_to_a_few_millionths() {
        for i in -800..800 {
            let x = i as f32 / 10.0;
            assert!((exp(x) / x.exp() - 1.0).abs() < 1e-5, "{x}");
        }
        assert!((tanh(0.3) - 0.3f32.tanh()).abs() < 1e-6);
        assert_eq!(exp(-1000.0).max(1e-30), 1e-30);
    }
}
