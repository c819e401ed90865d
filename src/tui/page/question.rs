//! A question at the foot of a lesson's page: what is asked, what can be answered, and the keys.

use super::prose::{Prose, blank, rule};
use crate::lesson::document::{AskKind, Piece, coded};
use crate::lesson::question::{Offer, Question};
use crate::lesson::target::Target;
use crate::tui::layout::text::width;
use crate::tui::lesson::{AnswerInput, Input};
use crate::tui::theme::{Look, Role};
use ratatui::text::{Line, Span};

/// An open question.
#[derive(Clone, Copy)]
pub struct AskText<'a> {
    /// What is asked: the last paragraph before it.
    pub prompt: &'a [Piece],
    pub question: &'a Question,
    /// The answer that is being given.
    pub input: &'a Input,
    /// What was said to the last answer.
    pub said: Option<&'a str>,
    /// The keys, and what they do.
    pub keys: &'a [(String, String)],
    /// How text is set.
    pub prose: Prose<'a>,
}

/// How much room a question takes, from the most.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum QuestionRoom {
    /// Everything has a line of its own, with blank lines between.
    Loose,
    /// No blank lines.
    Tight,
    /// Offers and keys share lines.
    Shared,
    /// The same without what is asked, which then ends the text above.
    Least,
}

impl QuestionRoom {
    /// All of them, from the most.
    pub const ALL: [Self; 4] = [Self::Loose, Self::Tight, Self::Shared, Self::Least];
}

/// Returns the heading of a question's answer.
const fn heading(kind: AskKind) -> &'static str {
    match kind {
        AskKind::Number | AskKind::Choice => "Predict",
        AskKind::Pick => "Point at it",
        AskKind::Order => "Put in order",
        AskKind::Gap => "Where does it belong?",
        AskKind::Name => "What is it?",
    }
}

impl AskText<'_> {
    pub fn lines(&self, room: QuestionRoom) -> Vec<Line<'static>> {
        let Prose { width: columns, look, .. } = self.prose;
        let loose = room == QuestionRoom::Loose;
        let gap = |lines: &mut Vec<Line<'static>>| {
            if loose {
                lines.push(blank());
            }
        };
        let mut lines = Vec::new();
        // What a change is called is asked by the heading alone.
        if room <= QuestionRoom::Tight || self.question.kind == AskKind::Name {
            gap(&mut lines);
            lines.push(rule(heading(self.question.kind), columns, look));
            gap(&mut lines);
        }
        if room < QuestionRoom::Least {
            lines.extend(self.prose.text(self.prompt));
            gap(&mut lines);
        }
        if let Some(said) = self.said {
            lines.extend(self.prose.text(&coded(said, Piece::Strong)));
        }
        let offers =
            offers(self.question, self.input, None, &self.prose, room >= QuestionRoom::Shared);
        let no_offers = offers.is_empty();
        lines.extend(offers);
        if no_offers {
            lines.extend(self.answer());
        }
        gap(&mut lines);
        if room >= QuestionRoom::Shared && no_offers {
            // Beside the answer, if there is room.
            let keys = row_of_keys(self.keys, look);
            let last = lines.last().map_or(0, Line::width) as u16;
            let spare = columns.saturating_sub(last + keys.width() as u16);
            if let Some(line) = lines.last_mut().filter(|_| spare >= 4) {
                line.push_span(Span::raw(" ".repeat(spare.into())));
                keys.spans.into_iter().for_each(|span| line.push_span(span));
                return lines;
            }
        }
        lines.extend(keys(self.keys, columns, loose, look));
        lines
    }

    /// The line on which the answer appears; of many things, several.
    fn answer(&self) -> Vec<Line<'static>> {
        let (look, input) = (self.prose.look, self.input);
        let text = match input.takes() {
            AnswerInput::Place => {
                let after = if self.question.kind == AskKind::Gap { "after " } else { "" };
                let pointer = input.pointer.as_ref().map_or_else(String::new, Target::to_string);
                let marked: Vec<_> = input.marked.iter().map(Target::to_string).collect();
                match (&*input.typed, &marked[..]) {
                    ("", []) => format!("{after}{pointer}"),
                    ("", marked) => format!("{pointer}   marked: {}", marked.join("; ")),
                    (typed, _) => typed.to_owned(),
                }
            }
            AnswerInput::Number | AnswerInput::Offers => input.typed.clone(),
        };
        if input.takes() == AnswerInput::Number || !input.typed.is_empty() {
            return vec![input_line(&text, &self.question.unit, look)];
        }
        let inside = Prose { width: self.prose.width.saturating_sub(4), ..self.prose };
        let mut lines = inside.text(&[Piece::Strong(text)]);
        for (index, line) in lines.iter_mut().enumerate() {
            let lead = if index == 0 { look.pick("  ► ", "  > ") } else { "    " };
            line.spans.insert(0, Span::styled(lead, look.chosen()));
        }
        lines
    }
}

