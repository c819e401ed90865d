//! The kernel's listing, for pages that ask to look at it; with what the checks find, where that is
//! the question.

use super::Session;
use super::wrap::{WIDTH, wrapped};
use crate::lesson::document::Kind;
use std::io::{self, Write};

impl<W: Write> Session<'_, W> {
    /// Prints the source of the kernel on the stage, without the comment at its head.
    pub(super) fn listing(&mut self) -> io::Result<()> {
        let now = self.walk.now();
        let Ok(stage) = self.walk.stages().of(&now.setting) else { return Ok(()) };
        let is_named = now.question.as_ref().is_some_and(|open| open.question.kind == Kind::Name);
        let source = stage.problem.source();
        let lines = (1..).zip(source.iter().flat_map(|(_, text)| text.lines()));
        let is_head = |line: &str| line.is_empty() || line.starts_with("//");
        let code = lines.skip_while(|(_, line)| is_head(line));
        let mut told = vec![String::new()];
        told.extend(code.map(|(number, line): (u32, _)| format!("{number:>4}  {line}")));
        for found in stage.found().iter().filter(|_| is_named) {
            told.push(String::new());
            told.extend(wrapped(&format!("The checks find: {}", found.message), WIDTH));
        }
        self.write(&told)
    }
}
