//! Things on the picture as people type them: `C[35][37]`, `c 35 37`, `lanes 0-7`, `rows 6, 7`.

use super::target_kind::TargetKind;
use crate::launch::Dim3;
use crate::lesson::answer::Value;
use crate::lesson::query_error::QueryError;
use crate::lesson::setting_runs::SettingRuns;
use crate::lesson::target::{Target, View};
use crate::matrix::{Element, Operand};
use ptx::Space;
use std::collections::BTreeSet;
use std::ops::RangeInclusive;

/// What is pointed at in a question, and what it takes to read it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pointed {
    pub kind: TargetKind,
    /// The matrix, if only one is asked for.
    pub operand: Option<Operand>,
    /// The threads of the block.
    pub block: Dim3,
    /// The shared arrays, with the words of a row where known.
    pub arrays: Vec<(String, Option<u32>)>,
}

/// Things of one answer at most: more than any block has threads.
const MOST: usize = 4096;

/// Words between things that say nothing.
const FILLERS: &[&str] = &[
    "and",
    "the",
    "of",
    "number",
    "x",
    "y",
    "threadidx",
    "element",
    "elements",
    "behind",
    "after",
];

type Numbers = RangeInclusive<u32>;

#[derive(Clone, Debug, PartialEq)]
enum AnswerToken {
    Word(String),
    Array(usize),
    Numbers(Numbers),
    /// `][`, between two indices.
    Joined,
}

/// What the numbers after a word are about.
#[derive(Clone, Copy, Debug, PartialEq)]
enum NumberSubject {
    Plain,
    Matrix(Operand),
    Array(usize),
    /// Whole rows of the block, or columns.
    Rows,
    Columns,
}

impl Pointed {
    /// What is pointed at when these things are right; `of` names the kind if there may be none.
    pub(super) fn of(right: &Value, of: &[String], runs: &SettingRuns) -> Result<Self, QueryError> {
        let Value::Things(things) = right else {
            return Err(QueryError::new("only things can be pointed at"));
        };
        let named = of.iter().find_map(|name| TargetKind::find(name));
        let sort = things.first().map(TargetKind::of).or(named);
        let missing = || QueryError::new("what is to be picked? Say so in `of`");
        let operand = |target: &Target| match target {
            Target::Element(element) => Some(element.operand),
            _ => None,
        };
        let operands: BTreeSet<_> = things.iter().filter_map(operand).collect();
        Ok(Self {
            kind: sort.ok_or_else(missing)?,
            operand: operands.first().copied().filter(|_| operands.len() == 1),
            block: runs.problem.launch.block,
            arrays: arrays(runs),
        })
    }

    /// One sentence: what is expected.
    pub(super) fn expected(&self, all: bool) -> String {
        let (many, sample) = self.kind.names();
        let which = if all { "all that there are" } else { "one is enough" };
        format!("Type {many}, for example `{sample}`: {which}.")
    }

    /// Reads things, or `None` if something else is typed.
    pub(in crate::lesson) fn read(&self, text: &str) -> Option<BTreeSet<Target>> {
        if text.trim().eq_ignore_ascii_case("none") {
            return Some(BTreeSet::new());
        }
        if self.kind == TargetKind::Panel {
            return panels(text);
        }
        let (mut about, mut held, mut things) = (NumberSubject::Plain, Vec::new(), BTreeSet::new());
        let mut tokens = self.tokens(text)?.into_iter().peekable();
        while let Some(token) = tokens.next() {
            match token {
                AnswerToken::Word(word) => about = self.about(&word, about, !held.is_empty())?,
                AnswerToken::Array(array) if held.is_empty() => about = NumberSubject::Array(array),
                AnswerToken::Joined if !held.is_empty() => {}
                AnswerToken::Array(_) | AnswerToken::Joined => return None,
                AnswerToken::Numbers(numbers) => {
                    held.push(numbers);
                    let is_pair = held.len() == 2 || tokens.peek() == Some(&AnswerToken::Joined);
                    if held.len() == self.needs(about, is_pair) {
                        things.extend(self.meant(about, &held)?);
                        held.clear();
                    }
                }
            }
        }
        (held.is_empty() && (1..=MOST).contains(&things.len())).then_some(things)
    }

