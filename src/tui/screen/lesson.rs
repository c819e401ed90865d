//! A lesson on the screen: its page beside the panels, and what it lights on them.

mod dials;
mod different;
mod gaps;
mod hidden;
mod marks;
mod offer;
mod places;
mod results;

pub use dials::{dial_at, draw as draw_dials, leave_text};
pub use gaps::{gaps, pointing};
pub use hidden::{
    asks, asks_name, asks_remedy, draw_prediction, found_at, hides, hides_from, in_source, told,
};
pub use marks::mark;
pub use offer::named;
use offer::{key, offered, own_key, whole};
pub use places::{array, changed, lanes, pointed_line, sectors, word};

use crate::lesson::document::{Kind, Para, Piece, coded};
use crate::lesson::walk::{Now, Open, Proof, ProofBy, Reply, Watch};
use crate::tui::app::App;
use crate::tui::layout::Areas;
use crate::tui::lesson::Taking;
use crate::tui::theme::Role;
use crate::tui::widget::cut;
use crate::tui::widget::page::{Page, Prose, blank, inner, rule};
use crate::tui::widget::question::{Ask, Room, input_line, keys, offers};
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Style;
use ratatui::text::{Line, Span};
use ratatui::widgets::Widget;

/// What the sentence says when a question is open and a key would move the run.
const REFUSED: &str = "first answer, or Esc";

/// Rows of the text's area in which paragraphs follow each other without a blank line.
const DENSE: u16 = 12;
/// The same for the results of a lesson.
const ROOMY: u16 = 28;

/// Rows of text beside which a question can stand; in fewer, the text is read before it is asked.
const READABLE: u16 = 8;

/// A page in a room.
struct Laid {
    body: Vec<Line<'static>>,
    foot: Vec<Line<'static>>,
    /// The rows of the body in view.
    room: u16,
    /// The line of the body that is of interest now.
    newest: u16,
    /// What of the page there is room for.
    part: Part,
}

/// What of a page stands in its room.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Part {
    /// The text, and below it what is asked.
    Both,
    /// The text alone, of which so many screens are to be read before the question.
    Text(u16),
    /// The question after so many screens of text.
    Question(u16),
}

impl Laid {
    /// The last line that can be the first in view.
    fn last(&self) -> u16 {
        (self.body.len() as u16).saturating_sub(self.room)
    }

    /// The first line in view.
    fn first(&self, turned: Option<u16>) -> u16 {
        turned.unwrap_or(self.newest).min(self.last())
    }

    /// The screens that the text takes.
    fn screens(&self) -> u16 {
        self.last().div_ceil(self.room.max(1)) + 1
    }

    /// Which of how many screens is in view, and whether it is the last.
    fn place(&self, first: u16) -> (u16, u16, bool) {
        let ends = first == self.last();
        let at = if ends { self.screens() } else { first / self.room.max(1) + 1 };
        match self.part {
            Part::Both => (at, self.screens(), ends),
            Part::Text(screens) => (at, screens + 1, false),
            Part::Question(screens) => (screens + 1, screens + 1, true),
        }
    }
}

/// Where the page stands: its results have the room of the picture as well.
pub fn page_area(app: &App, areas: &Areas) -> Rect {
    let results = is_over(app) && !areas.text.is_empty();
    if results { whole(areas) } else { areas.text }
}

/// Whether the results of the lesson are shown.
pub fn is_over(app: &App) -> bool {
    app.lesson.as_deref().is_some_and(|lesson| lesson.now().over) && app.shows_text()
}

