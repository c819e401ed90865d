//! The other setting that a call may ask: `of tiled_padded`, `tile 32`, `change no-load-barrier`.

use super::reader::ExprReader;
use crate::kernel::{self, Tile};
use crate::launch::Dim3;
use crate::lesson::query_error::QueryError;
use crate::lesson::setting::{BlockChoice, KernelFrom, Setting};
use crate::matrix::Size;
use std::ops::Range;

/// What is other than in the setting that is asked.
#[derive(Clone, Debug, PartialEq)]
pub enum Elsewhere {
    /// `of KERNEL`: another kernel of the catalogue, unchanged.
    Of(String),
    /// `tile T`.
    Tile(Tile),
    /// `size S`.
    Size(Size),
    /// `warp W`.
    Warp(u32),
    /// `block X,Y`, or `block middle`, `corner`, `first`.
    Block(BlockChoice),
    /// `change ID`: one change more.
    Change(String),
}

/// The words with which they begin.
const WORDS: [&str; 6] = ["of", "tile", "size", "warp", "block", "change"];

impl Elsewhere {
    /// The setting that differs in this.
    #[must_use]
    pub fn apply(&self, setting: Setting) -> Setting {
        match self {
            Self::Of(name) => {
                let has = |tile: &Tile| {
                    kernel::find(name).is_some_and(|kernel| kernel.variant(*tile).is_some())
                };
                Setting {
                    kernel: KernelFrom::Catalogue(name.clone()),
                    tile: setting.tile.filter(has),
                    size: setting.size,
                    order: setting.order,
                    rolled: setting.rolled,
                    block: setting.block,
                    warp: setting.warp,
                    digits: setting.digits,
                    grid: None,
                    threads: None,
                    args: None,
                    defines: Vec::new(),
                    changes: Vec::new(),
                }
            }
            Self::Tile(tile) => Setting { tile: Some(*tile), ..setting },
            Self::Size(size) => Setting { size: *size, ..setting },
            Self::Warp(warp) => Setting { warp: Some(*warp), ..setting },
            Self::Block(block) => Setting { block: *block, ..setting },
            Self::Change(id) => {
                let changes = [setting.changes, vec![id.clone()]].concat();
                Setting { changes, ..setting }
            }
        }
    }
}

impl ExprReader<'_> {
    /// Whether such a part is next: its word, and then a value rather than an operator.
    pub(super) fn is_elsewhere(&mut self) -> bool {
        let word = self.word();
        let mut ahead = self.clone();
        ahead.takes_word(word);
        let next = ahead.rest().chars().next();
        WORDS.contains(&word)
            && next.is_some_and(|next| next.is_ascii_alphanumeric() || next == '"')
    }

    /// Such a part, if it is next.
    pub(super) fn elsewhere(&mut self) -> Result<Option<(Elsewhere, Range<usize>)>, QueryError> {
        if !self.is_elsewhere() {
            return Ok(None);
        }
        let (start, word) = (self.start(), self.word());
        self.takes_word(word);
        let other = match word {
            "of" => self.other_kernel()?,
            "tile" => Elsewhere::Tile(self.valued("a tile: 16 or 128x128x16")?),
            "size" => {
                let size: Size = self.valued("a size: 64 or 64x48x96")?;
                let wrong = |error: crate::matrix::SizeError| {
                    QueryError::at(start..start + word.len(), error.to_string())
                };
                Elsewhere::Size(size.checked().map_err(wrong)?)
            }
            "warp" => Elsewhere::Warp(self.valued("a warp: a whole number")?),
            "block" => Elsewhere::Block(self.other_block()?),
            _ => Elsewhere::Change(self.id().to_owned()),
        };
        Ok(Some((other, self.since(start))))
    }

    fn other_kernel(&mut self) -> Result<Elsewhere, QueryError> {
        let word = self.word();
        if kernel::find(word).is_none() {
            let known: Vec<_> = kernel::all().map(|kernel| kernel.name).collect();
            return Err(self.no_such("a kernel of the catalogue", &known));
        }
        self.takes_word(word);
        Ok(Elsewhere::Of(word.to_owned()))
    }

    fn other_block(&mut self) -> Result<BlockChoice, QueryError> {
        if let Some((_, block)) = BlockChoice::NAMED.iter().find(|(name, _)| self.takes_word(name))
        {
            return Ok(*block);
        }
        let place = self.whole().zip(if self.takes(",") { self.whole() } else { None });
        let (x, y) =
            place.ok_or_else(|| self.unexpected("a block: X,Y, middle, corner or first"))?;
        Ok(BlockChoice::At(Dim3::at(x, y)))
    }

    /// The name of a change: letters, digits and `-`.
    fn id(&mut self) -> &str {
        self.run(|letter| letter.is_ascii_alphanumeric() || letter == '-')
    }

    /// A value without blanks, or in quotes.
    fn valued<T: std::str::FromStr>(&mut self, expected: &str) -> Result<T, QueryError> {
        let start = self.start();
        let text = match self.quoted()? {
            Some(text) => text,
            None => self.run(|letter| letter.is_ascii_alphanumeric()),
        };
        let wrong =
            |_| QueryError::at(start..start + text.len().max(1), format!("expected {expected}"));
        text.parse().map_err(wrong)
    }
}
