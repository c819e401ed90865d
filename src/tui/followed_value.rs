//! The followed value: its element, the answer about it and the selected row of the answer.

use super::layout::text::position;
use super::task::{AskId, QuestionTask};
use crate::matrix::{Element, Operand, Size};
use crate::report::value::Column;
use crate::study::value::{ValueAnswer, ValueQuestion};
use crate::work::WorkOwner;

/// The length of the longest position that can be typed: `46339,46339`.
const LONGEST: usize = 11;

/// An element of one of the matrices, and the answer about its value.
///
/// A row of A and C, a column of B and C, and an index along k belong together: they name a product
/// and the sum that it is added to.
#[derive(Debug)]
pub struct Followed {
    row: u32,
    column: u32,
    k: u32,
    operand: Operand,
    /// The position that is being typed.
    pub(super) typed: String,
    /// The selected row of the list.
    pub(super) cursor: usize,
    answer: Option<(ValueAnswer, Vec<(Column, u16)>)>,
    /// Whether the answer belongs to an earlier question, until the new answer arrives.
    stale: bool,
    asked: AskId,
    aim: CursorPlacement,
    asking: WorkOwner,
}

/// Which row of the list becomes selected when an answer arrives.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum CursorPlacement {
    /// The row that comes next in the run.
    #[default]
    Time,
    /// The row that belongs to `k`.
    K,
    /// The row that was selected before.
    Same,
}

impl Followed {
    /// Creates a followed element about which nothing has been asked yet.
    pub fn new(element: Element) -> Self {
        let mut followed = Self {
            row: 0,
            column: 0,
            k: 0,
            operand: element.operand,
            typed: String::new(),
            cursor: 0,
            answer: None,
            stale: false,
            asked: AskId::default(),
            aim: CursorPlacement::Time,
            asking: WorkOwner::default(),
        };
        followed.select(element);
        followed
    }

    pub const fn element(&self) -> Element {
        let Self { row, column, k, operand, .. } = *self;
        match operand {
            Operand::A => Element { operand, row, column: k },
            Operand::B => Element { operand, row: k, column },
            Operand::C => Element { operand, row, column },
        }
    }

    /// The index along k that belongs to the element.
    pub const fn k(&self) -> u32 {
        self.k
    }

    /// The row of A and C and the column of B and C that belong to the element.
    pub const fn place(&self) -> (u32, u32) {
        (self.row, self.column)
    }

    /// Selects another element; the coordinate that it does not determine stays.
    pub fn select(&mut self, element: Element) {
        self.operand = element.operand;
        match element.operand {
            Operand::A => (self.row, self.k) = (element.row, element.column),
            Operand::B => (self.k, self.column) = (element.row, element.column),
            Operand::C => (self.row, self.column) = (element.row, element.column),
        }
    }

    /// Selects another row of the list; the index along k follows it.
    pub fn point(&mut self, row: usize) {
        let Some((answer, _)) = &self.answer else { return };
        self.cursor = row.min(answer.rows().saturating_sub(1));
        self.k = answer.k(self.cursor).unwrap_or(self.k);
    }

    /// Selects the row that comes next after `at` steps.
    pub fn keep_up(&mut self, at: usize) {
        if let Some(row) = self.answer().map(|answer| answer.next_row(at)) {
            self.point(row);
        }
    }

    /// Moves the element down and to the right by the given amounts, within the matrix.
    pub fn walk(&mut self, size: Size, down: i32, right: i32) {
        let Element { operand, row, column } = self.element();
        let (rows, columns) = size.shape(operand);
        let moved = |at: u32, by: i32, end: u32| at.saturating_add_signed(by).min(end - 1);
        let (row, column) = (moved(row, down, rows), moved(column, right, columns));
        self.select(Element { operand, row, column });
    }

    /// Cycles through C, A and B, or backwards.
    pub fn turn(&mut self, forwards: bool) {
        self.aim = CursorPlacement::K;
        self.operand = match (self.operand, forwards) {
            (Operand::C, true) | (Operand::B, false) => Operand::A,
            (Operand::A, true) | (Operand::C, false) => Operand::B,
            (Operand::B, true) | (Operand::A, false) => Operand::C,
        };
    }

