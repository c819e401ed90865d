//! A lesson as lines of text: it asks, reads an answer for each line, and goes on.

mod dials;
mod listing;
mod prompt;
mod wrap;

use super::document::{Para, Piece, coded};
use super::progress::{Progress, results};
use super::setting::Setting;
use super::walk::{Now, Reply, Walk, Watch};
use std::collections::HashSet;
use std::io::{self, BufRead, ErrorKind, Read, Write};
use wrap::{WIDTH, lines, wrapped};

/// The longest line that is read, in bytes; the rest of it is passed over.
const LONGEST: u64 = 4096;

/// A lesson that is taken in lines of text.
pub struct Session<'a, W> {
    walk: &'a mut Walk,
    progress: &'a mut Progress,
    /// Today: `2026-11-22`.
    day: &'a str,
    out: W,
    shown: Shown,
}

/// What was printed of the page.
#[derive(Default)]
struct Shown {
    /// Its number; another one begins anew.
    page: Option<(usize, bool)>,
    paras: usize,
    picture: Option<(Setting, usize)>,
    /// The parts that were told.
    told: HashSet<Part>,
    hints: usize,
}

impl Shown {
    fn has(&self, part: Part) -> bool {
        self.told.contains(&part)
    }

    fn mark(&mut self, part: Part, told: bool) {
        if told {
            self.told.insert(part);
        } else {
            self.told.remove(&part);
        }
    }
}

/// A part of a page that is told once.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Part {
    Question,
    Reply,
    Watch,
}

impl<'a, W: Write> Session<'a, W> {
    /// A lesson with the file that its answers are kept in.
    pub fn new(walk: &'a mut Walk, progress: &'a mut Progress, day: &'a str, out: W) -> Self {
        Self { walk, progress, day, out, shown: Shown::default() }
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
            if self.walk.now().over {
                let results = results(self.walk.course(), self.walk.lesson(), self.progress.kept());
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
        let now = self.walk.now();
        let is_open = now.question.is_some();
        match line {
            "w" if now.watch == Watch::Offered => self.walk.watch(),
            "" if is_open || now.proof.is_some() => self.walk.skip(),
            "?" if is_open => self.walk.hint(),
            line if is_open || now.proof.is_some() => self.walk.answer(line),
            line if now.dials.is_some() && !line.is_empty() => self.walk.answer(line),
            "b" => self.turn(Walk::back),
            "n" => self.turn(Walk::again),
            _ => self.walk.go_on(),
        }
    }

    /// Turns to a page that is printed anew.
    fn turn(&mut self, turn: impl FnOnce(&mut Walk)) {
        turn(self.walk);
        self.shown = Shown::default();
    }

    /// Saves the events, and prints notices about the file.
    fn keep(&mut self) -> io::Result<()> {
        let events = self.walk.events();
        self.progress.add(&events, self.day);
        for notice in self.progress.notices() {
            self.write(&wrapped(&notice, WIDTH))?;
        }
        Ok(())
    }

    /// Prints what is new.
    fn print(&mut self) -> io::Result<()> {
        let now = self.walk.now().clone();
        if self.shown.page != Some((now.page, now.review)) {
            self.shown = Shown { page: Some((now.page, now.review)), ..Shown::default() };
            self.write(&[String::new(), title(&now)])?;
        }
        if now.question.is_none() {
            self.shown.mark(Part::Question, false);
            self.shown.hints = 0;
        }
        let reply = now.reply.as_ref().filter(|_| !self.shown.has(Part::Reply));
        self.shown.mark(Part::Reply, now.reply.is_some());
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
            self.shown.paras += self.walk.pending();
        }
        Ok(())
    }

    /// The text of the page that was not printed yet.
    fn text(&mut self, now: &Now) -> io::Result<()> {
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
    fn picture(&mut self, now: &Now, step: usize) -> io::Result<()> {
        let place = Some((now.setting.clone(), step));
        if self.shown.picture == place {
            return Ok(());
        }
        self.shown.picture = place;
        let Some(picture) = self.walk.picture(step) else { return Ok(()) };
        let told = self.walk.redacted(&picture.sentence, false);
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
fn title(now: &Now) -> String {
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