    /// What a word says about the numbers after it; within a pair only that a column follows.
    fn about(&self, word: &str, before: NumberSubject, is_within: bool) -> Option<NumberSubject> {
        let begins = |name: &str| name.starts_with(word);
        match self.kind {
            TargetKind::Element if is_within => begins("columns").then_some(before),
            TargetKind::Element => {
                let is_it = |operand: &Operand| operand.name().eq_ignore_ascii_case(word);
                let named = Operand::ALL.into_iter().find(is_it).map(NumberSubject::Matrix);
                named.or(begins("rows").then_some(before))
            }
            _ if is_within => None,
            TargetKind::Thread if ["row", "rows"].contains(&word) => Some(NumberSubject::Rows),
            TargetKind::Thread if ["column", "columns"].contains(&word) => {
                Some(NumberSubject::Columns)
            }
            TargetKind::Thread => self.kind.is_called(word).then_some(NumberSubject::Plain),
            _ => self.kind.is_called(word).then_some(before),
        }
    }

    /// How many numbers make a thing.
    const fn needs(&self, about: NumberSubject, is_pair: bool) -> usize {
        match (self.kind, about) {
            (TargetKind::Thread, NumberSubject::Rows | NumberSubject::Columns) => 1,
            (TargetKind::Element | TargetKind::Thread, _) => 2,
            (TargetKind::Word, _) if is_pair => 2,
            _ => 1,
        }
    }

    fn meant(&self, about: NumberSubject, numbers: &[Numbers]) -> Option<Vec<Target>> {
        let all = |side: u32| 0..=side.saturating_sub(1);
        let thread = |(x, y)| Target::Thread { x, y };
        match (self.kind, about, numbers) {
            (TargetKind::Element, _, [rows, columns]) => {
                let of = if let NumberSubject::Matrix(named) = about {
                    Some(named)
                } else {
                    self.operand
                };
                let operand = of?;
                let element = |(row, column)| Target::Element(Element { operand, row, column });
                Some(pairs(rows, columns)?.map(element).collect())
            }
            (TargetKind::Thread, NumberSubject::Rows, [rows]) => {
                Some(pairs(&all(self.block.x), rows)?.map(thread).collect())
            }
            (TargetKind::Thread, _, [columns]) => {
                Some(pairs(columns, &all(self.block.y))?.map(thread).collect())
            }
            (TargetKind::Thread, _, [xs, ys]) => Some(pairs(xs, ys)?.map(thread).collect()),
            (TargetKind::Word, ..) => self.words(about, numbers),
            (_, _, [numbers]) => few(numbers)?.map(|number| self.kind.numbered(number)).collect(),
            _ => None,
        }
    }

    /// Words of an array: by their indices, or by rows and columns where a row's length is known.
    fn words(&self, about: NumberSubject, numbers: &[Numbers]) -> Option<Vec<Target>> {
        let array = match about {
            NumberSubject::Array(array) => array,
            _ if self.arrays.len() == 1 => 0,
            _ => return None,
        };
        let (name, width) = self.arrays.get(array)?;
        let indices: Option<Vec<u32>> = match numbers {
            [rows, columns] => {
                let width = (*width)?;
                let index = |(row, column): (u32, u32)| row.checked_mul(width)?.checked_add(column);
                pairs(rows, columns)?.map(index).collect()
            }
            [indices] => Some(few(indices)?.collect()),
            _ => None,
        };
        let word = |index| Target::Word { array: name.clone(), index };
        Some(indices?.into_iter().map(word).collect())
    }

    fn tokens(&self, text: &str) -> Option<Vec<AnswerToken>> {
        let mut tokens = Vec::new();
        let mut rest = text;
        while let Some(letter) = rest.chars().next() {
            if let Some((array, length)) = self.array(rest) {
                tokens.push(AnswerToken::Array(array));
                rest = &rest[length..];
            } else if letter.is_ascii_digit() {
                let (first, after) = number(rest)?;
                let (last, after) = range_end(after).unwrap_or((first, after));
                tokens.push(AnswerToken::Numbers(first.min(last)..=first.max(last)));
                rest = after;
            } else if letter.is_alphabetic() {
                let end = rest.find(|letter: char| !letter.is_alphabetic()).unwrap_or(rest.len());
                tokens.push(AnswerToken::Word(rest[..end].to_lowercase()));
                rest = &rest[end..];
            } else {
                match letter {
                    ']' if rest.starts_with("][") => tokens.push(AnswerToken::Joined),
                    '[' | ']' | '(' | ')' | ',' | ';' | '.' | '=' | '&' | '\'' | '`' => {}
                    _ if letter.is_whitespace() => {}
                    _ => return None,
                }
                rest = &rest[letter.len_utf8()..];
            }
        }
        tokens.retain(
            |token| !matches!(token, AnswerToken::Word(word) if FILLERS.contains(&&**word)),
        );
        Some(tokens)
    }