/// Draws the page, if it has room.
pub fn draw(app: &App, areas: &Areas, buf: &mut Buffer) {
    let area = page_area(app, areas);
    let Some(lesson) = app.lesson.as_deref().filter(|_| !area.is_empty()) else { return };
    let now = lesson.now();
    let laid = laid(app, lesson, inner(area));
    let first = laid.first(lesson.turned);
    let title = if now.over {
        format!("Lesson {}  {}", now.lesson.0, now.lesson.1)
    } else {
        format!("{}  {}", lesson.place(), now.title)
    };
    let notes = notes(app, now, &laid, first);
    // Where it is matters more than the end of a long title.
    let room = usize::from(area.width).saturating_sub(8);
    let fits = |note: &&String| title.chars().count() + note.len() <= room;
    let note = notes.iter().find(fits).or(notes.last()).map_or("", String::as_str);
    let title = cut(&title, room.saturating_sub(note.len()) as u16);
    let (body, foot, look, follows) = (&laid.body, &laid.foot, app.look, lesson.waits());
    Page { title: &title, note, body, first, foot, follows, look }.render(area, buf);
}

/// How far the lesson is or, of a text that has to be turned, how far that is: the longest wording
/// first.
fn notes(app: &App, now: &Now, laid: &Laid, first: u16) -> Vec<String> {
    let (at, all, ends) = laid.place(first);
    if all == 1 {
        let Now { page, pages, .. } = now;
        let short = format!("{page} of {pages}");
        let notes =
            if now.over || now.review { Vec::new() } else { vec![format!("page {short}"), short] };
        return notes;
    }
    let turn = if ends { "lesson-turn-back" } else { "lesson-turn" };
    let turn = key(app, turn).unwrap_or_default();
    vec![format!("{at} of {all}, {turn}"), turn]
}

/// Returns the first line in view after the text was turned by so many of its screens.
pub fn turned(app: &App, by: i8) -> Option<u16> {
    let lesson = app.lesson.as_deref()?;
    let area = inner(page_area(app, &app.areas()));
    let laid = laid(app, lesson, area);
    let first = laid.first(lesson.turned);
    match laid.part {
        Part::Text(_) if by > 0 && first == laid.last() => return Some(Taking::END),
        Part::Question(_) if by > 0 => return Some(Taking::END),
        Part::Question(_) => return Some(text_alone(app, lesson, area).last()),
        Part::Both | Part::Text(_) => {}
    }
    let by = i32::from(by) * i32::from(laid.room.max(1));
    Some(first.saturating_add_signed(by as i16).min(laid.last()))
}

/// Whether the text is still read, so that the question is not in view yet.
pub fn reads(app: &App) -> bool {
    let area = inner(page_area(app, &app.areas()));
    let lesson = app.lesson.as_deref().filter(|_| !area.is_empty());
    lesson.is_some_and(|lesson| matches!(laid(app, lesson, area).part, Part::Text(_)))
}

/// Whether the end of the text is in view.
pub fn shows_end(app: &App) -> bool {
    let area = inner(page_area(app, &app.areas()));
    app.lesson.as_deref().is_none_or(|lesson| {
        let laid = laid(app, lesson, area);
        laid.place(laid.first(lesson.turned)).2
    })
}

/// Lays the page out: in as much room as leaves the whole text in view or, if there is not enough,
/// so that what is asked is in view; in very little room, that comes after the text.
fn laid(app: &App, lesson: &Taking, area: Rect) -> Laid {
    let both = text_and_question(app, lesson, area);
    let asks = lesson.waits() && lesson.different.is_none();
    if !asks || both.last() == 0 || both.room >= READABLE {
        return both;
    }
    let text = text_alone(app, lesson, area);
    // An answer that is begun is seen.
    let begun = lesson.turned.is_none() && !lesson.input.typed.is_empty();
    match lesson.turned {
        Some(Taking::END) => Laid { part: Part::Question(text.screens()), ..both },
        _ if begun => Laid { part: Part::Question(text.screens()), ..both },
        _ => text,
    }
}

/// The text before a question, without it.
fn text_alone(app: &App, lesson: &Taking, area: Rect) -> Laid {
    let names = |name: &str| own_key(app, name);
    let dense = area.height < DENSE;
    let prose = Prose { width: area.width, dense, keys: &names, look: app.look };
    let (body, newest, _) = parts(app, lesson, (prose, Room::Least));
    let offers = [("lesson-turn", "the rest of the text, then the question", true)];
    let foot = keys(&offered(app, &offers), area.width, false, app.look);
    let room = area.height.saturating_sub(foot.len() as u16);
    let laid = Laid { body, foot, room, newest, part: Part::Both };
    Laid { part: Part::Text(laid.screens()), ..laid }
}