    /// Types a digit or the comma of a position `row,column`, which is clamped to the matrix.
    pub fn type_letter(&mut self, letter: char, size: Size) {
        if self.typed.len() < LONGEST {
            self.typed.push(letter);
        }
        self.take_typed(size);
    }

    /// Deletes the last typed character.
    pub fn erase(&mut self, size: Size) {
        self.typed.pop();
        self.take_typed(size);
    }

    fn take_typed(&mut self, size: Size) {
        let (rows, columns) = size.shape(self.operand);
        let Some((row, column)) = position(&self.typed) else { return };
        let operand = self.operand;
        self.select(Element { operand, row: row.min(rows - 1), column: column.min(columns - 1) });
    }

    /// Starts a question and cancels the earlier one.
    pub fn ask(&mut self, id: AskId, question: ValueQuestion) -> QuestionTask {
        self.asking = WorkOwner::default();
        (self.asked, self.stale) = (id, self.answer.is_some());
        QuestionTask { id, question, token: self.asking.token() }
    }

    /// Handles an answer or a refinement of it; ignores answers to earlier questions. The run is at `at`
    /// steps.
    pub fn hear(&mut self, id: AskId, answer: ValueAnswer, widths: Vec<(Column, u16)>, at: usize) {
        if id != self.asked {
            return;
        }
        let row = match std::mem::replace(&mut self.aim, CursorPlacement::Same) {
            CursorPlacement::Time => answer.next_row(at),
            CursorPlacement::K => {
                (0..answer.rows()).find(|row| answer.k(*row) == Some(self.k)).unwrap_or(0)
            }
            CursorPlacement::Same => self.cursor,
        };
        (self.answer, self.stale) = (Some((answer, widths)), false);
        self.point(row);
    }

    /// The answer, or `None` while it belongs to an earlier question.
    pub fn answer(&self) -> Option<&ValueAnswer> {
        self.answer.as_ref().map(|(answer, _)| answer).filter(|_| !self.stale)
    }

    /// The last answer with the widths of its columns, even if it belongs to an earlier question.
    pub fn last_answer(&self) -> Option<(&ValueAnswer, &[(Column, u16)])> {
        self.answer.as_ref().map(|(answer, widths)| (answer, &**widths))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SIZE: Size = Size { m: 10, n: 20, k: 30 };

    fn followed(text: &str) -> Followed {
        Followed::new(text.parse().expect("an element"))
    }

    #[test]
    fn the_three_matrices_share_row_column_and_k() {
        let mut followed = followed("C[5][7]");
        followed.turn(true);
        assert_eq!(followed.element().to_string(), "A[5][0]");
        followed.walk(SIZE, 1, 3);
        assert_eq!(followed.element().to_string(), "A[6][3]");
        followed.turn(true);
        assert_eq!(followed.element().to_string(), "B[3][7]");
        followed.turn(true);
        assert_eq!(followed.element().to_string(), "C[6][7]");
        followed.turn(false);
        assert_eq!(followed.element().to_string(), "B[3][7]");
    }

    #[test]
    fn nothing_leads_out_of_a_matrix() {
        let mut followed = followed("C[9][19]");
        followed.walk(SIZE, 1, 1);
        assert_eq!(followed.element().to_string(), "C[9][19]");
        followed.walk(SIZE, -99, -99);
        assert_eq!(followed.element().to_string(), "C[0][0]");
        for letter in "4,12".chars() {
            followed.type_letter(letter, SIZE);
        }
        assert_eq!(followed.element().to_string(), "C[4][12]");
        followed.erase(SIZE);
        assert_eq!(followed.element().to_string(), "C[4][1]");
        for letter in "9999,,".chars() {
            followed.type_letter(letter, SIZE);
        }
        assert_eq!(followed.element().to_string(), "C[4][19]");
    }
}
