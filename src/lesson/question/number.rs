//! Numbers as people type them: `1,294`, `5.55x`, `12 %`, `1/8`, `64 x 64`, `0.3 ms`.

use crate::lesson::answer::Value;
use crate::lesson::document::Tolerance;

#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct TypedNumber {
    /// Its value, in the unit of the question.
    pub(super) value: f64,
    /// The worth of its last digit, if it has enough digits to be a rounded value; 0 if it must be
    /// exact.
    last_digit: f64,
}

/// Units of the same dimension and how much of the first of them they are.
const UNITS: &[&[(&str, f64)]] = &[
    &[("s", 1.0), ("ms", 1e-3), ("us", 1e-6), ("µs", 1e-6), ("ns", 1e-9)],
    &[("FLOP/s", 1.0), ("GFLOP/s", 1e9), ("TFLOP/s", 1e12)],
    &[("B/s", 1.0), ("GB/s", 1e9), ("TB/s", 1e12)],
    &[("bytes", 1.0), ("B", 1.0), ("KB", 1e3), ("KiB", 1024.0), ("MB", 1e6), ("GB", 1e9)],
];

/// Words that follow any number and what they multiply it by.
const SCALES: &[(&str, f64)] =
    &[("x", 1.0), ("×", 1.0), ("times", 1.0), ("k", 1e3), ("thousand", 1e3), ("million", 1e6)];

/// Digits that a number needs to count as a rounded one: `0.4` for 0.375 is a guess.
const ROUNDED: usize = 2;

/// How far from what is right a rounded number may be: 12 is 12.5 rounded, 10 is not 9.5.
const COARSEST: f64 = 0.04;

/// Reads a number with the unit of the question, another one of its dimension, or none.
pub(super) fn read(text: &str, unit: &str) -> Option<TypedNumber> {
    let text = text.trim().trim_start_matches(['~', '≈', '=']).trim_start();
    if ["none", "zero"].contains(&text.to_lowercase().as_str()) {
        return Some(TypedNumber { value: 0.0, last_digit: 0.0 });
    }
    let (mut typed, mut rest) = literal(text)?;
    let mut is_ratio = false;
    while let Some((divides, after)) = operator(rest) {
        let Some((factor, after)) = literal(after) else { break };
        if divides && factor.value == 0.0 {
            return None;
        }
        let value = if divides { typed.value / factor.value } else { typed.value * factor.value };
        (typed, rest) = (TypedNumber { value, last_digit: 0.0 }, after);
        is_ratio |= divides;
    }
    let in_percent = unit == "%";
    let scale = match rest.trim() {
        "" if is_ratio && in_percent => 100.0,
        "" => 1.0,
        word => scale_of(word, unit)?,
    };
    let typed = TypedNumber { value: typed.value * scale, last_digit: typed.last_digit * scale };
    typed.value.is_finite().then_some(typed)
}

impl TypedNumber {
    /// Whether what was typed matches this number: exactly, within the tolerance or, if it is not
    /// whole, rounded.
    pub(super) fn is(self, right: f64, within: Tolerance) -> bool {
        let distance = (self.value - right).abs();
        let most = (self.last_digit / 2.0).min(COARSEST * right.abs());
        let rounds = right.fract() != 0.0 && distance <= most * (1.0 + 1e-9);
        rounds || near(self.value, right, within)
    }
}

/// Whether a number counts as another.
fn near(number: f64, right: f64, within: Tolerance) -> bool {
    let distance = (number - right).abs();
    let equal = distance <= 1e-9 * right.abs();
    equal
        || match within {
            Tolerance::Exact => false,
            Tolerance::Share(share) => distance <= share * right.abs() * (1.0 + 1e-9),
            Tolerance::Factor(factor) => {
                let ratio = number / right;
                (1.0 / factor..=factor).contains(&ratio)
            }
        }
}

/// Whether two answers count as the same.
pub(super) fn same(value: &Value, right: &Value, within: Tolerance) -> bool {
    match (value.number(), right.number()) {
        (Some(value), Some(right)) => near(value, right, within),
        _ => value == right,
    }
}

/// What a number is multiplied by for the word after it, or `None` for a wrong unit.
fn scale_of(word: &str, unit: &str) -> Option<f64> {
    let is = |name: &str| name.to_lowercase() == word.to_lowercase();
    if let Some(factor) = converted(word, unit) {
        return Some(factor);
    }
    if is("%") || is("percent") || is("per cent") {
        return Some(if unit == "%" { 1.0 } else { 0.01 });
    }
    let (unit, typed) = (unit.to_lowercase(), word.to_lowercase());
    let is_noun = |noun: &str| singular(noun) == singular(&typed);
    let is_unit = if unit.is_empty() {
        typed.chars().all(|letter| letter.is_alphabetic() || letter == ' ')
    } else {
        is_noun(&unit) || unit.split(' ').next_back().is_some_and(is_noun)
    };
    SCALES
        .iter()
        .find(|(name, _)| is(name))
        .map(|(_, factor)| *factor)
        .or_else(|| is_unit.then_some(1.0))
}

/// What a number in one unit is multiplied by to be in the other, if they measure the same.
fn converted(from: &str, to: &str) -> Option<f64> {
    UNITS.iter().find_map(|units| {
        let factor = |name: &str| {
            let same = units.iter().find(|(unit, _)| *unit == name);
            let alike =
                || units.iter().find(|(unit, _)| unit.to_lowercase() == name.to_lowercase());
            same.or_else(alike).map(|(_, factor)| factor)
        };
        Some(factor(from)? / factor(to)?)
    })
}

