//! The commands of the lessons.

use super::command::CommandGroup::{Course, Lesson, Question};
use super::command::KeyCommand;
use super::command::command;
use super::footer::{ON, POINT};
use crate::tui::action::Action as Do;
use crate::tui::action::{CourseAction, LessonAction};

/// The commands of a lesson, of its questions, and of the list of lessons.
#[rustfmt::skip]
pub(super) const LESSONS: &[KeyCommand] = &[
    command(Lesson, "lesson-on", &["Enter"], Do::Walk(LessonAction::GoOn), "Go on").in_footer(ON),
    command(Lesson, "lesson-back", &["Backspace", "Ctrl-h"], Do::Walk(LessonAction::PageBefore), "The page before").in_footer("page before"),
    command(Lesson, "lesson-again", &["N"], Do::Walk(LessonAction::Again), "This page again, with other numbers if it can").in_footer("again"),
    command(Lesson, "lesson-turn", &["PageDown"], Do::Walk(LessonAction::Turn(1)), "The rest of the text, if it is long").in_footer("the rest"),
    command(Lesson, "lesson-turn-back", &["PageUp"], Do::Walk(LessonAction::Turn(-1)), "The text before"),
    command(Lesson, "lesson-watch", &["W"], Do::Walk(LessonAction::Watch), "Only watch, when the lesson offers it"),
    command(Lesson, "lesson-change", &["C"], Do::Walk(LessonAction::Change), "Undo the change of the kernel; again: make it").in_footer("undo, redo the change"),
    command(Lesson, "lesson-difference", &["S"], Do::Walk(LessonAction::Difference), "What is different: the changed lines").in_footer("what is different"),
    command(Lesson, "lesson-edit", &["E"], Do::Walk(LessonAction::Edit), "Edit it in a new file; q: to the lesson").in_footer("edit it"),
    command(Lesson, "lesson-text", &["L"], Do::Lesson, "Hide the text; again: bring it back").in_footer("hide the text"),

    command(Question, "question-answer", &["Enter"], Do::Walk(LessonAction::Answer), "This is my answer (digits type it, or choose)").in_footer("answer"),
    command(Question, "question-hint", &["H"], Do::Walk(LessonAction::Hint), "A hint").in_footer("hint"),
    command(Question, "question-show", &["Esc"], Do::Walk(LessonAction::Show), "Just show me").in_footer("show me"),
    command(Question, "question-prove", &["P"], Do::Walk(LessonAction::Prove), "Prove it: search for what makes C wrong").in_footer("search"),
    command(Question, "question-up", &["Up"], Do::Walk(LessonAction::Move(-1, 0)), "Point or choose: up"),
    command(Question, "question-down", &["Down"], Do::Walk(LessonAction::Move(1, 0)), "Down"),
    command(Question, "question-left", &["Left"], Do::Walk(LessonAction::Move(0, -1)), "To the left"),
    command(Question, "question-right", &["Right"], Do::Walk(LessonAction::Move(0, 1)), "To the right").in_footer(POINT),
    command(Question, "question-mark", &["Space"], Do::Walk(LessonAction::Mark), "Mark what is pointed at, where several are asked").in_footer("mark"),
    command(Question, "question-earlier", &["K", "Shift-Up"], Do::Walk(LessonAction::Shift(-1)), "In a list to be put in order: earlier").in_footer("earlier"),
    command(Question, "question-later", &["J", "Shift-Down"], Do::Walk(LessonAction::Shift(1)), "Later").in_footer("later"),
    command(Question, "question-erase", &["Backspace", "Ctrl-h"], Do::Walk(LessonAction::Erase), "Delete what is typed or chosen"),
    command(Question, "question-back", &["B"], Do::Walk(LessonAction::PageBefore), "The page before").in_footer("page before"),

    command(Course, "course-start", &["Enter", "Right"], Do::Course(CourseAction::Start), "Begin the lesson").in_footer("start"),
    command(Course, "course-down", &["Down", "j"], Do::Course(CourseAction::Choose(1)), "The next lesson").in_footer("choose"),
    command(Course, "course-up", &["Up", "k"], Do::Course(CourseAction::Choose(-1)), "The lesson before"),
    command(Course, "course-page-down", &["PageDown"], Do::Course(CourseAction::Choose(8)), "8 lessons on"),
    command(Course, "course-page-up", &["PageUp"], Do::Course(CourseAction::Choose(-8)), "8 lessons back"),
    command(Course, "course-first", &["Home", "g"], Do::Course(CourseAction::First), "The first lesson"),
    command(Course, "course-last", &["End", "G"], Do::Course(CourseAction::Last), "The last lesson"),
    command(Course, "course-leave", &["q", "Esc", "L"], Do::Course(CourseAction::Leave), "Leave the list").in_footer("leave"),
];
