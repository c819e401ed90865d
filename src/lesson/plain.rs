//! A lesson as lines of text: it asks, reads an answer for each line, and goes on.

mod dials;
mod listing;
mod prompt;
mod wrap;

use super::document::{Para, Piece, coded};
use super::progress::{Progress, results};
use super::session::{LessonSession, Reply, SessionView, WatchMode};
use super::setting::Setting;
use std::collections::HashSet;
use std::io::{self, BufRead, ErrorKind, Read, Write};
use wrap::{WIDTH, lines, wrapped};

/// The longest line that is read, in bytes; the rest of it is passed over.
const LONGEST: u64 = 4096;

/// A lesson that is taken in lines of text.
pub struct PlainLesson<'a, W> {
    session: &'a mut LessonSession,
    progress: &'a mut Progress,
    /// Today: `2026-11-22`.
    day: &'a str,
    out: W,
    shown: Printed,
}

/// What was printed of the page.
#[derive(Default)]
struct Printed {
    /// Its number; another one begins anew.
    page: Option<(usize, bool)>,
    paras: usize,
    picture: Option<(Setting, usize)>,
    /// The parts that were told.
    told: HashSet<PagePart>,
    hints: usize,
}

impl Printed {
    fn has(&self, part: PagePart) -> bool {
        self.told.contains(&part)
    }

    fn mark(&mut self, part: PagePart, told: bool) {
        if told {
            self.told.insert(part);
        } else {
            self.told.remove(&part);
        }
    }
}

/// A part of a page that is told once.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum PagePart {
    Question,
    Reply,
    Watch,
}

impl<'a, W: Write> PlainLesson<'a, W> {
    /// A lesson with the file that its answers are kept in.
    pub fn new(
        session: &'a mut LessonSession,
        progress: &'a mut Progress,
        day: &'a str,
        out: W,
    ) -> Self {
        Self { session, progress, day, out, shown: Printed::default() }
    }

    /// Prints the lesson and reads answers until it is over, the input ends, a line says `q`, or
    /// nobody reads the output any more.
    ///
    /// # Errors
    /// The input cannot be read, or the output not be written.
    pub fn run(&mut self, input: &mut impl BufRead) -> io::Result<()> {
        match self.take(input) {
            Err(error) if error.kind() == ErrorKind::BrokenPipe => Ok(()),
            done => done,
        }
    }

    fn take(&mut self, input: &mut impl BufRead) -> io::Result<()> {
        loop {
            self.keep()?;
            self.print()?;
            if self.session.now().over {
                let results =
                    results(self.session.course(), self.session.lesson(), self.progress.kept());
                return write!(self.out, "\n{results}");
            }
            self.prompt()?;
            self.out.flush()?;
            match line(input)? {
                None => return Ok(()),
                Some(line) if line.trim() == "q" => return Ok(()),
                Some(line) => match line.trim() {
                    "l" => self.listing()?,
                    "findings" | "!" => self.findings()?,
                    key if self.names(key) => self.of_screen(key)?,
                    line => self.obey(line),
                },
            }
        }
    }

    /// What a line says: an answer where one is awaited, else a command.
    fn obey(&mut self, line: &str) {
        let now = self.session.now();
        let is_open = now.question.is_some();
        match line {
            "w" if now.watch == WatchMode::Offered => self.session.watch(),
            "" if is_open || now.proof.is_some() => self.session.skip(),
            "?" if is_open => self.session.hint(),
            line if is_open || now.proof.is_some() => self.session.answer(line),
            line if now.dials.is_some() && !line.is_empty() => self.session.answer(line),
            "b" => self.turn(LessonSession::back),
            "n" => self.turn(LessonSession::again),
            _ => self.session.go_on(),
        }
    }

    /// Turns to a page that is printed anew.
    fn turn(&mut self, turn: impl FnOnce(&mut LessonSession)) {
        turn(self.session);
        self.shown = Printed::default();
    }

    /// Saves the events, and prints notices about the file.
    fn keep(&mut self) -> io::Result<()> {
        let events = self.session.events();
        self.progress.add(&events, self.day);
        for notice in self.progress.notices() {
            self.write(&wrapped(&notice, WIDTH))?;
        }
        Ok(())
    }

