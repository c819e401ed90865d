//! The table of opcodes; each file of the parser holds its part next to its parsing functions.

use super::words::Words;
use super::{Instruction, Opcode, Parser};
use super::{
    access, arith, asynchronous, atomic, bits, compare, control, convert, fence, float, memory,
    tensor, warp, wgmma, wmma,
};
use crate::error::ParseError;

const TABLES: [&[Opcode]; 15] = [
    access::OPCODES,
    arith::OPCODES,
    asynchronous::OPCODES,
    atomic::OPCODES,
    bits::OPCODES,
    compare::OPCODES,
    control::OPCODES,
    convert::OPCODES,
    fence::OPCODES,
    float::OPCODES,
    memory::OPCODES,
    tensor::OPCODES,
    warp::OPCODES,
    wgmma::OPCODES,
    wmma::OPCODES,
];

impl Parser<'_> {
    /// Parses one instruction, selected by the first word of its opcode.
    pub(super) fn operation(&mut self, words: &mut Words<'_>) -> Result<Instruction, ParseError> {
        let first = words.next();
        let mut all = TABLES.into_iter().flatten();
        let (_, read) =
            all.find(|(word, _)| Some(*word) == first).ok_or_else(|| words.unsupported())?;
        read(self, words)
    }
}

/// The first words of all instructions that the parser knows.
pub fn opcodes() -> impl Iterator<Item = &'static str> {
    TABLES.into_iter().flatten().map(|(word, _)| *word)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_opcode_is_listed_once() {
        let mut all: Vec<_> = opcodes().collect();
        all.sort_unstable();
        let twice: Vec<_> = all.windows(2).filter(|pair| pair[0] == pair[1]).collect();
        assert!(twice.is_empty(), "{twice:?}");
    }
}
