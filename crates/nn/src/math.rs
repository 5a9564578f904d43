//! Elementwise functions, written so that the compiler turns their loops into vector instructions.

/// Runs a loop with the best vector instructions of this machine.
#[inline(always)]
pub fn simd<R>(work: impl FnOnce() -> R) -> R {
    pulp::Arch::new().dispatch(work)
}

/// The hyperbolic tangent as a quotient of polynomials, exact to a few units in the last place of `f32`: loops over it
/// become vector instructions, which those over the library's function do not.
#[inline(always)]
pub fn tanh(x: f32) -> f32 {
    let x = x.clamp(-7.904_531, 7.904_531);
    let square = x * x;
    let p = square.mul_add_plain(-2.760_768_5e-16, 2.000_188e-13);
    let p = square.mul_add_plain(p, -8.604_672e-11);
    let p = square.mul_add_plain(p, 5.122_297e-8);
    let p = square.mul_add_plain(p, 1.485_722_4e-5);
    let p = square.mul_add_plain(p, 6.372_619e-4);
    let p = square.mul_add_plain(p, 4.893_525e-3);
    let q = square.mul_add_plain(1.198_258_4e-6, 1.185_347_1e-4);
    let q = square.mul_add_plain(q, 2.268_434_6e-3);
    let q = square.mul_add_plain(q, 4.893_525e-3);
    x * p / q
}

/// The logistic function.
#[inline(always)]
pub fn sigmoid(x: f32) -> f32 {
    0.5 + 0.5 * tanh(0.5 * x)
}

/// The exponential function to six digits, made like [`tanh`]; 0 below -87.
#[inline(always)]
pub fn exp(x: f32) -> f32 {
    // Adding this leaves a whole number in the last bits.
    const WHOLE: f32 = 12_582_912.0;
    let limited = x.clamp(-87.0, 88.0);
    let shifted = limited * std::f32::consts::LOG2_E + WHOLE;
    let power = shifted - WHOLE;
    let rest = limited - power * 0.693_359_4 + power * 2.121_944_4e-4;
    let p = rest.mul_add_plain(1.987_569_1e-4, 1.398_2e-3);
    let p = rest.mul_add_plain(p, 8.333_452e-3);
    let p = rest.mul_add_plain(p, 4.166_579_6e-2);
    let p = rest.mul_add_plain(p, 1.666_666_5e-1);
    let p = rest.mul_add_plain(p, 0.5);
    let value = rest * rest * p + rest + 1.0;
    let power = shifted.to_bits().wrapping_sub(WHOLE.to_bits()).wrapping_add(127) << 23;
    if x < -87.0 { 0.0 } else { value * f32::from_bits(power) }
}

/// `self * a + b` as two instructions: fused ones are a call where the processor is not known to have them.
trait MulAddPlain {
    fn mul_add_plain(self, a: Self, b: Self) -> Self;
}

impl MulAddPlain for f32 {
    #[inline(always)]
    fn mul_add_plain(self, a: f32, b: f32) -> f32 {
        self * a + b
    }
}

const SLOPE: f32 = 0.1;

/// The leaky rectifier.
#[inline(always)]
pub fn leaky(x: f32) -> f32 {
    if x > 0.0 { x } else { SLOPE * x }
}

/// Its derivative, from its value.
#[inline(always)]
pub fn leaky_slope(y: f32) -> f32 {
    if y > 0.0 { 1.0 } else { SLOPE }
}

/// A number to calculate with, whatever the parameters of a damaged file give.
pub fn finite(score: f32) -> f32 {
    if score.is_finite() { score.max(-1e4) } else { -1e4 }
}

/// Turns scores into log-probabilities.
pub fn log_softmax(scores: &mut [f32]) {
    let most = scores.iter().fold(f32::NEG_INFINITY, |m, &s| m.max(s));
    if !most.is_finite() {
        return;
    }
    let sum: f32 = scores.iter().map(|&s| exp(s - most)).sum();
    let norm = most + sum.ln();
    scores.iter_mut().for_each(|s| *s -= norm);
}

/// Turns scores into the gradient of the cross-entropy of `right`; gives the cross-entropy.
pub fn cross_entropy(scores: &mut [f32], right: usize, weight: f32) -> f32 {
    log_softmax(scores);
    let loss = -scores[right] * weight;
    scores.iter_mut().for_each(|s| *s = s.exp() * weight);
    scores[right] -= weight;
    loss
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tanh_is_the_librarys_to_six_digits() {
        for step in -2000..=2000 {
            let x = step as f32 / 100.0;
            assert!((tanh(x) - x.tanh()).abs() < 1e-6, "{x}");
            assert!((sigmoid(x) - 1.0 / (1.0 + (-x).exp())).abs() < 1e-6, "{x}");
        }
    }

    #[test]
    fn exp_is_the_librarys_to_six_digits() {
        for step in -870..=880 {
            let x = step as f32 / 10.0;
            assert!((exp(x) / x.exp() - 1.0).abs() < 1e-6, "{x} {} {}", exp(x), x.exp());
        }
        assert_eq!(exp(f32::NEG_INFINITY), 0.0);
        assert!(exp(f32::NAN).is_nan());
    }
}