    /// The shared array whose name a text begins with, and the name's length.
    fn array(&self, text: &str) -> Option<(usize, usize)> {
        if self.kind != TargetKind::Word {
            return None;
        }
        let begins = |name: &str| {
            let start = text.get(..name.len())?;
            start.eq_ignore_ascii_case(name).then_some(name.len())
        };
        let named = self.arrays.iter().enumerate();
        named
            .filter_map(|(index, (name, _))| Some((index, begins(name)?)))
            .max_by_key(|(_, length)| *length)
    }
}

/// A number as the thing of the kind that is picked, `bank 3`; any other value as it is.
pub(super) fn pointed_at(value: Value, of: &[String]) -> Value {
    let sort = of.iter().find_map(|name| TargetKind::find(name));
    let whole = value.number().filter(|number| number.fract() == 0.0 && *number >= 0.0);
    let target = sort.zip(whole).and_then(|(sort, number)| sort.numbered(number as u32));
    target.map_or(value, |target| Value::Things(BTreeSet::from([target])))
}

/// The shared arrays that the watched block uses, with the words of their rows.
fn arrays(runs: &SettingRuns) -> Vec<(String, Option<u32>)> {
    let shared = runs.sites().filter(|site| site.space == Space::Shared);
    let mut arrays: Vec<_> = shared
        .filter_map(|site| site.array.as_ref())
        .map(|array| (array.name.clone(), array.row))
        .collect();
    arrays.sort();
    arrays.dedup();
    arrays
}

/// The panels named by their number or by their view.
fn panels(text: &str) -> Option<BTreeSet<Target>> {
    let words = text.split(|letter: char| letter.is_whitespace() || ",;".contains(letter));
    let words = words.map(str::to_lowercase);
    let named = words
        .filter(|word| !word.is_empty() && !["panel", "panels", "and", "the"].contains(&&**word));
    let panels: Option<BTreeSet<_>> =
        named.map(|word| View::find(&word).map(Target::Panel)).collect();
    panels.filter(|panels| !panels.is_empty())
}

/// The number at the start of a text, and what follows.
fn number(text: &str) -> Option<(u32, &str)> {
    let length = text.bytes().take_while(u8::is_ascii_digit).count();
    Some((text[..length].parse().ok()?, &text[length..]))
}

/// The end of a range, `-7`, `..7` or `to 7`, and what follows.
fn range_end(text: &str) -> Option<(u32, &str)> {
    let text = text.trim_start();
    let marks = ["-", "–", "..", "to "];
    number(marks.iter().find_map(|mark| text.strip_prefix(mark))?.trim_start())
}

/// The numbers of a range, if they are not too many.
fn few(numbers: &Numbers) -> Option<Numbers> {
    let count = u64::from(numbers.end() - numbers.start()) + 1;
    (count <= MOST as u64).then(|| numbers.clone())
}

