//! Numbers as text: `16,777,216`, `1 pass`, `2 passes`, `16 x 16`, `5-9`.

use crate::launch::Dim3;
use std::fmt;

/// 16777216 as 16,777,216.
pub fn grouped(value: u64) -> String {
    let digits = value.to_string();
    let mut out = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

/// Bytes that were moved, with three digits and a decimal prefix: `446 GB`, `1.65 TB`, `0`.
pub fn moved(bytes: f64) -> String {
    const PREFIXES: [&str; 5] = ["", "k", "M", "G", "T"];
    if bytes <= 0.0 {
        return "0".to_owned();
    }
    // 999.5 has three digits only as 1.00 of the next prefix.
    let power = ((bytes / 0.9995).log10() / 3.0).floor().clamp(0.0, 4.0);
    let value = bytes / 1000_f64.powf(power);
    let places = if power < 1.0 || value >= 99.95 { 0 } else { 1 + usize::from(value < 9.995) };
    format!("{value:.places$} {}B", PREFIXES[power as usize])
}

/// Bytes that something holds, with a binary prefix: `2 KiB`, `60 MiB`.
pub fn held(bytes: u64) -> String {
    match bytes {
        0..1024 => format!("{bytes} B"),
        1024..1_048_576 => format!("{} KiB", bytes.div_ceil(1 << 10)),
        1_048_576..1_073_741_824 => format!("{} MiB", bytes.div_ceil(1 << 20)),
        _ => format!("{} GiB", bytes.div_ceil(1 << 30)),
    }
}

/// A time with at least three significant digits, down to 0.01 ms: `0.0571 ms`, `141 ms`.
pub fn milliseconds(ms: f64) -> String {
    match ms {
        100.0.. => format!("{ms:.0} ms"),
        10.0.. => format!("{ms:.1} ms"),
        1.0.. => format!("{ms:.2} ms"),
        0.1.. => format!("{ms:.3} ms"),
        _ => format!("{ms:.4} ms"),
    }
}

/// A share in percent, rounded to one decimal: `12.5`, `66.7`, `100`.
pub fn percent(part: u32, whole: u32) -> f64 {
    (1000.0 * f64::from(part) / f64::from(whole.max(1))).round() / 10.0
}

/// `16 x 16`, and a third side if it is not 1.
pub fn sides(Dim3 { x, y, z }: Dim3) -> String {
    if z == 1 { format!("{x} x {y}") } else { format!("{x} x {y} x {z}") }
}

/// A grouped number and its noun, in the plural if necessary.
#[derive(Clone, Copy, Debug)]
pub struct Count<'a>(pub u64, pub &'a str);

impl fmt::Display for Count<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self(count, noun) = *self;
        write!(f, "{} {noun}{}", grouped(count), plural(count, noun))
    }
}

/// The plural ending of `noun` for this count.
pub fn plural(count: u64, noun: &str) -> &'static str {
    match (count, noun.ends_with('s')) {
        (1, _) => "",
        (_, true) => "es",
        (_, false) => "s",
    }
}

/// A range from the first to the last number, inclusive; displayed as one number if they are equal.
#[derive(Clone, Copy, Debug)]
pub struct Range(pub u64, pub u64);

impl Range {
    /// The range from the smallest to the largest of these values; `None` if there are none.
    pub fn around(values: impl IntoIterator<Item = u64>) -> Option<Self> {
        let mut values = values.into_iter();
        let first = values.next()?;
        Some(values.fold(Self(first, first), Self::with))
    }

    /// The range extended to include a value.
    #[must_use]
    pub fn with(self, value: u64) -> Self {
        Self(self.0.min(value), self.1.max(value))
    }

    /// The number of integers in it.
    pub const fn count(self) -> u64 {
        self.1 - self.0 + 1
    }
}

impl fmt::Display for Range {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0 == self.1 { write!(f, "{}", self.0) } else { write!(f, "{}-{}", self.0, self.1) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thousands_are_set_apart() {
        let said = [0, 999, 1_000, 16_777_216].map(grouped);
        assert_eq!(said, ["0", "999", "1,000", "16,777,216"]);
    }

    #[test]
    fn times_have_three_digits_that_say_something() {
        let said = [275.9, 16.91, 2.678, 0.2712, 0.0036].map(milliseconds);
        assert_eq!(said, ["276 ms", "16.9 ms", "2.68 ms", "0.271 ms", "0.0036 ms"]);
    }

    #[test]
    fn only_one_is_not_many() {
        let said = [(0, "pass"), (1, "pass"), (2, "pass"), (1, "word"), (1_024, "word")];
        let said = said.map(|(count, noun)| Count(count, noun).to_string());
        assert_eq!(said, ["0 passes", "1 pass", "2 passes", "1 word", "1,024 words"]);
    }

    #[test]
    fn bytes_have_three_digits_or_their_binary_size() {
        let said = [0.0, 12.0, 999.6, 2048.0, 68.7e9, 446.4e9, 1.649e12, 9.999e12].map(moved);
        let wanted = ["0", "12 B", "1.00 kB", "2.05 kB", "68.7 GB", "446 GB", "1.65 TB", "10.0 TB"];
        assert_eq!(said, wanted);
        let said = [0, 1023, 2048, 60 << 20, 3 << 30].map(held);
        assert_eq!(said, ["0 B", "1023 B", "2 KiB", "60 MiB", "3 GiB"]);
    }

    #[test]
    fn a_range_is_its_ends() {
        let said = |values: &[u64]| Range::around(values.iter().copied()).map(|r| r.to_string());
        assert_eq!(said(&[7, 5, 9]).as_deref(), Some("5-9"));
        assert_eq!(said(&[5, 5]).as_deref(), Some("5"));
        assert_eq!(said(&[]), None);
    }
}
