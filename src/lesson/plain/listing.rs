//! What pages ask to look at: the kernel's listing, and what the checks find.

use super::{PlainLesson, paragraph};
use crate::lesson::document::keys;
use crate::lesson::session::SessionView;
use std::io::{self, Write};

impl<W: Write> PlainLesson<'_, W> {
    /// Prints the source of the kernel that is shown, without the comment at its head.
    pub(super) fn listing(&mut self) -> io::Result<()> {
        let now = self.session.now();
        let Ok(runs) = self.session.cache().runs(&now.setting) else { return Ok(()) };
        let source = runs.problem.source.as_ref();
        let lines = (1..).zip(source.iter().flat_map(|source| source.text.lines()));
        let is_head = |line: &str| line.is_empty() || line.starts_with("//");
        let code = lines.skip_while(|(_, line)| is_head(line));
        let mut told = vec![String::new()];
        told.extend(code.map(|(number, line): (u32, _)| format!("{number:>4}  {line}")));
        self.write(&told)
    }

    /// Prints the findings, unless they would give the answer away.
    pub(super) fn findings(&mut self) -> io::Result<()> {
        let now = self.session.now();
        if now.question.is_some() && !self.session.shows_symptoms() {
            return self.paras(&[paragraph("First answer, or an empty line.")]);
        }
        let Ok(runs) = self.session.cache().runs(&now.setting) else { return Ok(()) };
        let found: Vec<_> = runs.found().iter().map(|found| found.message.clone()).collect();
        let told = match &found[..] {
            [] => vec![paragraph("The checks find nothing.")],
            found => {
                found.iter().map(|found| paragraph(format!("The checks find: {found}"))).collect()
            }
        };
        self.paras(&told)
    }

    /// Says that a page names a key of the screen.
    pub(super) fn of_screen(&mut self, key: &str) -> io::Result<()> {
        let SessionView { lesson: (number, _), page, .. } = self.session.now();
        let told =
            format!("{key} is a key of the screen: matviz learn {number}.{page} opens it there.");
        self.paras(&[paragraph(told)])
    }

    /// Whether the page tells to press a key.
    pub(super) fn names(&self, key: &str) -> bool {
        let now = self.session.now();
        let said = now.reply.as_ref().map_or(&[][..], |reply| &reply.text);
        [&now.text, said].into_iter().any(|text| keys(text).contains(&key))
    }
}
