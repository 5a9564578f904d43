//! Numbers on the command line: sizes with units, and no option that takes `nan`.

use anyhow::{Context, Result, bail};
use clap::Command;
use clap::builder::{StringValueParser, TypedValueParser, ValueParser};
use std::any::TypeId;
use std::str::FromStr;

/// Parses a size in bytes, as `500M` or `4G`.
pub fn parse_size(text: &str) -> Result<u64> {
    let digits = text.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let shift = match text[digits.len()..].to_ascii_uppercase().as_str() {
        "" | "B" => 0,
        "K" | "KB" => 10,
        "M" | "MB" => 20,
        "G" | "GB" => 30,
        "T" | "TB" => 40,
        _ => bail!("a size is a number with K, M, G or T, as in 4G"),
    };
    let number: f64 = digits.parse().context("a size is a number with K, M, G or T, as in 4G")?;
    if number.is_nan() || number < 0.0 {
        bail!("a size cannot be negative");
    }
    Ok((number * (1u64 << shift) as f64) as u64)
}

/// Makes every option of the command, and of those below it, that takes a real number refuse `nan` and `inf`: no setting means
/// anything with them, and most comparisons would silently be false.
pub fn finite_numbers(command: Command) -> Command {
    let command = command.mut_args(|arg| {
        let takes = arg.get_value_parser().type_id();
        if takes == TypeId::of::<f64>() {
            arg.value_parser(finite::<f64>(f64::is_finite))
        } else if takes == TypeId::of::<f32>() {
            arg.value_parser(finite::<f32>(f32::is_finite))
        } else {
            arg
        }
    });
    command.mut_subcommands(finite_numbers)
}

fn finite<T>(is_finite: fn(T) -> bool) -> ValueParser
where
    T: FromStr + Copy + Send + Sync + 'static,
{
    let parse = move |text: String| match text.parse::<T>() {
        Ok(number) if is_finite(number) => Ok(number),
        _ => Err("expected a number"),
    };
    ValueParser::from(StringValueParser::new().try_map(parse))
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::Arg;

    #[test]
    fn sizes_have_units() {
        for (text, bytes) in [("17", 17), ("4G", 4 << 30), ("1.5k", 1536), ("2MB", 2 << 20)] {
            assert_eq!(parse_size(text).unwrap(), bytes);
        }
        for text in ["", "G", "4X", "-1G", "nanM"] {
            assert!(parse_size(text).is_err(), "{text}");
        }
    }

    #[test]
    fn no_option_takes_what_is_no_number() {
        let share = Arg::new("share").long("share").value_parser(clap::value_parser!(f64));
        let command = finite_numbers(Command::new("a").subcommand(Command::new("b").arg(share)));
        for (text, accepted) in [("0.5", true), ("nan", false), ("-inf", false), ("x", false)] {
            let parsed = command.clone().try_get_matches_from(["a", "b", &format!("--share={text}")]);
            assert_eq!(parsed.is_ok(), accepted, "{text}");
        }
    }
}
