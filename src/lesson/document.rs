//! A course as it was read: lessons, their pages, and the blocks of a page in order.

use super::expr::{Parsed, Query, RunPosition};
use super::setting::Setting;
use super::target::{PagePlace, View};
use std::ops::Range;

/// Every lesson, idea and change.
#[derive(Clone, Debug, Default)]
pub struct Course {
    /// The lessons, in order.
    pub lessons: Vec<Lesson>,
    /// The wrong ideas and what is said to them: the pages of `models.md`.
    pub ideas: Vec<Idea>,
    /// The course's own file of them: its name and its text, which the spans of the first ideas point
    /// into.
    pub models: Option<(String, String)>,
    /// The lessons in groups, as `course.toml` has them.
    pub groups: Vec<LessonGroup>,
}

/// Lessons that belong together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LessonGroup {
    pub id: String,
    /// The names of its lessons, in order.
    pub lessons: Vec<String>,
}

#[derive(Clone, Debug)]
pub struct Lesson {
    /// Its number in the course, as the learner types it.
    pub number: u32,
    /// Its name in the progress file and in other lessons.
    pub id: String,
    pub title: String,
    /// One line about it, for the list of the course.
    pub about: String,
    /// Minutes that it takes.
    pub minutes: u32,
    /// The lessons that should come first: advice only.
    pub needs: Vec<String>,
    /// The ideas that it treats, each offered by one of its questions.
    pub ideas: Vec<String>,
    /// Its pages; the place of a page is `lesson.page`, from 1.
    pub pages: Vec<Page>,
    /// The file's name, for messages.
    pub file: String,
    /// The file's text, which the spans below point into.
    pub text: String,
}

#[derive(Clone, Debug)]
pub struct Page {
    pub title: String,
    /// What happens on it, in order: text up to a block is shown when the page opens, the text after
    /// a block when that is done.
    pub blocks: Vec<PageBlock>,
    /// Notes for the teacher.
    pub notes: Vec<String>,
    /// Minutes that it takes, if it says so.
    pub minutes: Option<u32>,
    /// Where its words stand in the file, in bytes, but for those that are known to the reader:
    /// they must not tell an answer.
    pub prose: Vec<Range<usize>>,
    /// Its place in the file, in bytes.
    pub span: Range<usize>,
}

/// A wrong idea: a page of `models.md`.
#[derive(Clone, Debug)]
pub struct Idea {
    /// The model that computes what it says.
    pub id: String,
    /// The idea in a sentence, without quotes.
    pub says: String,
    /// What is replied; its queries are asked in the setting of the question that was missed.
    pub reply: Vec<Para>,
    /// A question on it, for when it comes back.
    pub probe: Option<Ask>,
    /// Its place in the file, in bytes.
    pub span: Range<usize>,
}

#[derive(Clone, Debug)]
pub enum PageBlock {
    Text(Vec<Para>),
    /// The picture is brought to a place.
    Scene(Scene),
    /// A question, with its hints.
    Ask(Box<Ask>),
    /// The kernel is broken: it is to be named, proved and mended.
    Change(ChangeBlock),
    Dials(DialsBlock),
}

/// A paragraph or another block of text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Para {
    Text(Vec<Piece>),
    /// Code, as it stands, line by line.
    Code(Vec<String>),
    /// An item of a list: its mark (`-`, `1.`, `a`) and its paragraphs.
    Item(String, Vec<Para>),
    Quote(Vec<Para>),
}

/// A piece of running text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Piece {
    Plain(String),
    /// Words that are stressed.
    Strong(String),
    Code(String),
    /// A key, named by the command that it stands for or as it is printed: `Press n`.
    Key(String),
    /// A query, replaced by its value: the text after `=`.
    Query(Query),
}

/// The pieces of some paragraphs, in order; code has none.
pub fn pieces(paras: &[Para]) -> Vec<&Piece> {
    paras.iter().flat_map(of_para).collect()
}

fn of_para(para: &Para) -> Vec<&Piece> {
    match para {
        Para::Text(own) => own.iter().collect(),
        Para::Code(_) => Vec::new(),
        Para::Item(_, paras) | Para::Quote(paras) => pieces(paras),
    }
}

/// A text of the program's own as pieces: what stands between backticks is code.
pub fn coded(text: &str, words: impl Fn(String) -> Piece) -> Vec<Piece> {
    let parts = text.split('`').enumerate().filter(|(_, part)| !part.is_empty());
    let piece = |(index, part): (usize, &str)| match index % 2 {
        0 => words(part.to_owned()),
        _ => Piece::Code(part.to_owned()),
    };
    parts.map(piece).collect()
}

/// The keys that some paragraphs tell to press, in order.
pub fn keys(paras: &[Para]) -> Vec<&str> {
    pieces(paras).into_iter().filter_map(Piece::key).collect()
}

impl Piece {
    /// The key, if it is one.
    fn key(&self) -> Option<&str> {
        match self {
            Self::Key(key) => Some(key),
            _ => None,
        }
    }
}

/// Running text as words alone, without blanks around it; a query as it is written, in brackets.
pub fn words(pieces: &[Piece]) -> String {
    let word = |piece: &Piece| match piece {
        Piece::Plain(text) | Piece::Strong(text) | Piece::Code(text) | Piece::Key(text) => {
            text.clone()
        }
        Piece::Query(query) => format!("[{}]", query.text),
    };
    pieces.iter().map(word).collect::<String>().trim().to_owned()
}