    /// Prints what is new.
    fn print(&mut self) -> io::Result<()> {
        let now = self.session.now().clone();
        if self.shown.page != Some((now.page, now.review)) {
            self.shown = Printed { page: Some((now.page, now.review)), ..Printed::default() };
            self.write(&[String::new(), title(&now)])?;
        }
        if now.question.is_none() {
            self.shown.mark(PagePart::Question, false);
            self.shown.hints = 0;
        }
        let reply = now.reply.as_ref().filter(|_| !self.shown.has(PagePart::Reply));
        self.shown.mark(PagePart::Reply, now.reply.is_some());
        self.text(&now)?;
        if let Some(reply) = reply {
            self.reply(reply)?;
        }
        let step = now.reply.as_ref().and_then(|reply| reply.play_to);
        let step = step.unwrap_or(now.step);
        self.picture(&now, step)?;
        if let Some(text) = now.reply.as_ref().filter(|_| reply.is_some()).map(|reply| &reply.text)
        {
            self.paras(text)?;
            // What joins the page when the lesson goes on has been printed with the reply.
            self.shown.paras += self.session.pending();
        }
        Ok(())
    }

    /// The text of the page that was not printed yet.
    fn text(&mut self, now: &SessionView) -> io::Result<()> {
        let new = now.text.get(self.shown.paras..).unwrap_or_default();
        if !new.is_empty() {
            self.shown.paras = now.text.len();
            self.paras(new)?;
        }
        Ok(())
    }

    /// `you 1  it is 2  simulated`, and the idea that says the same.
    fn reply(&mut self, reply: &Reply) -> io::Result<()> {
        let you = reply.you.as_ref().map(|you| format!("you {you}  ")).unwrap_or_default();
        let mut told = vec![String::new(), format!("{you}it is {}  {}", reply.is, reply.origin)];
        match (&reply.model, &reply.idea) {
            (Some(model), Some(idea)) => {
                told.extend(wrapped(&format!("{model}: \"{idea}\""), WIDTH));
            }
            (Some(model), None) => told.push(model.clone()),
            (None, _) => {}
        }
        self.write(&told)
    }

    /// The picture in a sentence, if it is another one than before.
    fn picture(&mut self, now: &SessionView, step: usize) -> io::Result<()> {
        let place = Some((now.setting.clone(), step));
        if self.shown.picture == place {
            return Ok(());
        }
        self.shown.picture = place;
        let Some(picture) = self.session.picture(step) else { return Ok(()) };
        let told = self.session.redacted(&picture.sentence, false);
        let text = format!("{}, step {step} of {}: {told}", picture.what, picture.steps);
        self.write(&[String::new()])?;
        self.write(&wrapped(&text, WIDTH))
    }

    fn paras(&mut self, paras: &[Para]) -> io::Result<()> {
        if paras.is_empty() {
            return Ok(());
        }
        self.write(&[String::new()])?;
        self.write(&lines(paras))
    }

    fn write(&mut self, lines: &[String]) -> io::Result<()> {
        lines.iter().try_for_each(|line| writeln!(self.out, "{line}"))
    }
}

/// `12.5  One column more                                            page 5 of 7`
fn title(now: &SessionView) -> String {
    let (lesson, title) = &now.lesson;
    if now.review {
        return format!("{lesson}  {title}: {}", now.title);
    }
    let left = format!("{lesson}.{}  {}", now.page, now.title);
    let right = format!("page {} of {}", now.page, now.pages);
    let room = WIDTH.saturating_sub(left.chars().count()).max(right.len() + 2);
    format!("{left}{right:>room$}")
}

/// The next line without its end, or `None` at the end of the input. What is not UTF-8 is replaced.
fn line(input: &mut impl BufRead) -> io::Result<Option<String>> {
    let mut bytes = Vec::new();
    if input.by_ref().take(LONGEST).read_until(b'\n', &mut bytes)? == 0 {
        return Ok(None);
    }
    if bytes.last() != Some(&b'\n') {
        input.skip_until(b'\n')?;
    }
    Ok(Some(String::from_utf8_lossy(&bytes).trim_end().to_owned()))
}

/// A paragraph of words, with code between backticks.
fn paragraph(text: impl AsRef<str>) -> Para {
    Para::Text(coded(text.as_ref(), Piece::Plain))
}

#[cfg(test)]
mod tests;