/// What is typed, with a cursor and the unit after it.
pub fn input_line(typed: &str, unit: &str, look: Look) -> Line<'static> {
    Line::from(vec![
        Span::styled(look.pick("  ► ", "  > "), look.chosen()),
        Span::styled(typed.to_owned(), look.chosen()),
        Span::styled(look.pick("▏", "_"), look.chosen()),
        Span::styled(format!(" {unit}"), look.text()),
    ])
}

/// What a question offers, in the order of the list: the chosen one and, once it is known, the right
/// one are marked. In little room they share a line, if they fit.
pub fn offers(
    question: &Question,
    input: &Input,
    right: Option<&str>,
    prose: &Prose<'_>,
    shared: bool,
) -> Vec<Line<'static>> {
    let look = prose.look;
    let listed = || input.order.iter().filter_map(|index| question.offers.get(*index)).enumerate();
    let lead = |place: usize, offer: &Offer| {
        let is_right = right.is_some_and(|keys| keys == offer.key.to_string());
        let (mark, style) = match () {
            () if is_right => (look.pick("● ", "* "), look.strong(Role::C)),
            () if input.chosen == Some(place) => (look.pick("► ", "> "), look.chosen()),
            () => ("  ", look.text()),
        };
        (Span::styled(mark, style), Span::styled(format!("{}  ", offer.key), look.chosen()))
    };
    if shared {
        let whole = listed().map(|(place, offer)| {
            let (mark, key) = lead(place, offer);
            let text = prose.text(&offer.text);
            let spans = text.into_iter().flat_map(|line| line.spans);
            let spans = [mark, key].into_iter().chain(spans);
            spans.chain([Span::raw("  ")]).collect::<Line<'_>>()
        });
        if let Some(lines) = packed(whole, prose.width) {
            return lines;
        }
    }
    let inside = Prose { width: prose.width.saturating_sub(7), ..*prose };
    let mut lines = Vec::new();
    for (place, offer) in listed() {
        let (mark, key) = lead(place, offer);
        let mut text = inside.text(&offer.text);
        text.extend(offer.text.is_empty().then(blank));
        for (index, mut line) in text.into_iter().enumerate() {
            let before = match index {
                0 => vec![Span::raw("  "), mark.clone(), key.clone()],
                _ => vec![Span::raw("       ")],
            };
            line.spans.splice(0..0, before);
            lines.push(line);
        }
    }
    lines
}

/// Puts as many parts on a line as fit, or returns `None` if one alone does not fit.
fn packed(parts: impl Iterator<Item = Line<'static>>, columns: u16) -> Option<Vec<Line<'static>>> {
    let mut lines: Vec<Line<'static>> = Vec::new();
    for part in parts {
        if part.width() > columns.into() {
            return None;
        }
        match lines.last_mut() {
            Some(line) if line.width() + part.width() <= columns.into() => {
                part.spans.into_iter().for_each(|span| line.push_span(span));
            }
            _ => lines.push(part),
        }
    }
    Some(lines).filter(|lines| !lines.is_empty())
}

/// Keys and what they do: a line for each, or as many on a line as fit.
pub fn keys(
    keys: &[(String, String)],
    columns: u16,
    one_each: bool,
    look: Look,
) -> Vec<Line<'static>> {
    if one_each {
        let widest = keys.iter().map(|(key, _)| width(key)).max().unwrap_or(0);
        let line = |(key, does): &(String, String)| {
            let gap = " ".repeat(usize::from(widest - width(key)) + 2);
            key_and_use(key, &format!("{gap}{does}"), look)
        };
        return keys.iter().map(line).collect();
    }
    let mut lines: Vec<Line<'static>> = Vec::new();
    for (key, does) in keys {
        let next = key_and_use(key, &format!("  {does}"), look);
        match lines.last_mut() {
            Some(line) if line.width() + 4 + next.width() <= usize::from(columns) => {
                line.push_span(Span::raw("    "));
                next.spans.into_iter().for_each(|span| line.push_span(span));
            }
            _ => lines.push(next),
        }
    }
    lines
}

fn row_of_keys(all: &[(String, String)], look: Look) -> Line<'static> {
    keys(all, u16::MAX, false, look).pop().unwrap_or_default()
}

fn key_and_use(key: &str, does: &str, look: Look) -> Line<'static> {
    let style = look.bold();
    Line::from(vec![Span::styled(key.to_owned(), style), Span::styled(does.to_owned(), look.dim())])
}