/// A scene: keys that are left out keep the value of the scene before.
#[derive(Clone, Debug)]
pub struct Scene {
    /// Its settings, one for each variant; the seed chooses.
    pub variants: Vec<Setting>,
    pub at: Option<Parsed<RunPosition>>,
    /// What is looked at; the first is focused, and the one shown on a small screen.
    pub look: Vec<View>,
    /// What is shown of the stage; if nothing is named, there are panels.
    pub places: Vec<PagePlace>,
    /// Whether the source is shown as PTX.
    pub ptx: bool,
    /// The kernel beside it, for Compare.
    pub beside: Option<String>,
    /// Its place in the file, in bytes.
    pub span: Range<usize>,
}

/// A text with its place in the file in bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SpannedText {
    pub text: String,
    pub span: Range<usize>,
}

impl SpannedText {
    pub fn query(self) -> Query {
        Query::query(self.text, self.span)
    }

    pub fn place(self) -> Parsed<RunPosition> {
        Parsed::place(self.text, self.span)
    }
}

#[derive(Clone, Debug)]
pub struct Ask {
    /// Its name in the progress.
    pub id: String,
    /// The query whose value is right.
    pub want: Query,
    /// How it is answered, or `None` for what suits the value.
    pub kind: Option<AskKind>,
    /// The ideas whose answers are wrong.
    pub wrong: Vec<String>,
    /// The options of a choice: key, expression, text, and the idea after it if it is wrong.
    pub options: Vec<Choice>,
    /// What is picked or chosen from: kernels, or a kind of thing.
    pub of: Vec<String>,
    /// What counts as right for a number.
    pub within: Tolerance,
    /// The unit that is shown after a number: `passes`.
    pub unit: String,
    /// What the learner puts between two lines of the source, for a gap.
    pub insert: Option<String>,
    /// Whether every member of a set is wanted, not any.
    pub all: bool,
    /// How often one may try before it is shown.
    pub tries: u32,
    /// Where the evidence is, if not where the query says.
    pub show: Option<Parsed<RunPosition>>,
    pub hints: Vec<Vec<Para>>,
    /// Its place in the file, in bytes.
    pub span: Range<usize>,
}

impl Ask {
    /// A question of which nothing else is said than its name and its query.
    pub const fn new(id: String, want: Query, span: Range<usize>) -> Self {
        Self {
            id,
            want,
            kind: None,
            wrong: Vec::new(),
            options: Vec::new(),
            of: Vec::new(),
            within: Tolerance::Exact,
            unit: String::new(),
            insert: None,
            all: false,
            tries: 2,
            show: None,
            hints: Vec::new(),
            span,
        }
    }
}

/// How a question is answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum AskKind {
    Number,
    /// One of several options.
    Choice,
    /// Things on the picture.
    Pick,
    /// A list is put in order.
    Order,
    /// A place between two lines of the source.
    Gap,
    /// The change that was made.
    Name,
}

/// An option of a choice, or an item of an order.
#[derive(Clone, Debug)]
pub struct Choice {
    /// The key: `a`.
    pub key: String,
    pub decides: Decides,
    pub text: Vec<Piece>,
    /// The idea that chooses it.
    pub idea: Option<String>,
}

/// What decides about an option.
#[derive(Clone, Debug)]
pub enum Decides {
    /// Whether it is right.
    Holds(Query),
    /// In an order: when the event happens.
    Happens(Parsed<RunPosition>),
}

impl Decides {
    /// Its place in the file, in bytes.
    pub const fn span(&self) -> &Range<usize> {
        match self {
            Self::Holds(query) => &query.span,
            Self::Happens(place) => &place.span,
        }
    }
}

impl Choice {
    /// The query that says whether it is right, unless it is an event of an order.
    pub const fn holds(&self) -> Option<&Query> {
        match &self.decides {
            Decides::Holds(query) => Some(query),
            Decides::Happens(_) => None,
        }
    }
}

/// How near a number must be.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Tolerance {
    /// The very number.
    #[default]
    Exact,
    /// So much of it: 0.1 for 10 %.
    Share(f64),
    /// Between the number divided and multiplied by this.
    Factor(f64),
}

/// The kernel is broken.
#[derive(Clone, Debug)]
pub struct ChangeBlock {
    /// Its name in the progress.
    pub id: String,
    /// The changes from which the seed chooses.
    pub of: Vec<String>,
    /// The sizes at which it is tried.
    pub sizes: Vec<String>,
    pub ask: Option<Asks>,
    pub prove: Option<Proves>,
    /// Whether the kernel is mended at the page's end.
    pub undo: bool,
    /// Its place in the file, in bytes.
    pub span: Range<usize>,
}

/// What is asked about a change.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Asks {
    /// Which it is.
    Name,
    /// The lines of the race that it makes.
    Line,
}

/// By what a change is proved to be wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Proves {
    /// An order of the warps that spoils C: it is searched for.
    Race,
    /// A size at which C is wrong: it is typed.
    Size,
}

#[derive(Clone, Debug)]
pub struct DialsBlock {
    /// Its name in the progress.
    pub id: String,
    /// The source: its name and its text.
    pub kernel: (String, String),
    /// The sizes at which each setting is judged.
    pub sizes: Vec<String>,
    /// What the setting must reach.
    pub goal: Option<Query>,
    /// Its place in the file, in bytes.
    pub span: Range<usize>,
}
