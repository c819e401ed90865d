//! What a lesson shows at a moment: all that a screen, or a line of text, needs to know.

use crate::lesson::answer::AnsweredFrom;
use crate::lesson::dials::Dials;
use crate::lesson::document::Para;
use crate::lesson::error::RunError;
use crate::lesson::expr::Query;
use crate::lesson::judged::Judged;
use crate::lesson::question::Question;
use crate::lesson::setting::Setting;
use crate::lesson::target::{PagePlace, Target, View};
use crate::matrix::Size;

#[derive(Clone, Debug)]
pub struct SessionView {
    /// The lesson's number and title.
    pub lesson: (u32, String),
    /// The page, from 1.
    pub page: usize,
    pub pages: usize,
    pub title: String,
    /// The blocks shown so far, with each query replaced by its value.
    pub text: Vec<Para>,
    /// What the picture shows.
    pub setting: Setting,
    /// The steps done where the picture stands.
    pub step: usize,
    /// What is looked at; the first is focused.
    pub look: Vec<View>,
    /// What is shown of the stage; if nothing is named, there are panels.
    pub places: Vec<PagePlace>,
    /// The lines of the source in which the scene has changed its kernel.
    pub changed: Vec<u32>,
    /// Whether the source is shown as PTX.
    pub ptx: bool,
    /// The kernel beside it, for Compare.
    pub beside: Option<String>,
    /// The question that is open: asked and not yet answered.
    pub question: Option<OpenQuestion>,
    /// What was said to the last answer, until the lesson goes on.
    pub reply: Option<Reply>,
    /// The changes that are to be proved wrong.
    pub proof: Option<OpenProof>,
    /// The dials that are to be turned, until one setting reaches the goal or the lesson goes on.
    pub dials: Option<OpenDials>,
    /// Whether questions open with their answers.
    pub watch: WatchMode,
    /// Whether this is a question on an idea missed before, ahead of the page.
    pub review: bool,
    /// Whether the last page is done.
    pub over: bool,
}

#[derive(Clone, Debug)]
pub struct OpenQuestion {
    pub question: Question,
    /// The hints that were opened.
    pub hints: Vec<Vec<Para>>,
    /// The hints that were not.
    pub hints_left: usize,
    pub tries_left: u32,
    /// What was said to the last answer: what is expected, or that it is another one.
    pub said: Option<String>,
    /// What is lit on the picture with it.
    pub lit: Vec<Target>,
}

/// The reply to an answer.
#[derive(Clone, Debug)]
pub struct Reply {
    /// What was answered, or `None` if it was shown without an answer.
    pub you: Option<String>,
    pub right: Option<bool>,
    /// What is right: a value, or the key of an option.
    pub is: String,
    /// The unit of a number.
    pub unit: String,
    /// Where the value is from.
    pub origin: AnsweredFrom,
    /// The wrong idea's name, which the progress keeps.
    pub model: Option<String>,
    /// The wrong idea in a sentence.
    pub idea: Option<String>,
    /// The reply, then the page's text after the question.
    pub text: Vec<Para>,
    /// The steps done when the evidence is seen, if a moment of the run that is shown has it.
    pub play_to: Option<usize>,
    /// What is lit there.
    pub marks: Vec<Target>,
    pub view: Option<View>,
    pub warp: Option<u32>,
}

/// A changed kernel is to be proved wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OpenProof {
    pub by: ProofBy,
    /// What was said to the last try.
    pub said: Option<String>,
}

/// What proves that a kernel is wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ProofBy {
    /// An order of the warps that spoils C: it is searched for.
    Order,
    /// A size at which C is wrong: it is typed.
    Size,
}

/// Whether questions open with their answers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum WatchMode {
    /// They wait for an answer.
    #[default]
    No,
    /// They wait; after three that were skipped one may also only watch.
    Offered,
    /// They open with their answers: a film with pauses.
    Only,
}

/// Dials that are being turned.
#[derive(Clone, Debug)]
pub struct OpenDials {
    /// The question's name in the progress.
    pub id: String,
    /// The dials, and what they mean.
    pub dials: Dials,
    /// Where they stand: the number of a choice for each.
    pub at: Vec<usize>,
    /// The sizes at which a setting is judged.
    pub sizes: Vec<Size>,
    /// What the kernel does there, or why it does not compile.
    pub judged: Result<Vec<Judged>, RunError>,
    /// What was said to the last turn or choice.
    pub said: Option<String>,
    /// How often a setting was said to be the one.
    pub tries: u32,
    /// What it must reach at every size.
    pub(super) goal: Option<Query>,
}
