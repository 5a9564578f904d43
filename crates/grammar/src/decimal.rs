//! Scores as Moses prints them: six significant digits. A table keeps them in this form, so that a dump is the same to
//! the last digit, whatever the size of the value, in 32 bits.

use std::fmt;

const DIGITS: u32 = 100_000;
const BIAS: i32 = 2048;
/// What is smaller is nothing.
const SMALLEST: f64 = 1e-290;

/// A number of 0 or more with six significant decimal digits: 20 bits of digits, 12 of exponent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, bytemuck::Pod, bytemuck::Zeroable)]
#[repr(transparent)]
pub struct Decimal(u32);

impl Decimal {
    /// Nothing.
    pub const ZERO: Self = Self(0);

    /// The nearest such number; what is no number above 0 becomes 0.
    pub fn new(value: f64) -> Self {
        if value.is_nan() || value < SMALLEST {
            return Self::ZERO;
        }
        let value = value.min(1.0 / SMALLEST);
        let binary = (value.to_bits() >> 52) as i32 - 1023;
        let mut exponent = ((binary * 1233) >> 12) - 5;
        let mut digits = scale(value, -exponent).round_ties_even();
        // The power of two may lie below a power of ten that the value reaches, and rounding may reach one.
        if digits >= f64::from(10 * DIGITS) {
            exponent += 1;
            digits = scale(value, -exponent).round_ties_even();
        }
        let digits = (digits as u32).clamp(DIGITS, 10 * DIGITS - 1);
        Self(digits << 12 | (exponent + BIAS) as u32 & 0xfff)
    }

    /// Its value.
    pub fn value(self) -> f64 {
        let (digits, exponent) = self.parts();
        scale(f64::from(digits), exponent)
    }

    /// Its natural logarithm; that of 0 is the logarithm of the smallest number.
    pub fn ln(self) -> f32 {
        let (digits, exponent) = self.parts();
        if digits == 0 {
            return Self::new(f64::from(f32::MIN_POSITIVE)).ln();
        }
        (f64::from(digits).ln() + f64::from(exponent) * std::f64::consts::LN_10) as f32
    }

    /// A number that is greater for greater values.
    pub fn ordered(self) -> u32 {
        self.0.rotate_right(12)
    }

    /// The value of such a number.
    pub fn from_ordered(number: u32) -> Self {
        Self(number.rotate_left(12))
    }

    fn parts(self) -> (u32, i32) {
        (self.0 >> 12, (self.0 & 0xfff) as i32 - BIAS)
    }
}

/// `value` times a power of ten.
fn scale(value: f64, power: i32) -> f64 {
    match power {
        0..=22 => value * EXACT[power as usize],
        23.. => value * 10f64.powi(power),
        _ => value / 10f64.powi(-power),
    }
}

/// The powers of ten that are exact.
const EXACT: [f64; 23] = [
    1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18,
    1e19, 1e20, 1e21, 1e22,
];

/// As C prints a number with `%g`.
impl fmt::Display for Decimal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (digits, exponent) = self.parts();
        if digits == 0 {
            return f.write_str("0");
        }
        let text = format!("{digits:06}");
        let text = text.trim_end_matches('0');
        let point = exponent + 5;
        if !(-4..6).contains(&point) {
            let (first, rest) = text.split_at(1);
            let dot = if rest.is_empty() { "" } else { "." };
            let sign = if point < 0 { '-' } else { '+' };
            return write!(f, "{first}{dot}{rest}e{sign}{:02}", point.abs());
        }
        if point < 0 {
            return write!(f, "0.{:0>width$}{text}", "", width = (-point - 1) as usize);
        }
        let whole = point as usize + 1;
        if text.len() <= whole {
            write!(f, "{text:0<whole$}")
        } else {
            write!(f, "{}.{}", &text[..whole], &text[whole..])
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn numbers_print_as_c_prints_them() {
        for (value, text) in [
            (1.0, "1"),
            (0.0, "0"),
            (1.0 / 3.0, "0.333333"),
            (0.0009765625, "0.000976562"),
            (0.00009765625, "9.76562e-05"),
            (123456.0, "123456"),
            (1234567.0, "1.23457e+06"),
            (999999.7, "1e+06"),
            (0.5, "0.5"),
            (100.0, "100"),
            (18.25, "18.25"),
            (1e-60, "1e-60"),
            (2.25, "2.25"),
            (f64::NAN, "0"),
        ] {
            assert_eq!(Decimal::new(value).to_string(), text);
        }
    }

    proptest! {
        #[test]
        fn five_digits_are_always_right(value in 1e-3f64..1e9, power in -250i32..0) {
            let value = value * 10f64.powi(power);
            let decimal = Decimal::new(value);
            prop_assert!((decimal.value() / value - 1.0).abs() < 5.1e-6);
            prop_assert!((f64::from(decimal.ln()) - value.ln()).abs() < 1e-4);
            prop_assert_eq!(Decimal::new(decimal.value()), decimal);
            prop_assert_eq!(Decimal::new(decimal.to_string().parse().unwrap()), decimal);
            prop_assert_eq!(Decimal::from_ordered(decimal.ordered()), decimal);
            let greater = Decimal::new(value * 1.001);
            prop_assert!(greater.ordered() > decimal.ordered());
        }
    }
}