/// The text, and below it what is asked.
fn text_and_question(app: &App, lesson: &Taking, area: Rect) -> Laid {
    let names = |name: &str| own_key(app, name);
    let dense = area.height < if lesson.now().over { ROOMY } else { DENSE };
    let prose = Prose { width: area.width, dense, keys: &names, look: app.look };
    let mut least = None;
    for room in Room::ALL {
        let (body, newest, foot) = parts(app, lesson, (prose, room));
        let whole = foot.len() <= area.height.into();
        let left = area.height.saturating_sub(foot.len() as u16);
        let laid = Laid { room: left, body, foot, newest, part: Part::Both };
        if laid.last() == 0 && whole {
            return laid;
        }
        // The text must be readable above what is asked.
        let enough = whole && left >= (area.height / 3).max(2) || room == Room::Least;
        if room >= Room::Shared && enough {
            return laid;
        }
        least = Some(laid);
    }
    let (body, foot, room) = (Vec::new(), Vec::new(), area.height);
    least.unwrap_or(Laid { body, foot, room, newest: 0, part: Part::Both })
}

type Lines = Vec<Line<'static>>;

/// The text, its newest line, and the foot.
fn parts(app: &App, lesson: &Taking, (prose, room): (Prose<'_>, Room)) -> (Lines, u16, Lines) {
    let now = lesson.now();
    let (mut body, newest, foot) = match (&now.question, &now.proof, &now.reply) {
        _ if lesson.is_starting() => (Vec::new(), 0, Vec::new()),
        _ if lesson.different.is_some() => {
            (different::lines(lesson, &prose), 0, different::keys(app, &prose))
        }
        _ if now.over => {
            let results = results::lines(app, lesson, &prose);
            (results, 0, going_on(app, now, (prose, room)))
        }
        (Some(open), ..) => asked(app, lesson, open, (prose, room)),
        (None, Some(proof), _) => unproved(app, lesson, proof, (prose, room)),
        (None, None, Some(reply)) => replied(app, lesson, reply, (prose, room)),
        (None, None, None) => {
            let body = prose.lines(&now.text);
            // What follows a question that was answered is at the end.
            let newest = if lesson.walk.has_asked() { body.len() as u16 } else { 0 };
            (body, newest, going_on(app, now, (prose, room)))
        }
    };
    if let Some(why) = &lesson.staged.failed {
        let why = Para::Text(vec![Piece::Strong(format!("No picture of this: {why}"))]);
        body.push(blank());
        body.extend(prose.lines(&[why]));
    }
    (body, newest, foot)
}

/// The text up to a question, its hints, and the question.
fn asked(
    app: &App,
    lesson: &Taking,
    open: &Open,
    (prose, room): (Prose<'_>, Room),
) -> (Lines, u16, Lines) {
    let (text, prompt) = prompt(&lesson.now().text);
    let shown = if room == Room::Least { &lesson.now().text } else { text };
    let mut body = prose.lines(shown);
    for hint in &open.hints {
        body.push(rule("Hint", prose.width, prose.look));
        body.extend(prose.lines(hint));
    }
    let said = open.said.as_deref();
    let (question, input) = (&open.question, &lesson.input);
    let keys = &question_keys(app, lesson, open, room);
    let foot = Ask { prompt, question, input, said, keys, prose }.lines(room);
    (body, 0, foot)
}

/// Takes the last paragraph from a text: it is what is asked.
fn prompt(text: &[Para]) -> (&[Para], &[Piece]) {
    match text.split_last() {
        Some((Para::Text(pieces), before)) => (before, pieces),
        _ => (text, &[]),
    }
}

fn question_keys(app: &App, lesson: &Taking, open: &Open, room: Room) -> Vec<(String, String)> {
    let all = open.hints.len() + open.hints_left;
    let hint = format!("a hint ({} of {all})", open.hints.len() + 1);
    let picks = lesson.is_pick() && lesson.input.pointer.is_some();
    let marks = picks && open.question.all;
    let (answer, mark, show) = match room {
        Room::Loose | Room::Tight => ("this is my answer", "mark this one", "just show me"),
        Room::Shared | Room::Least => ("answer", "mark", "show me"),
    };
    let orders = open.question.kind == Kind::Order;
    let offers = [
        ("question-earlier", "moves it up", orders),
        ("question-later", "moves it down", orders),
        ("question-answer", answer, true),
        ("question-mark", mark, marks),
        ("question-hint", &hint, open.hints_left > 0),
        ("question-show", show, true),
    ];
    offered(app, &offers)
}

/// The text, and what is to be proved.
fn unproved(
    app: &App,
    lesson: &Taking,
    proof: &Proof,
    (prose, room): (Prose<'_>, Room),
) -> (Lines, u16, Lines) {
    let (asks, prove) = match proof.by {
        ProofBy::Order => {
            ("In which order of the warps is C wrong? Type one, or have it searched for.", "search")
        }
        ProofBy::Size => ("At which size is C wrong? Type one, or have it searched for.", "search"),
    };
    let offers = [("question-answer", "try this one", true), ("question-prove", prove, true)];
    let mut foot = vec![rule("Prove it", prose.width, prose.look)];
    foot.extend(prose.text(&[Piece::Plain(asks.to_owned())]));
    foot.extend(proof.said.iter().flat_map(|said| prose.text(&coded(said, Piece::Strong))));
    foot.push(input_line(&lesson.input.typed, "", prose.look));
    let loose = room == Room::Loose && !prose.dense;
    foot.extend(keys(&offered(app, &offers), prose.width, loose, prose.look));
    let body = prose.lines(&lesson.now().text);
    let newest = body.len() as u16;
    (body, newest, foot)
}

/// The text, what is right, why, and the rest of the page.
fn replied(
    app: &App,
    lesson: &Taking,
    reply: &Reply,
    (prose, room): (Prose<'_>, Room),
) -> (Lines, u16, Lines) {
    let (text, prompt) = prompt(&lesson.now().text);
    let gap = |lines: &mut Lines| {
        if !prose.dense {
            lines.push(blank());
        }
    };
    let mut body = prose.lines(text);
    if !body.is_empty() {
        gap(&mut body);
    }
    let newest = body.len() as u16;
    if !prompt.is_empty() {
        body.extend(prose.text(prompt));
        gap(&mut body);
    }
    if let Some((question, input)) = lesson.asked.as_ref().filter(|(of, _)| !of.offers.is_empty()) {
        body.extend(offers(question, input, Some(&reply.is), &prose, room >= Room::Shared));
        gap(&mut body);
    }
    body.extend(verdict(reply, &prose));
    if let Some(idea) = &reply.idea {
        let chosen = lesson.asked.as_ref().is_some_and(|(of, _)| !of.offers.is_empty());
        let from = reply.you.as_ref().map(|you| {
            if chosen {
                "Where that comes from".to_owned()
            } else {
                format!("Where {you} comes from")
            }
        });
        gap(&mut body);
        if !prose.dense {
            body.push(rule(&from.unwrap_or_default(), prose.width, prose.look));
            body.push(blank());
        }
        body.extend(prose.text(&coded(&format!("\"{idea}\""), Piece::Plain)));
    }
    if !reply.text.is_empty() {
        gap(&mut body);
        body.extend(prose.lines(&reply.text));
    }
    (body, newest, going_on(app, lesson.now(), (prose, room)))
}

/// Dim lines below what they say something of.
fn below(text: &str, prose: &Prose<'_>) -> Lines {
    let inside = Prose { width: prose.width.saturating_sub(2), ..*prose };
    let lines = inside.text(&[Piece::Plain(text.to_owned())]).into_iter();
    let dim = |line: Line<'_>| Line::styled(format!("  {line}"), prose.look.dim());
    lines.map(dim).collect()
}

/// What was answered, and what is right.
fn verdict(reply: &Reply, prose: &Prose<'_>) -> Lines {
    let look = prose.look;
    let right = reply.right == Some(true);
    let mark = if right { look.pick("● ", "* ") } else { "  " };
    let style = if right { look.strong(Role::C) } else { look.chosen() };
    let unit = if reply.unit.is_empty() { String::new() } else { format!(" {}", reply.unit) };
    let mut is = Line::from(vec![
        Span::styled(format!("{mark}it is  "), look.text()),
        Span::styled(format!("{}{unit}", reply.is), style),
    ]);
    let origin = Span::styled(format!("   {}", reply.origin), look.dim());
    let own = is.width() + origin.width() > prose.width.into();
    if !own {
        is.push_span(origin);
    }
    // A long origin has lines of its own.
    let origin = if own { below(&reply.origin.to_string(), prose) } else { Vec::new() };
    let you = reply.you.as_ref().map(|you| {
        let lead = Span::styled("  you    ", look.text());
        Line::from(vec![lead, Span::styled(you.clone(), look.chosen())])
    });
    let lines: Vec<_> = you.into_iter().chain([is]).chain(origin).collect();
    let fits = lines.iter().map(Line::width).sum::<usize>() + 4 <= prose.width.into();
    match &lines[..] {
        [you, is] if prose.dense && fits => {
            let between = Span::raw("  ");
            let both = you.spans.iter().chain([&between]).chain(&is.spans).cloned();
            vec![both.collect()]
        }
        _ if lines.iter().any(|line| line.width() > prose.width.into()) => {
            let text =
                |line: &Line<'_>| line.spans.iter().map(|span| span.content.as_ref()).collect();
            let whole = |line: &Line<'_>| prose.text(&[Piece::Plain(text(line))]);
            lines.iter().flat_map(whole).collect()
        }
        _ => lines,
    }
}

/// The keys that lead on.
fn going_on(app: &App, now: &Now, (prose, room): (Prose<'_>, Room)) -> Lines {
    // The dials say themselves how they are turned and left.
    if app.dialling().is_some() {
        return Vec::new();
    }
    let on = match () {
        () if now.over => "to the list of lessons",
        () if now.dials.is_some() => "turn the dials",
        () => "go on",
    };
    let replied = now.reply.is_some();
    let watch = now.watch == Watch::Offered;
    let changed = app.lesson.as_deref().and_then(|lesson| lesson.walk.changed());
    let different = app.lesson.as_deref().is_some_and(|lesson| lesson.walk.is_different());
    let change = if changed == Some(false) { "make the change again" } else { "undo the change" };
    let again = app.lesson.as_deref().and_then(|lesson| lesson.walk.differs_again());
    let again = again.map_or("again".to_owned(), |other| format!("again, with {other}"));
    let offers = [
        ("lesson-on", on, true),
        ("lesson-again", &again, replied),
        ("lesson-change", change, changed.is_some() && !now.over),
        ("lesson-difference", "what is different", different && !now.over),
        ("lesson-watch", "only watch from here on", watch),
    ];
    let loose = room == Room::Loose;
    let mut lines: Vec<_> = (loose && !prose.dense).then(blank).into_iter().collect();
    lines.extend(keys(&offered(app, &offers), prose.width, loose && !prose.dense, prose.look));
    lines
}

/// What the lesson says in the place of the run's sentence, if it has something to say.
pub fn sentence(app: &App) -> Option<(String, Style)> {
    let lesson = app.lesson.as_deref()?;
    let here = app.look.strong(Role::Here);
    match lesson.computed() {
        Some(computed) => Some((computed, here)),
        None if app.dialling().is_some() => Some((dials::SENTENCE.to_owned(), app.look.chosen())),
        None if is_over(app) => {
            let (number, title) = &lesson.now().lesson;
            Some((format!("Lesson {number}, {title}: done."), app.look.chosen()))
        }
        None => lesson.refused.then(|| (REFUSED.to_owned(), here)),
    }
}