/// A word without the end of its plural, so that `1 pass` and `2 passes` agree.
pub fn singular(word: &str) -> &str {
    match word.strip_suffix("es") {
        Some(stem) if stem.ends_with("ss") => stem,
        _ if word.ends_with("ss") => word,
        _ => word.strip_suffix('s').unwrap_or(word),
    }
}

/// The operator at the start of a text: whether it divides, and what follows.
fn operator(text: &str) -> Option<(bool, &str)> {
    let text = text.trim_start();
    let mut letters = text.chars();
    let divides = match letters.next()? {
        '/' | ':' => true,
        '*' | '×' | 'x' | '·' => false,
        _ => return None,
    };
    Some((divides, letters.as_str().trim_start()))
}

/// The number at the start of a text, and what follows.
fn literal(text: &str) -> Option<(TypedNumber, &str)> {
    let (negative, text) = text.strip_prefix(['-', '−']).map_or((false, text), |rest| (true, rest));
    let (mut digits, mut rest) = grouped(text);
    let mut decimals = 0;
    if let Some(fraction) = rest.strip_prefix(['.', ',']) {
        let length = leading_digits(fraction);
        if length > 0 {
            digits.push('.');
            digits.push_str(&fraction[..length]);
            (decimals, rest) = (length, &fraction[length..]);
        }
    }
    let mut value: f64 = digits.parse().ok()?;
    if let Some(exponent) = rest.strip_prefix(['e', 'E']) {
        let length = leading_digits(exponent);
        if length > 0 {
            value *= 10_f64.powi(exponent[..length].parse().ok()?);
            rest = &exponent[length..];
        }
    }
    let significant =
        digits.trim_start_matches(['0', '.']).trim_matches('.').replace('.', "").len();
    let last_digit = if significant >= ROUNDED { 10_f64.powi(-(decimals as i32)) } else { 0.0 };
    let value = if negative { -value } else { value };
    Some((TypedNumber { value, last_digit }, rest))
}

/// The digits at the start of a text, without the marks between groups of three, and what follows.
fn grouped(text: &str) -> (String, &str) {
    let length = leading_digits(text);
    let (mut digits, mut rest) = (text[..length].to_owned(), &text[length..]);
    let is_separator =
        |letter: char| matches!(letter, ',' | '_' | '\'' | ' ' | '\u{a0}' | '\u{202f}');
    while let Some(group) =
        rest.strip_prefix(is_separator).filter(|group| leading_digits(group) == 3)
    {
        if digits.is_empty() {
            break;
        }
        digits.push_str(&group[..3]);
        rest = &group[3..];
    }
    (digits, rest)
}

fn leading_digits(text: &str) -> usize {
    text.bytes().take_while(u8::is_ascii_digit).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn value(text: &str, unit: &str) -> Option<f64> {
        read(text, unit).map(|typed| (typed.value * 1e9).round() / 1e9)
    }

    #[test]
    fn numbers_are_read_as_people_type_them() {
        for (text, unit, expected) in [
            ("2", "passes", 2.0),
            (" 1 pass", "passes", 1.0),
            ("2 Passes", "passes", 2.0),
            ("1,294", "", 1294.0),
            ("1 835 008", "", 1_835_008.0),
            ("1_835_008 conflicts", "bank conflicts", 1_835_008.0),
            ("5,55", "", 5.55),
            ("5.55x", "times", 5.55),
            ("5.55 times", "", 5.55),
            ("~ 3.5k", "", 3500.0),
            ("1e6", "", 1e6),
            ("12 %", "%", 12.0),
            ("12.5", "%", 12.5),
            ("1/8", "%", 12.5),
            ("25 %", "", 0.25),
            ("1/2", "", 0.5),
            ("16:2", "", 8.0),
            ("64 x 64", "", 4096.0),
            ("0.3 s", "ms", 300.0),
            ("8.9 TFLOP/s", "GFLOP/s", 8900.0),
            ("8.9 tflop/s", "GFLOP/s", 8900.0),
            ("2 KiB", "bytes", 2048.0),
            ("4 warps", "", 4.0),
            ("none", "", 0.0),
            ("-3", "", -3.0),
            (".5", "", 0.5),
            ("3 conflicts", "bank conflicts", 3.0),
        ] {
            assert_eq!(value(text, unit), Some(expected), "{text:?} {unit:?}");
        }
    }

    #[test]
    fn what_is_no_number_of_that_unit_is_not_read() {
        let texts =
            ["", "two", "2 lanes", "1/0", "2 3", ".", "x", "2 ms", "%", "٣", "1e999", "- 2", "2,"];
        for text in texts {
            assert_eq!(value(text, "passes"), None, "{text:?}");
        }
    }

    #[test]
    fn a_rounded_number_is_right_but_only_for_one_that_is_not_whole() {
        let is = |text: &str, right: f64, within| {
            read(text, "").is_some_and(|typed| typed.is(right, within))
        };
        assert!(is("0.38", 0.375, Tolerance::Exact) && !is("0.4", 0.375, Tolerance::Exact));
        assert!(is("12", 12.5, Tolerance::Exact) && is("13", 12.5, Tolerance::Exact));
        assert!(!is("10", 9.5, Tolerance::Exact) && is("9.5", 9.5, Tolerance::Exact));
        assert!(!is("1290", 1294.0, Tolerance::Exact) && is("1294.0", 1294.0, Tolerance::Exact));
        assert!(
            is("4.0", 5.55, Tolerance::Factor(1.5)) && !is("3.6", 5.55, Tolerance::Factor(1.5))
        );
        assert!(
            is("110", 100.0, Tolerance::Share(0.1)) && !is("111", 100.0, Tolerance::Share(0.1))
        );
        assert!(is("0", 0.0, Tolerance::Factor(2.0)) && !is("1", 0.0, Tolerance::Factor(2.0)));
    }
}
