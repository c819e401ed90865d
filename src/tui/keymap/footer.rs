//! The commands of the footer, for each context.

use super::command::Context;

/// The footer's label of the command that plays; while the run plays, it says "pause".
pub const PLAY: &str = "play";
/// The footer's label of the command that quits; where it goes back a level, it says "back".
pub const QUIT: &str = "quit";
/// The footer's label of the command that goes to the next part of the run, which is a barrier or a
/// tile.
pub const PART: &str = "barrier";
/// The footer's label of the command that changes the view; among the panels, it leads to the stage.
pub const VIEW: &str = "all panels";
/// The footer's label of the command that goes to the next warp; beside a listing, it scrolls that.
pub const DOWN: &str = "warp";
/// The footer's label of the command that moves the pointer or the choice of an answer.
pub const POINT: &str = "arrows: point";

/// The footer's label of the command that goes on in a lesson; where dials follow, it leads to them.
pub const ON: &str = "go on";

/// The most commands that the footer names, and the first page of the help: nobody keeps more in mind.
/// The others are found by `:` and on the last page of the help.
pub const MOST: usize = 12;

/// The commands of the panels, the most important first.
const FOOTER: [&str; MOST] = [
    "play",
    "forward",
    "next-phase",
    "lesson",
    "help",
    "quit",
    "view",
    "follow",
    "compare",
    "measure-screen",
    "faster",
    "commands",
];

/// The commands that come before those of [`FOOTER`] when the run has findings.
pub(super) const FOUND_FOOTER: [&str; 6] =
    ["next-finding", "findings", "play", "forward", "help", "quit"];

const STAGE_FOOTER: [&str; MOST] = [
    "play",
    "forward",
    "next-phase",
    "view",
    "help",
    "follow",
    "numbers",
    "compare",
    "lesson",
    "quit",
    "faster",
    "commands",
];

/// Two commands of which one goes the other way, told together on the first page of the help.
pub const BOTH_WAYS: [(&str, &str, &str); 3] = [
    ("forward", "back", "One step on, or back; while it plays, one row"),
    ("next-phase", "previous-phase", "The next barrier (naive: tile), or the one before"),
    ("faster", "slower", "Play faster, or slower"),
];

/// The footer's commands while a value is followed.
const VALUE_FOOTER: [&str; 9] = [
    "value-go",
    "value-up",
    "value-matrix",
    "value-next",
    "value-leave",
    "play",
    "forward",
    "next-phase",
    "help",
];

/// The footer's commands beside the text of a lesson.
const LESSON_FOOTER: [&str; 16] = [
    "lesson-on",
    "lesson-turn",
    "lesson-again",
    "lesson-change",
    "lesson-difference",
    "lesson-text",
    "forward",
    "play",
    "focus-next",
    "zoom",
    "down",
    "help",
    "quit",
    "lesson-back",
    "lesson-edit",
    "follow",
];

/// The footer's commands while a question is open.
const QUESTION_FOOTER: [&str; 17] = [
    "question-prove",
    "question-answer",
    "question-right",
    "question-mark",
    "question-earlier",
    "question-later",
    "question-hint",
    "question-show",
    "lesson-turn",
    "findings",
    "next-finding",
    "lesson-text",
    "focus-next",
    "zoom",
    "down",
    "help",
    "question-back",
];

/// The footer's commands while dials are turned.
const DIAL_FOOTER: [&str; 10] = [
    "dial-left",
    "dial-up",
    "dial-answer",
    "dial-watch",
    "dial-back",
    "help",
    "dial-source",
    "dial-reset",
    "dial-count",
    "dial-without",
];

/// The footer's commands in the list of lessons.
const COURSE_FOOTER: [&str; 5] = ["course-start", "course-down", "course-leave", "help", "theme"];

/// The footer's commands while a file is edited.
const EDIT_FOOTER: [&str; 13] = [
    "next-mistake",
    "edit",
    "task",
    "difference",
    "play",
    "forward",
    "help",
    "quit",
    "follow",
    "focus-next",
    "next-phase",
    "edit-down",
    "longer-unit",
];

/// The footer's commands on the Measure screen.
const MEASURE_FOOTER: [&str; 11] = [
    "measure-next",
    "picture-next",
    "size-larger",
    "compare-with",
    "measure-ladder",
    "close",
    "traffic",
    "origin",
    "help",
    "picture-alone",
    "theme",
];

/// The footer's commands while an overlay is open.
const OVERLAY_FOOTER: [&str; 4] =
    ["overlay-down", "overlay-page-down", "overlay-accept", "overlay-close"];

/// The names of a context's commands in the footer, the most important first.
pub(super) const fn names(context: Context) -> &'static [&'static str] {
    match context {
        Context::Main => &FOOTER,
        Context::Stage => &STAGE_FOOTER,
        Context::Overlay => &OVERLAY_FOOTER,
        Context::Value => &VALUE_FOOTER,
        Context::Lesson => &LESSON_FOOTER,
        Context::Question => &QUESTION_FOOTER,
        Context::Dials => &DIAL_FOOTER,
        Context::Course => &COURSE_FOOTER,
        Context::Edit => &EDIT_FOOTER,
        Context::Measure => &MEASURE_FOOTER,
    }
}
