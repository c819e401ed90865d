//! The twelve words that the screen uses, each with its picture.

use crate::tui::theme::Role;

/// A word, its picture and its meaning.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GlossaryEntry {
    pub picture: &'static [PicturePiece],
    pub name: &'static str,
    pub means: &'static str,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PicturePiece {
    pub basic: &'static str,
    pub ascii: &'static str,
    pub ink: Option<Role>,
}

/// A piece in the colour of a role.
const fn piece(role: Role, basic: &'static str, ascii: &'static str) -> PicturePiece {
    PicturePiece { basic, ascii, ink: Some(role) }
}

/// A piece that is only there for the others.
const fn dim(basic: &'static str, ascii: &'static str) -> PicturePiece {
    PicturePiece { basic, ascii, ink: None }
}

/// Columns of the picture, and of the picture and the word.
pub const PICTURE: u16 = 17;
pub const BOTH: u16 = PICTURE + 11;

const fn word(
    name: &'static str,
    picture: &'static [PicturePiece],
    means: &'static str,
) -> GlossaryEntry {
    GlossaryEntry { picture, name, means }
}

/// Every word, from the threads to the memory.
pub(super) const WORDS: [GlossaryEntry; 12] = [
    word(
        "lane",
        &[dim("·····", "....."), piece(Role::C, "■", "#"), dim("··········", "..........")],
        "a thread, numbered 0-31 within its warp",
    ),
    word(
        "warp",
        &[dim("w0 ", "w0 "), piece(Role::C, "■■■■■■■■■■■■■", "#############")],
        "32 threads that execute instructions together",
    ),
    word(
        "block",
        &[
            piece(Role::C, "■■■■■■", "######"),
            dim(" .. ", " .. "),
            piece(Role::C, "■■■■■■", "######"),
        ],
        "the warps that share memory and barriers",
    ),
    word(
        "barrier",
        &[piece(Role::Wait, "●●●●●", "ooooo"), dim("···", "..."), piece(Role::Wait, " ┃", " |")],
        "__syncthreads(): all wait until all have come",
    ),
    word(
        "tile",
        &[dim("····", "...."), piece(Role::A, "████", "aaaa"), dim("········", "........")],
        "the part of A or B that is worked on at a time",
    ),
    word(
        "register",
        &[dim("acc ", "acc "), piece(Role::C, "20", "20")],
        "a thread's own memory; acc holds its sum",
    ),
    word(
        "FMA",
        &[
            piece(Role::C, "41", "41"),
            dim(" = ", " = "),
            piece(Role::A, "7", "7"),
            dim(" x ", " x "),
            piece(Role::B, "3", "3"),
            dim(" + ", " + "),
            piece(Role::C, "20", "20"),
        ],
        "a multiply and an add in one instruction",
    ),
    word(
        "sector",
        &[piece(Role::A, "███", "aaa"), dim("│···│···│···", "|...|...|...")],
        "32 bytes, the least that is moved; 4 are a line",
    ),
    word(
        "coalesced",
        &[piece(Role::Memory, "↓↓↓↓↓↓↓↓", "LLLLLLLL"), piece(Role::A, " ████", " aaaa")],
        "neighbours load neighbours: few sectors",
    ),
    word(
        "bank",
        &[dim("0 1 2 3 .. 30 31", "0 1 2 3 .. 30 31")],
        "a column of shared memory: a word each pass",
    ),
    word(
        "conflict",
        &[piece(Role::Bad, "▲ #1 #2 #3 #4", "! #1 #2 #3 #4")],
        "several words of one bank: a pass for each",
    ),
    word(
        "PTX, SASS",
        &[dim("PTX ", "PTX "), piece(Role::Wait, "→", ">"), dim(" SASS", " SASS")],
        "what is simulated; what a GPU makes of it",
    ),
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tui::layout::text::width;

    #[test]
    fn every_word_fits_on_the_smallest_page() {
        for word in &WORDS {
            let columns: u16 = word.picture.iter().map(|piece| width(piece.basic)).sum();
            assert!(columns < PICTURE, "{}: {columns}", word.name);
            assert!(word.picture.iter().all(|piece| piece.ascii.is_ascii()), "{}", word.name);
            assert!(word.picture.iter().all(|piece| width(piece.ascii) == width(piece.basic)));
            assert!(width(word.name) < BOTH - PICTURE, "{}", word.name);
            assert!(BOTH + width(word.means) <= 76, "{}", word.name);
        }
    }
}
