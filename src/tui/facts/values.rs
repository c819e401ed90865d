//! The values of the words of shared memory, by the types of the elements in them.

use crate::matrix::ElementType;
use std::ops::Range;

/// The words of shared memory, and the types of what the arrays there hold.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SharedValues {
    pub words: Vec<u32>,
    /// The words of each array whose elements have a known type, and that type.
    pub types: Vec<(Range<u32>, ElementType)>,
}

impl SharedValues {
    /// The type of the elements in a word, and the elements: several of 8 or 16 bits, and in the first
    /// of its two words one of 64 bits; none where the type is not known.
    fn elements(&self, word: u32) -> Option<(ElementType, Vec<f64>)> {
        let (words, of) = self.types.iter().find(|(words, _)| words.contains(&word))?;
        let at = |word: u32| self.words.get(word as usize).copied().map(u64::from);
        let bits = at(word)?;
        let each = 8 * u32::from(of.bytes());
        let values = match each {
            64 if !(word - words.start).is_multiple_of(2) => Vec::new(),
            64 => vec![of.value(bits | at(word + 1)? << 32)],
            _ => (0..32 / each).map(|number| of.value(bits >> (each * number))).collect(),
        };
        Some((*of, values))
    }

    fn all(&self) -> impl Iterator<Item = (ElementType, Vec<f64>)> {
        let words = self.types.iter().flat_map(|(words, _)| words.clone());
        words.filter_map(|word| self.elements(word))
    }

    /// The text of a word: with two decimals, or as the whole numbers that it holds.
    pub(in crate::tui) fn text(&self, word: u32, whole: bool) -> Option<String> {
        let (of, values) = self.elements(word)?;
        let packed = values.len() > 1;
        let text = |value: &f64| {
            // Of -0, only the 0.
            let value = value + 0.0;
            match (whole || of.is_integer(), packed) {
                (true, _) => format!("{value:.0}"),
                (false, true) => format!("{value:.2}"),
                (false, false) => format!("{value:5.2}"),
            }
        };
        Some(values.iter().map(text).collect::<Vec<_>>().join(" "))
    }

    /// The text of a word in as little room as possible: whole numbers, or one decimal.
    pub(in crate::tui) fn brief(&self, word: u32) -> Option<String> {
        let (of, values) = self.elements(word)?;
        let text = |value: &f64| {
            let value = value + 0.0;
            if of.is_integer() || value.fract() == 0.0 {
                format!("{value:.0}")
            } else {
                format!("{value:.1}")
            }
        };
        Some(values.iter().map(text).collect::<Vec<_>>().join(" "))
    }

    /// The columns of the longest text of a word; `None` without values.
    pub(in crate::tui) fn width(&self) -> Option<u16> {
        let whole = self.are_whole();
        let columns = |(of, values): (ElementType, Vec<f64>)| {
            let whole = whole || of.is_integer();
            let each = values.iter().map(|value| columns(*value, whole)).sum::<u16>();
            let text = each + (values.len() as u16).saturating_sub(1);
            let text = if values.len() == 1 && !whole { text.max(5) } else { text };
            // One of 64 bits stands across two words.
            if of.bytes() == 8 { text.saturating_sub(1).div_ceil(2) } else { text }
        };
        self.all().map(columns).max().filter(|columns| *columns > 0)
    }

    /// The words across which the text of a word stands.
    pub(in crate::tui) fn span(&self, word: u32) -> u16 {
        let of = self.types.iter().find(|(words, _)| words.contains(&word));
        of.map_or(1, |(_, of)| u16::from(of.bytes()).div_ceil(4).max(1))
    }

    /// Whether all floats are whole numbers of at most three digits.
    pub(in crate::tui) fn are_whole(&self) -> bool {
        let whole = |value: &f64| value.fract() == 0.0 && value.abs() < 1000.0;
        self.all().all(|(of, values)| of.is_integer() || values.iter().all(whole))
    }
}

/// The columns of a number, as a whole one or with two decimals.
fn columns(value: f64, whole: bool) -> u16 {
    if !value.is_finite() {
        return 4;
    }
    let value = if whole { value } else { (value * 100.0).round() / 100.0 };
    let digits = value.abs().trunc().max(1.0).log10().floor() as u16 + 1;
    digits + u16::from(value < 0.0) + if whole { 0 } else { 3 }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(of: ElementType, words: &[u32]) -> Vec<String> {
        let values =
            SharedValues { words: words.to_vec(), types: vec![(0..words.len() as u32, of)] };
        let whole = values.are_whole();
        let texts: Vec<_> = (0..words.len() as u32)
            .map(|word| values.text(word, whole).unwrap_or_default())
            .collect();
        let span = usize::from(values.span(0));
        let room = usize::from(values.width().expect("values")) * span + span - 1;
        assert!(texts.iter().all(|text| text.len() <= room), "{texts:?} in {room}");
        texts
    }

    #[test]
    fn a_word_shows_the_elements_that_lie_in_it() {
        assert_eq!(texts(ElementType::F32, &[1.25_f32.to_bits(), 0]), [" 1.25", " 0.00"]);
        assert_eq!(texts(ElementType::F32, &[7.0_f32.to_bits()]), ["7"]);
        assert_eq!(texts(ElementType::I32, &[u32::MAX, 123_456]), ["-1", "123456"]);
        assert_eq!(texts(ElementType::U32, &[u32::MAX]), ["4294967295"]);
        assert_eq!(texts(ElementType::F16, &[0x3c00_4100]), ["2.50 1.00"]);
        assert_eq!(texts(ElementType::Bf16, &[0x4000_bf80]), ["-1 2"]);
        assert_eq!(texts(ElementType::I8, &[0x0180_ff7f]), ["127 -1 -128 1"]);
        assert_eq!(texts(ElementType::U8, &[0x0180_ff7f]), ["127 255 128 1"]);
        let double = (-3.25_f64).to_bits();
        let halves = [double as u32, (double >> 32) as u32];
        assert_eq!(texts(ElementType::F64, &halves), ["-3.25", ""]);
    }
}
