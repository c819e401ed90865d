//! The page of a lesson: its text, its question and its keys, set in lines.
//!
//! Nothing here draws: the lines are a part of what a frame shows, and how many there are says how
//! the text is turned.

mod different;
mod results;

pub mod prose;
pub mod question;

use crate::lesson::document::{AskKind, Para, Piece, coded};
use crate::lesson::session::{OpenProof, OpenQuestion, ProofBy, Reply, SessionView, WatchMode};
use crate::tui::app::App;
use crate::tui::layout::paging::{END, PageSlice, Paging};
use crate::tui::layout::{Areas, text_area};
use crate::tui::lesson::ActiveLesson;
use crate::tui::theme::Role;
use prose::{Prose, blank, rule};
use question::{AskText, QuestionRoom, input_line, keys, offers};
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};

/// Rows of the text's area in which paragraphs follow each other without a blank line.
const DENSE: u16 = 12;
/// The same for the results of a lesson.
const ROOMY: u16 = 28;
/// Rows of text beside which a question can stand; in fewer, the text is read before it is asked.
const READABLE: u16 = 8;

type Lines = Vec<Line<'static>>;

/// A page in a room.
#[derive(Clone, Debug)]
pub struct LaidOutPage {
    pub body: Lines,
    /// What stands below it.
    pub foot: Lines,
    pub paging: Paging,
}

impl LaidOutPage {
    fn new((body, newest, foot): (Lines, u16, Lines), room: u16) -> Self {
        let paging = Paging { lines: body.len() as u16, room, newest, part: PageSlice::Both };
        Self { body, foot, paging }
    }
}

/// Where the page stands: its results have the room of the picture as well.
pub fn page_area(app: &App, areas: &Areas) -> Rect {
    let results = is_over(app) && !areas.text.is_empty();
    if results { areas.whole() } else { areas.text }
}

/// Whether the results of the lesson are shown.
pub fn is_over(app: &App) -> bool {
    app.mode.lesson().is_some_and(|lesson| lesson.now().over) && !app.areas().text.is_empty()
}

/// Lays the page out, if it has room.
pub fn laid(app: &App, areas: &Areas) -> Option<LaidOutPage> {
    let area = page_area(app, areas);
    let lesson = app.mode.lesson().filter(|_| !area.is_empty())?;
    Some(within(app, lesson, text_area(area)))
}

/// Whether the text is still read, so that the question is not in view yet.
pub fn reads(app: &App) -> bool {
    laid(app, &app.areas()).is_some_and(|laid| laid.paging.reads())
}

/// Lays the page out: in as much room as leaves the whole text in view or, if there is not enough,
/// so that what is asked is in view; in very little room, that comes after the text.
fn within(app: &App, lesson: &ActiveLesson, area: Rect) -> LaidOutPage {
    let both = text_and_question(app, lesson, area);
    let asks = lesson.waits() && lesson.different.is_none();
    if !asks || both.paging.last() == 0 || both.paging.room >= READABLE {
        return both;
    }
    let text = text_alone(app, lesson, area);
    // An answer that is begun is seen.
    let begun = lesson.turned.is_none() && !lesson.input.typed.is_empty();
    if lesson.turned != Some(END) && !begun {
        return text;
    }
    let part = PageSlice::Question(text.paging.screens(), text.paging.last());
    LaidOutPage { paging: Paging { part, ..both.paging }, ..both }
}

/// The text before a question, without it.
fn text_alone(app: &App, lesson: &ActiveLesson, area: Rect) -> LaidOutPage {
    let names = |name: &str| app.keymap.own_key(name);
    let dense = area.height < DENSE;
    let prose = Prose { width: area.width, dense, keys: &names, look: app.display.look };
    let (body, newest, _) = parts(app, lesson, (prose, QuestionRoom::Least));
    let offers = [("lesson-turn", "the rest of the text, then the question", true)];
    let foot = keys(&app.keymap.offered(&offers), area.width, false, app.display.look);
    let room = area.height.saturating_sub(foot.len() as u16);
    let laid = LaidOutPage::new((body, newest, foot), room);
    let part = PageSlice::Text(laid.paging.screens());
    LaidOutPage { paging: Paging { part, ..laid.paging }, ..laid }
}

/// The text, and below it what is asked.
fn text_and_question(app: &App, lesson: &ActiveLesson, area: Rect) -> LaidOutPage {
    let names = |name: &str| app.keymap.own_key(name);
    let dense = area.height < if lesson.now().over { ROOMY } else { DENSE };
    let prose = Prose { width: area.width, dense, keys: &names, look: app.display.look };
    let mut least = None;
    for room in QuestionRoom::ALL {
        let (body, newest, foot) = parts(app, lesson, (prose, room));
        let whole = foot.len() <= area.height.into();
        let left = area.height.saturating_sub(foot.len() as u16);
        let laid = LaidOutPage::new((body, newest, foot), left);
        if laid.paging.last() == 0 && whole {
            return laid;
        }
        // The text must be readable above what is asked.
        let enough = whole && left >= (area.height / 3).max(2) || room == QuestionRoom::Least;
        if room >= QuestionRoom::Shared && enough {
            return laid;
        }
        least = Some(laid);
    }
    least.unwrap_or_else(|| LaidOutPage::new((Vec::new(), 0, Vec::new()), area.height))
}