/// Every pair of two ranges, if they are not too many.
fn pairs(first: &Numbers, second: &Numbers) -> Option<impl Iterator<Item = (u32, u32)> + use<>> {
    let (first, second) = (few(first)?, few(second)?);
    if first.clone().count() * second.clone().count() > MOST {
        return None;
    }
    Some(first.flat_map(move |one| second.clone().map(move |other| (one, other))))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pointed(sort: TargetKind) -> Pointed {
        let arrays = vec![("sA".to_owned(), Some(17)), ("sB".to_owned(), None)];
        Pointed { kind: sort, operand: Some(Operand::C), block: Dim3::flat(4, 4), arrays }
    }

    fn read(sort: TargetKind, text: &str) -> Option<String> {
        let things = pointed(sort).read(text)?;
        Some(things.iter().map(Target::to_string).collect::<Vec<_>>().join("; "))
    }

    #[test]
    fn things_are_read_as_they_are_printed_and_as_people_type_them() {
        for (sort, text, expected) in [
            (TargetKind::Element, "C[35][37]", "C[35][37]"),
            (TargetKind::Element, "c 35 37", "C[35][37]"),
            (TargetKind::Element, "c35,37", "C[35][37]"),
            (TargetKind::Element, "(35, 37)", "C[35][37]"),
            (TargetKind::Element, "row 35, column 37", "C[35][37]"),
            (TargetKind::Element, "A[1][2], A[1][3]", "A[1][2]; A[1][3]"),
            (TargetKind::Element, "B[0-1][5]", "B[0][5]; B[1][5]"),
            (TargetKind::Thread, "thread 5,3", "thread 5,3"),
            (TargetKind::Thread, "5 3", "thread 5,3"),
            (TargetKind::Thread, "x = 5, y = 3", "thread 5,3"),
            (TargetKind::Thread, "thread 5,3; thread 6,3", "thread 5,3; thread 6,3"),
            (TargetKind::Thread, "threads 0-1,2", "thread 0,2; thread 1,2"),
            (TargetKind::Thread, "row 3", "thread 0,3; thread 1,3; thread 2,3; thread 3,3"),
            (TargetKind::Thread, "column 1", "thread 1,0; thread 1,1; thread 1,2; thread 1,3"),
            (TargetKind::Lane, "lane 3, lane 4", "lane 3; lane 4"),
            (TargetKind::Lane, "lanes 0-2 and 7", "lane 0; lane 1; lane 2; lane 7"),
            (TargetKind::Lane, "l3", "lane 3"),
            (TargetKind::Warp, "warps 1 to 3", "warp 1; warp 2; warp 3"),
            (TargetKind::Warp, "3..1", "warp 1; warp 2; warp 3"),
            (TargetKind::Bank, "0", "bank 0"),
            (TargetKind::Sector, "sector 2", "sector 2"),
            (TargetKind::Line, "line 34", "line 34"),
            (TargetKind::Word, "sA[17]", "sA[17]"),
            (TargetKind::Word, "sa[1][2]", "sA[19]"),
            (TargetKind::Word, "sB[3], sA 4", "sA[4]; sB[3]"),
            (TargetKind::Panel, "panel 3", "panel 3"),
            (TargetKind::Panel, "Banks, 5", "panel 5; panel 6"),
            (TargetKind::Lane, "none", ""),
        ] {
            assert_eq!(read(sort, text).as_deref(), Some(expected), "{text:?}");
        }
    }

    #[test]
    fn other_things_are_not_read() {
        for (sort, text) in [
            (TargetKind::Element, "C[35]"),
            (TargetKind::Element, "thread 5,3"),
            (TargetKind::Element, "D[1][2]"),
            (TargetKind::Thread, "5"),
            (TargetKind::Thread, "warp 3"),
            (TargetKind::Lane, "bank 3"),
            (TargetKind::Lane, ""),
            (TargetKind::Lane, "0-4294967295"),
            (TargetKind::Lane, "99999999999"),
            (TargetKind::Thread, "0-4000,0-4000"),
            (TargetKind::Word, "sB[1][2]"),
            (TargetKind::Word, "17"),
            (TargetKind::Panel, "12"),
            (TargetKind::Line, "34?"),
        ] {
            assert_eq!(read(sort, text), None, "{text:?}");
        }
    }

    #[test]
    fn every_thing_is_read_as_it_is_printed() {
        let element = Element { operand: Operand::B, row: 3, column: 9 };
        let word = Target::Word { array: "sB".to_owned(), index: 12 };
        let mut things = vec![Target::Element(element), Target::Thread { x: 5, y: 3 }, word];
        things.extend([Target::Warp(1), Target::Lane(31), Target::Bank(0), Target::Sector(3)]);
        things.extend([Target::Line(34)]);
        things.extend(View::ALL.map(Target::Panel));
        for target in things {
            let read = pointed(TargetKind::of(&target)).read(&target.to_string());
            assert_eq!(read, Some(BTreeSet::from([target])));
        }
    }
}
