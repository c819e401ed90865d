//! Parses sizes on the command line: one, or a range of powers of two.

use crate::matrix::Size;
use std::str::FromStr;

/// One size, or several: `4096`, `64x32x100`, `64..8192`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Sizes(pub(super) Vec<Size>);

impl FromStr for Sizes {
    type Err = String;

    /// # Errors
    /// The reason why the text is not valid.
    fn from_str(text: &str) -> Result<Self, String> {
        let Some((first, last)) = text.split_once("..") else {
            return text.parse().map(|size| Self(vec![size])).map_err(|error| format!("{error}"));
        };
        let side = |text: &str| -> Result<u32, String> {
            let size: Size = text.parse().map_err(|error| format!("{error}"))?;
            let square = size == Size::square(size.n);
            if square {
                Ok(size.n)
            } else {
                Err(format!("a range has one number at each end, not {text}"))
            }
        };
        let (first, last) = (side(first)?, side(last)?);
        let doubled = std::iter::successors(Some(first), |side| side.checked_mul(2));
        let sizes: Vec<_> = doubled.take_while(|side| *side <= last).map(Size::square).collect();
        if sizes.is_empty() { Err(format!("{first} is more than {last}")) } else { Ok(Self(sizes)) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sides(text: &str) -> Result<Vec<u32>, String> {
        text.parse::<Sizes>().map(|sizes| sizes.0.iter().map(|size| size.n).collect())
    }

    #[test]
    fn a_range_doubles_from_its_first_to_its_last() {
        assert_eq!(sides("64..512"), Ok(vec![64, 128, 256, 512]));
        assert_eq!(sides("100..500"), Ok(vec![100, 200, 400]));
        assert_eq!(sides("64..64"), Ok(vec![64]));
        assert_eq!(sides("96"), Ok(vec![96]));
        assert_eq!("64x32x16".parse::<Sizes>().map(|sizes| sizes.0.len()), Ok(1));
    }

    #[test]
    fn what_is_no_range_is_said_to_be_none() {
        assert_eq!(sides("512..64"), Err("512 is more than 64".to_owned()));
        assert!(sides("64x2x3..512").is_err_and(|error| error.contains("one number at each end")));
        assert!(sides("..512").is_err() && sides("64..").is_err() && sides("0..64").is_err());
    }
}
