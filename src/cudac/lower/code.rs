//! The instructions written so far, the registers and labels in use, and the way back.

use super::stop::Result;
use super::value::{Reg, RegClass};
use crate::at::{Pos, SourceLine};
use crate::error::Error;
use crate::library;
use crate::types::Type;
use std::collections::HashMap;
use std::fmt;

/// The instructions of one attempt.
const MOST_INSTRUCTIONS: usize = 100_000;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Label(usize);

impl fmt::Display for Label {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "$L{}", self.0)
    }
}

#[derive(Debug, Default)]
pub(super) struct Code {
    lines: Vec<String>,
    counts: [u32; RegClass::ALL.len()],
    /// For each label, how many lines there were when it was made: no branch to it stands before.
    labels: Vec<usize>,
    /// The source line of the last instruction.
    line: Option<SourceLine>,
    emitted: usize,
    /// Where a function of the library is called, to which its instructions belong.
    pinned: Option<Pos>,
    /// The lines of products and sums of operators, of which nvcc may make one instruction.
    arithmetic: Vec<usize>,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct CodeMark {
    lines: usize,
    counts: [u32; RegClass::ALL.len()],
    labels: usize,
    line: Option<SourceLine>,
}

impl Code {
    /// Writes an instruction that comes from a place of the source.
    pub(super) fn emit(&mut self, at: Option<Pos>, text: impl Into<String>) -> Result<()> {
        self.emitted += 1;
        if self.lines.len() > MOST_INSTRUCTIONS {
            let told = "this kernel has too many instructions after its loops are unrolled";
            return Err(Error::at(at.unwrap_or(Pos::START), told).into());
        }
        let is_of_library = |at: Pos| at.file == library::FILE;
        let at = at.and_then(|at| if is_of_library(at) { self.pinned } else { Some(at) });
        if let Some(line) = at.map(Pos::line).filter(|line| self.line != Some(*line)) {
            self.lines.push(format!("\t.loc\t{} {} 1", line.file + 1, line.number));
            self.line = Some(line);
        }
        self.lines.push(format!("\t{};", text.into()));
        Ok(())
    }

    /// Writes a product or a sum, of which contraction decides.
    pub(super) fn emit_arithmetic(
        &mut self,
        at: Option<Pos>,
        text: impl Into<String>,
    ) -> Result<()> {
        self.emit(at, text)?;
        self.arithmetic.push(self.lines.len() - 1);
        Ok(())
    }

    /// The lines of products and sums of operators.
    pub(super) fn arithmetic(&self) -> &[usize] {
        &self.arithmetic
    }

    /// The lines, without their ends.
    pub(super) fn lines(&self) -> &[String] {
        &self.lines
    }

    /// Replaces some lines by others.
    pub(super) fn replace(&mut self, mut new: HashMap<usize, Vec<String>>) {
        let lines = std::mem::take(&mut self.lines).into_iter().enumerate();
        self.lines =
            lines.flat_map(|(at, old)| new.remove(&at).unwrap_or_else(|| vec![old])).collect();
        self.arithmetic.clear();
    }

    /// The name of a new register of the class that this name begins with.
    pub(super) fn register_like(&mut self, class: &str) -> String {
        let class = RegClass::ALL.into_iter().find(|one| one.names().0 == class);
        self.register_of(class.unwrap_or(RegClass::Word)).to_string()
    }

    /// Gives the instructions of the library a place; returns the one before.
    pub(super) fn pin(&mut self, at: Option<Pos>) -> Option<Pos> {
        let before = self.pinned;
        self.pinned = at.map(|at| before.filter(|_| at.file == library::FILE).unwrap_or(at));
        before
    }

    pub(super) fn directive(&mut self, text: &str) {
        self.lines.push(format!("\t{text}"));
    }

    pub(super) fn label(&mut self) -> Label {
        self.labels.push(self.lines.len());
        Label(self.labels.len())
    }

    /// Places a label here; a branch to it that would come just before is left out.
    pub(super) fn place(&mut self, label: Label) {
        if self.lines.last().is_some_and(|last| *last == format!("\tbra {label};")) {
            self.lines.pop();
        }
        self.lines.push(format!("{label}:"));
        self.line = None;
    }

    /// Places a label here if a branch goes to it.
    pub(super) fn place_if_used(&mut self, label: Label) {
        let branch = format!(" {label};");
        let made = self.labels.get(label.0 - 1).copied().unwrap_or(0);
        if self.lines.iter().skip(made).any(|line| line.ends_with(&branch)) {
            self.place(label);
        }
    }

    /// A new register for a number or a pointer.
    pub(super) fn register(&mut self, ty: &Type) -> Reg {
        self.register_of(RegClass::of(ty))
    }

    /// A new register of a class.
    pub(super) fn register_of(&mut self, class: RegClass) -> Reg {
        let count = &mut self.counts[class as usize];
        *count += 1;
        Reg { class, number: *count }
    }

    pub(super) const fn mark(&self) -> CodeMark {
        let (lines, labels) = (self.lines.len(), self.labels.len());
        CodeMark { lines, counts: self.counts, labels, line: self.line }
    }

    /// Forgets what was written since.
    pub(super) fn back(&mut self, mark: CodeMark) {
        self.lines.truncate(mark.lines);
        let kept = self.arithmetic.partition_point(|line| *line < mark.lines);
        self.arithmetic.truncate(kept);
        self.labels.truncate(mark.labels);
        (self.counts, self.line) = (mark.counts, mark.line);
    }

    /// How many instructions were written, also those that were forgotten.
    pub(super) const fn emitted(&self) -> usize {
        self.emitted
    }

    pub(super) fn registers(&self) -> impl Iterator<Item = String> {
        let used = RegClass::ALL.into_iter().zip(self.counts).filter(|(_, count)| *count > 0);
        used.map(|(class, count)| {
            let (name, ty) = class.names();
            format!(".reg {ty} \t{name}<{}>;", count + 1)
        })
    }

    pub(super) fn text(&self) -> String {
        self.lines.iter().flat_map(|line| [line, "\n"]).collect()
    }
}
