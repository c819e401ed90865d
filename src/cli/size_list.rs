//! Sizes on the command line: one, several with commas, or a range of powers of two.

use super::BadUse;
use crate::matrix::Size;
use std::str::FromStr;

/// Sizes, as they were typed and read: `64`, `64,1024`, `64x32x100`, `64..8192`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct SizeList {
    text: String,
    sizes: Vec<Size>,
}

impl SizeList {
    /// The sizes, in order.
    pub(super) fn sizes(&self) -> &[Size] {
        &self.sizes
    }

    /// The one size, where there can be only one: three numbers are then M, N and K.
    pub(super) fn one(&self) -> Result<Size, BadUse> {
        let sides = || self.text.parse().ok();
        let one = if let [size] = self.sizes[..] { Some(size) } else { sides() };
        one.ok_or_else(|| BadUse(format!("--size {}: give one size, N or MxNxK", self.text)))
    }
}

impl FromStr for SizeList {
    type Err = BadUse;

    /// # Errors
    /// The reason why the text is not valid.
    fn from_str(text: &str) -> Result<Self, BadUse> {
        let each: Result<Vec<_>, BadUse> = text.split(',').map(part).collect();
        Ok(Self { text: text.to_owned(), sizes: each?.concat() })
    }
}

/// One size, or a range.
fn part(text: &str) -> Result<Vec<Size>, BadUse> {
    let Some((first, last)) = text.split_once("..") else {
        return text.parse().map(|size| vec![size]).map_err(BadUse::of);
    };
    let side = |text: &str| -> Result<u32, BadUse> {
        let size: Size = text.parse().map_err(BadUse::of)?;
        let square = size == Size::square(size.n);
        if square {
            Ok(size.n)
        } else {
            Err(BadUse(format!("a range has one number at each end, not {text}")))
        }
    };
    let (first, last) = (side(first)?, side(last)?);
    let doubled = std::iter::successors(Some(first), |side| side.checked_mul(2));
    let sizes: Vec<_> = doubled.take_while(|side| *side <= last).map(Size::square).collect();
    if sizes.is_empty() { Err(BadUse(format!("{first} is more than {last}"))) } else { Ok(sizes) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sides(text: &str) -> Result<Vec<u32>, BadUse> {
        text.parse::<SizeList>().map(|list| list.sizes.iter().map(|size| size.n).collect())
    }

    #[test]
    fn a_range_doubles_from_its_first_to_its_last() {
        assert_eq!(sides("64..512"), Ok(vec![64, 128, 256, 512]));
        assert_eq!(sides("100..500"), Ok(vec![100, 200, 400]));
        assert_eq!(sides("64..64"), Ok(vec![64]));
        assert_eq!(sides("96"), Ok(vec![96]));
        assert_eq!(sides("96,64x32x16,128..256"), Ok(vec![96, 32, 128, 256]));
    }

    #[test]
    fn where_there_is_one_three_numbers_are_its_sides() {
        let one = |text: &str| text.parse::<SizeList>().expect("a list").one();
        let size = Size { m: 64, n: 32, k: 16 };
        assert_eq!([one("64x32x16"), one("64,32,16")], [Ok(size), Ok(size)]);
        assert!(one("64,32").is_err_and(|told| told.0.contains("give one size")));
        assert!(one("64..512").is_err());
    }

    #[test]
    fn what_is_no_range_is_said_to_be_none() {
        assert_eq!(sides("512..64"), Err(BadUse("512 is more than 64".to_owned())));
        assert!(
            sides("64x2x3..512").is_err_and(|error| error.0.contains("one number at each end"))
        );
        assert!(sides("..512").is_err() && sides("64..").is_err() && sides("0..64").is_err());
        assert!(sides("64,").is_err() && sides("").is_err());
    }
}