/// The text, its newest line, and the foot.
fn parts(
    app: &App,
    lesson: &ActiveLesson,
    (prose, room): (Prose<'_>, QuestionRoom),
) -> (Lines, u16, Lines) {
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
            let newest = if lesson.session.has_asked() { body.len() as u16 } else { 0 };
            (body, newest, going_on(app, now, (prose, room)))
        }
    };
    if let Some(why) = &lesson.run.failed {
        let why = Para::Text(vec![Piece::Strong(format!("No picture of this: {why}"))]);
        body.push(blank());
        body.extend(prose.lines(&[why]));
    }
    (body, newest, foot)
}

/// The text up to a question, its hints, and the question.
fn asked(
    app: &App,
    lesson: &ActiveLesson,
    open: &OpenQuestion,
    (prose, room): (Prose<'_>, QuestionRoom),
) -> (Lines, u16, Lines) {
    let (text, prompt) = prompt(&lesson.now().text);
    let shown = if room == QuestionRoom::Least { &lesson.now().text } else { text };
    let mut body = prose.lines(shown);
    for hint in &open.hints {
        body.push(rule("Hint", prose.width, prose.look));
        body.extend(prose.lines(hint));
    }
    let said = open.said.as_deref();
    let (question, input) = (&open.question, &lesson.input);
    let keys = &question_keys(app, lesson, open, room);
    let foot = AskText { prompt, question, input, said, keys, prose }.lines(room);
    (body, 0, foot)
}

/// Takes the last paragraph from a text: it is what is asked.
fn prompt(text: &[Para]) -> (&[Para], &[Piece]) {
    match text.split_last() {
        Some((Para::Text(pieces), before)) => (before, pieces),
        _ => (text, &[]),
    }
}

fn question_keys(
    app: &App,
    lesson: &ActiveLesson,
    open: &OpenQuestion,
    room: QuestionRoom,
) -> Vec<(String, String)> {
    let all = open.hints.len() + open.hints_left;
    let hint = format!("a hint ({} of {all})", open.hints.len() + 1);
    let picks = lesson.is_pick() && lesson.input.pointer.is_some();
    let marks = picks && open.question.all;
    let (answer, mark, show) = match room {
        QuestionRoom::Loose | QuestionRoom::Tight => {
            ("this is my answer", "mark this one", "just show me")
        }
        QuestionRoom::Shared | QuestionRoom::Least => ("answer", "mark", "show me"),
    };
    let orders = open.question.kind == AskKind::Order;
    let offers = [
        ("question-earlier", "moves it up", orders),
        ("question-later", "moves it down", orders),
        ("question-answer", answer, true),
        ("question-mark", mark, marks),
        ("question-hint", &hint, open.hints_left > 0),
        ("question-show", show, true),
    ];
    app.keymap.offered(&offers)
}

/// The text, and what is to be proved.
fn unproved(
    app: &App,
    lesson: &ActiveLesson,
    proof: &OpenProof,
    (prose, room): (Prose<'_>, QuestionRoom),
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
    let loose = room == QuestionRoom::Loose && !prose.dense;
    foot.extend(keys(&app.keymap.offered(&offers), prose.width, loose, prose.look));
    let body = prose.lines(&lesson.now().text);
    let newest = body.len() as u16;
    (body, newest, foot)
}

/// The text, what is right, why, and the rest of the page.
fn replied(
    app: &App,
    lesson: &ActiveLesson,
    reply: &Reply,
    (prose, room): (Prose<'_>, QuestionRoom),
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
        body.extend(offers(question, input, Some(&reply.is), &prose, room >= QuestionRoom::Shared));
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
fn going_on(app: &App, now: &SessionView, (prose, room): (Prose<'_>, QuestionRoom)) -> Lines {
    // The dials say themselves how they are turned and left.
    if app.mode.dials().is_some() {
        return Vec::new();
    }
    let on = match () {
        () if now.over => "to the list of lessons",
        () if now.dials.is_some() => "turn the dials",
        () => "go on",
    };
    let replied = now.reply.is_some();
    let watch = now.watch == WatchMode::Offered;
    let changed = app.mode.lesson().and_then(|lesson| lesson.session.changed());
    let different = app.mode.lesson().is_some_and(|lesson| lesson.session.is_different());
    let change = if changed == Some(false) { "make the change again" } else { "undo the change" };
    let again = app.mode.lesson().and_then(|lesson| lesson.session.differs_again());
    let again = again.map_or("again".to_owned(), |other| format!("again, with {other}"));
    let offers = [
        ("lesson-on", on, true),
        ("lesson-again", &again, replied),
        ("lesson-change", change, changed.is_some() && !now.over),
        ("lesson-difference", "what is different", different && !now.over),
        ("lesson-watch", "only watch from here on", watch),
    ];
    let loose = room == QuestionRoom::Loose;
    let mut lines: Vec<_> = (loose && !prose.dense).then(blank).into_iter().collect();
    lines.extend(keys(
        &app.keymap.offered(&offers),
        prose.width,
        loose && !prose.dense,
        prose.look,
    ));
    lines
}
