//! The statements of the source that send threads different ways, by their names and lines.

use super::flow::{self, Fork};
use super::names::Names;
use crate::analysis::check::Participant;
use crate::launch::{Dim3, WARP_SIZE};
use crate::sim::{Inst, Pc};
use cudac::{CudaSource, Lexeme, closing};

/// What sends some threads past an instruction.
pub(super) struct SkippingPath {
    pub(super) fork: Fork,
    pub(super) kind: ForkStatement,
    /// "the `if` of line 5"
    pub(super) name: String,
}

/// The statement in which it is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ForkStatement {
    /// An `if` whose threads return.
    Return,
    If,
    /// The condition of a loop, or an `if` that leaves it.
    Loop,
    /// It is not known.
    Branch,
}

impl Names<'_> {
    /// The branches that decide whether a thread reaches an instruction, the innermost first.
    pub(super) fn ways(&self, to: &Participant) -> Vec<SkippingPath> {
        let forks = flow::forks(self.program, to.pc).into_iter();
        forks.map(|fork| self.way(fork, to)).collect()
    }

    /// The innermost statement that guards both.
    pub(super) fn way_to_both(&self, [one, two]: [&Participant; 2]) -> Option<SkippingPath> {
        let others = flow::forks(self.program, two.pc);
        let both = |fork: &Fork| others.iter().any(|other| other.pc == fork.pc);
        let fork = flow::forks(self.program, one.pc).into_iter().find(both)?;
        Some(self.way(fork, if one.line > two.line { one } else { two }))
    }

    fn way(&self, fork: Fork, to: &Participant) -> SkippingPath {
        let Inst { line, file, .. } = *self.program.inst(fork.pc);
        let Dim3 { x, y, z } = self.problem.launch.block;
        // In other blocks a warp has threads of several rows.
        let has_rows = y * z == 1 || x.is_multiple_of(WARP_SIZE);
        let fork = Fork { is_of_warps: fork.is_of_warps && has_rows, ..fork };
        let at = self.line(&Participant { pc: fork.pc, line, file, ..*to });
        let written = line.zip(self.own_text(fork.pc));
        let kind = match written.and_then(|(line, text)| kind(text, line, to.line)) {
            Some(kind) => kind,
            None if fork.leaves_loop => ForkStatement::Loop,
            None => ForkStatement::Branch,
        };
        let what = match kind {
            ForkStatement::Return | ForkStatement::If => "the `if`",
            ForkStatement::Loop => "the loop",
            ForkStatement::Branch => "the branch",
        };
        SkippingPath { fork, kind, name: format!("{what} of {at}") }
    }

    /// The source of an instruction, if it is the kernel's own file.
    fn own_text(&self, pc: Pc) -> Option<&str> {
        let is_own = self.problem.other_file(self.program, pc).is_none();
        self.problem.source.as_ref().filter(|_| is_own).map(|source| &*source.text)
    }
}

/// The kind of the first statement on a line, seen from another line.
fn kind(text: &str, line: u32, to: Option<u32>) -> Option<ForkStatement> {
    let tokens = CudaSource::read(text).lexemes;
    let word = |token: &Lexeme<'_>| {
        token.line == line && matches!(token.text, "if" | "for" | "while" | "do")
    };
    let at = tokens.iter().position(word)?;
    if tokens[at].text != "if" {
        return Some(ForkStatement::Loop);
    }
    let body = body(&tokens[at + 1..])?;
    let has = |what: &str| body.iter().any(|token| token.text == what);
    let is_at = |token: &Lexeme<'_>, to: u32| {
        token.line == to && (to > line || token.text.contains("sync"))
    };
    let holds = |to: u32| body.iter().any(|token| is_at(token, to));
    Some(match () {
        () if to.is_some_and(holds) => ForkStatement::If,
        () if has("return") => ForkStatement::Return,
        () if has("break") => ForkStatement::Loop,
        () => ForkStatement::If,
    })
}

/// The statement after a condition in parentheses.
fn body<'t, 's>(tokens: &'s [Lexeme<'t>]) -> Option<&'s [Lexeme<'t>]> {
    let rest = &tokens[closing(tokens)? + 1..];
    let end = match rest.first()?.text {
        "{" => closing(rest)?,
        _ => rest.iter().position(|token| token.text == ";")?,
    };
    Some(&rest[..=end])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_an_if_does_shows_in_its_statement() {
        let text = "if (a) return;\nif (f(b)) {\n  c = 0;\n  return;\n}\nif (d)\n  sync();\n\
                    for (;;) {\n  if (e) break;\n  if (a) sync(); }\nx = a ? b : c;\n";
        let of = |line| kind(text, line, Some(99));
        assert_eq!([of(1), of(2)], [Some(ForkStatement::Return); 2]);
        assert_eq!([of(6), of(10)], [Some(ForkStatement::If); 2]);
        assert_eq!([of(8), of(9)], [Some(ForkStatement::Loop); 2]);
        assert_eq!((of(11), of(12)), (None, None));
        assert_eq!(kind(text, 2, Some(3)), Some(ForkStatement::If), "before the threads return");
    }
}
