//! The table of commands: their keys, and their texts in the footer, the help and the palette.

mod key;

pub use key::{Key, UnknownKey};

use super::action::{
    Action, CourseAction, EditAction, LessonAction, MeasureAction, OverlayAction, ValueAction,
};
use super::layout::{PANELS, Panel};
use super::widget::pictures::PICTURES;
use crate::trace::cursor::Want;
use std::collections::HashMap;
use std::sync::LazyLock;

/// The context in which a key applies.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Context {
    /// On the panels.
    Main,
    /// While a value is followed; other keys are handled as in [`Context::Main`].
    Value,
    /// Beside the text of a lesson; other keys are handled as in [`Context::Main`].
    Lesson,
    /// While a lesson's question is open; other keys are handled as in [`Context::Lesson`].
    Question,
    /// In the list of lessons; of the other keys, those of the group [`Group::Screen`] still work.
    Course,
    /// While a file is edited and its text is on the screen; other keys are handled as in
    /// [`Context::Main`].
    Edit,
    /// On the Measure screen; of the other keys, those of the group [`Group::Screen`] still work.
    Measure,
    /// In every overlay; overlays with an input line take letters as text.
    Overlay,
}

/// The help's heading for a group of commands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Group {
    /// Playing and stepping.
    Time,
    /// Jumps to steps of interest.
    Jump,
    /// The choice of what is simulated.
    Subject,
    /// Commands while a value is followed.
    Value,
    /// Commands while a file is edited.
    Edit,
    /// The panels.
    Panels,
    /// The text of a lesson.
    Lesson,
    /// A lesson's question.
    Question,
    /// The list of lessons.
    Course,
    /// The Measure screen.
    Measure,
    /// The screen itself and the program.
    Screen,
    /// The overlays.
    Overlay,
}

impl Group {
    /// The text of the heading.
    pub const fn title(self) -> &'static str {
        match self {
            Self::Time => "Play and step",
            Self::Jump => "Jump",
            Self::Subject => "What is simulated",
            Self::Value => "While a value is followed",
            Self::Edit => "While a kernel of your own is edited",
            Self::Panels => "Panels",
            Self::Lesson => "In a lesson",
            Self::Question => "While its question is open",
            Self::Course => "In the list of lessons",
            Self::Measure => "On the Measure screen",
            Self::Screen => "Screen and program",
            Self::Overlay => "In help, palette and pickers",
        }
    }
}

/// A command.
#[derive(Clone, Copy, Debug)]
pub struct Command {
    /// The command's name in the configuration and in the palette.
    pub name: &'static str,
    /// The action it performs.
    pub action: Action,
    /// The context in which its keys apply.
    pub context: Context,
    /// Its default keys; with none, it is available only in the palette.
    pub keys: &'static [&'static str],
    /// Its label in the footer, for the few commands that are shown there.
    pub label: Option<&'static str>,
    /// A sentence for the help.
    pub help: &'static str,
    /// Its group in the help.
    pub group: Group,
}

const fn command(
    group: Group,
    name: &'static str,
    keys: &'static [&'static str],
    action: Action,
    help: &'static str,
) -> Command {
    let context = match group {
        Overlay => Context::Overlay,
        Value => Context::Value,
        Lesson => Context::Lesson,
        Question => Context::Question,
        Course => Context::Course,
        Edit => Context::Edit,
        Measure => Context::Measure,
        Time | Jump | Subject | Panels | Screen => Context::Main,
    };
    Command { name, action, context, keys, label: None, help, group }
}

impl Command {
    const fn in_footer(mut self, label: &'static str) -> Self {
        self.label = Some(label);
        self
    }
}

use Action as Do;
use Group::{
    Course, Edit, Jump, Lesson, Measure, Overlay, Panels, Question, Screen, Subject, Time, Value,
};

/// Every command, in the order of the help.
pub static COMMANDS: LazyLock<Vec<Command>> = LazyLock::new(|| {
    let pictures = PICTURES.iter().map(|row| {
        let (name, help) = row.command;
        let show = Do::Measure(MeasureAction::Show(row.picture));
        command(Measure, name, std::slice::from_ref(&row.key), show, help)
    });
    let panels = PANELS.iter().filter_map(|row| {
        let (name, help) = row.command?;
        let zoom = Do::Zoom(row.panel);
        Some(command(Panels, name, std::slice::from_ref(&row.key), zoom, help))
    });
    let panels = BEFORE_PANELS.iter().copied().chain(panels).chain(BEFORE_PICTURES.iter().copied());
    panels.chain(pictures).chain(AFTER_PICTURES.iter().copied()).collect()
});

/// The commands before those that zoom a panel.
#[rustfmt::skip]
const BEFORE_PANELS: &[Command] = &[
    command(Time, "play", &["Space", "F5"], Do::PlayPause, "Play or pause").in_footer(PLAY),
    command(Time, "forward", &["Right", "l"], Do::Forward, "One step on").in_footer("step"),
    command(Time, "back", &["Left", "h"], Do::Back, "One step back"),
    command(Time, "longer-unit", &["u"], Do::LongerUnit, "A step is longer: event, line, barrier, tile").in_footer("unit"),
    command(Time, "shorter-unit", &["U"], Do::ShorterUnit, "A step is shorter: down to one instruction"),
    command(Time, "next-phase", &["n", "PageDown", "Shift-Right"], Do::NextPhase, "The next barrier (naive: the next tile)").in_footer(PART),
    command(Time, "previous-phase", &["p", "PageUp", "Shift-Left"], Do::PreviousPhase, "The previous barrier (naive: tile)"),
    command(Time, "slower", &["["], Do::Slower, "Play slower, down to 1/8"),
    command(Time, "faster", &["]"], Do::Faster, "Play faster, up to 64x").in_footer("faster"),
    command(Time, "normal-speed", &["="], Do::NormalSpeed, "Play at the ordinary speed"),
    command(Time, "pace", &["P"], Do::SwitchPace, "Play by meaning (what is new is slow), or evenly"),
    command(Time, "first", &["g", "Home"], Do::First, "First step"),
    command(Time, "last", &["G", "End"], Do::Last, "Last step"),
    command(Time, "restart", &["r"], Do::Restart, "Back to the start, paused"),

    command(Jump, "next-access", &["a"], Do::NextMatch(Want::Memory), "Next load or store"),
    command(Jump, "previous-access", &["A"], Do::PreviousMatch(Want::Memory), "Previous load or store"),
    command(Jump, "next-barrier", &["w"], Do::NextMatch(Want::Barrier), "Next barrier that the block passes"),
    command(Jump, "previous-barrier", &["W"], Do::PreviousMatch(Want::Barrier), "Previous barrier"),
    command(Jump, "next-conflict", &["x"], Do::NextMatch(Want::Conflict), "Next bank conflict"),
    command(Jump, "previous-conflict", &["X"], Do::PreviousMatch(Want::Conflict), "Previous bank conflict"),
    command(Jump, "next-finding", &["d"], Do::NextFinding, "Next step at which something is wrong").in_footer("wrong step"),
    command(Jump, "previous-finding", &["D"], Do::PreviousFinding, "Previous such step"),
    command(Jump, "findings", &["!"], Do::OpenFindings, "What is wrong: races, barriers, memory").in_footer("findings"),

    command(Subject, "kernel", &["v"], Do::NextKernel, "The other kernel, at the same place of the work").in_footer("kernel"),
    command(Subject, "next-kernel", &["V"], Do::NextRung, "The next kernel of the ladder, likewise"),
    command(Subject, "tile", &["T", ">"], Do::NextTile, "The next larger tile (after the last, the first)").in_footer("tile"),
    command(Subject, "smaller-tile", &["<"], Do::PreviousTile, "The next smaller tile, at the same work"),
    command(Subject, "compare", &["c", "9"], Do::Zoom(Panel::Compare), "Two kernels, or tiles, beside each other").in_footer("compare"),
    command(Subject, "follow", &["f"], Do::Follow, "A value: where it came from, where it went").in_footer("follow"),
    command(Subject, "point", &["I"], Do::PointHere, "Point at data: arrows move it, Esc ends"),
    command(Subject, "down", &["j", "Down"], Do::Down, "Next warp; in the listing, scroll down").in_footer("warp"),
    command(Subject, "up", &["k", "Up"], Do::Up, "Previous warp; in the listing, scroll up"),
    command(Subject, "block", &["B"], Do::OpenBlocks, "Choose the block of the grid to watch"),
    command(Subject, "order", &["o"], Do::NextOrder, "Another order of the warps"),
    command(Subject, "edit-kernel", &["C"], Do::Edit(EditAction::Copy), "Edit this kernel, in a new file of your own"),
    command(Subject, "measure", &["R"], Do::MeasureAgain, "Measure on the GPU again"),

    command(Value, "value-up", &["Up"], Do::Value(ValueAction::Up), "The element above").in_footer("arrows: element"),
    command(Value, "value-down", &["Down"], Do::Value(ValueAction::Down), "The element below"),
    command(Value, "value-left", &["Left"], Do::Value(ValueAction::Left), "The element on the left"),
    command(Value, "value-right", &["Right"], Do::Value(ValueAction::Right), "The element on the right"),
    command(Value, "value-matrix", &["Tab"], Do::Value(ValueAction::NextMatrix), "C, A or B; or type a place: row,column").in_footer("C, A, B"),
    command(Value, "value-matrix-back", &["Shift-Tab"], Do::Value(ValueAction::PreviousMatrix), "The same the other way round"),
    command(Value, "value-next", &["j"], Do::Value(ValueAction::Row(1)), "The next row of the list").in_footer("list"),
    command(Value, "value-previous", &["k"], Do::Value(ValueAction::Row(-1)), "The previous row"),
    command(Value, "value-next-page", &["J"], Do::Value(ValueAction::Row(16)), "16 rows on"),
    command(Value, "value-previous-page", &["K"], Do::Value(ValueAction::Row(-16)), "16 rows back"),
    command(Value, "value-go", &["Enter"], Do::Value(ValueAction::Go), "Go to its load; again: its store, next load, use").in_footer("go there"),
    command(Value, "value-erase", &["Backspace", "Ctrl-h"], Do::Value(ValueAction::Erase), "Delete a digit of the place"),
    command(Value, "value-leave", &["Esc", "q", "f"], Do::Value(ValueAction::Leave), "Follow it no longer").in_footer("leave"),

    command(Edit, "next-mistake", &["Enter"], Do::Edit(EditAction::NextMistake), "Go to the next thing that is wrong").in_footer("next mistake"),
    command(Edit, "edit", &["E"], Do::Edit(EditAction::Open), "Open the file in your editor, at that line").in_footer("edit"),
    command(Edit, "difference", &["S"], Do::Edit(EditAction::Difference), "What changed since the save before").in_footer("difference"),
    command(Edit, "edit-down", &["J"], Do::Edit(EditAction::Scroll(4)), "Scroll the text down").in_footer("scroll"),
    command(Edit, "edit-up", &["K"], Do::Edit(EditAction::Scroll(-4)), "Scroll the text up"),

    command(Panels, "focus-next", &["Tab"], Do::FocusNext, "Focus the next panel").in_footer("focus"),
    command(Panels, "focus-previous", &["Shift-Tab"], Do::FocusPrevious, "Focus the previous panel"),
    command(Panels, "zoom", &["Enter", "z"], Do::ZoomFocused, "Zoom the focused panel, or return").in_footer("zoom"),
];

/// The commands after those that zoom a panel and before those that show a picture.
#[rustfmt::skip]
const BEFORE_PICTURES: &[Command] = &[
    command(Panels, "measure-screen", &["m"], Do::OpenMeasure, "Measure: ladder, sizes, roofline, occupancy, why").in_footer("measure"),
    command(Panels, "listing", &["i"], Do::SwitchListing, "PTX instructions or CUDA C++ in the listing"),
    command(Panels, "elements", &["e"], Do::SwitchDetail, "Elements or tiles in the matrices"),
    command(Panels, "timeline-closer", &["+"], Do::TimelineCloser, "Show fewer steps on the timeline"),
    command(Panels, "timeline-wider", &["-"], Do::TimelineWider, "Show more steps on the timeline"),

    command(Lesson, "lesson-on", &["Enter"], Do::Walk(LessonAction::GoOn), "Go on").in_footer("go on"),
    command(Lesson, "lesson-back", &["Backspace", "Ctrl-h"], Do::Walk(LessonAction::PageBefore), "The page before").in_footer("page before"),
    command(Lesson, "lesson-again", &["N"], Do::Walk(LessonAction::Again), "This page again, with other numbers").in_footer("again"),
    command(Lesson, "lesson-turn", &["PageDown"], Do::Walk(LessonAction::Turn(1)), "The rest of the text, if it is long").in_footer("the rest"),
    command(Lesson, "lesson-turn-back", &["PageUp"], Do::Walk(LessonAction::Turn(-1)), "The text before"),
    command(Lesson, "lesson-watch", &["W"], Do::Walk(LessonAction::Watch), "Only watch, when the lesson offers it"),
    command(Lesson, "lesson-text", &["L"], Do::Lesson, "Hide the text; again: bring it back").in_footer("hide the text"),

    command(Question, "question-answer", &["Enter"], Do::Walk(LessonAction::Answer), "This is my answer (digits, letters: type it)").in_footer("answer"),
    command(Question, "question-hint", &["H"], Do::Walk(LessonAction::Hint), "A hint").in_footer("hint"),
    command(Question, "question-show", &["Esc"], Do::Walk(LessonAction::Show), "Just show me").in_footer("show me"),
    command(Question, "question-prove", &["P"], Do::Walk(LessonAction::Prove), "Prove it: search for what spoils C").in_footer("prove"),
    command(Question, "question-up", &["Up"], Do::Walk(LessonAction::Move(-1, 0)), "Point or choose: up"),
    command(Question, "question-down", &["Down"], Do::Walk(LessonAction::Move(1, 0)), "Down"),
    command(Question, "question-left", &["Left"], Do::Walk(LessonAction::Move(0, -1)), "To the left"),
    command(Question, "question-right", &["Right"], Do::Walk(LessonAction::Move(0, 1)), "To the right").in_footer(POINT),
    command(Question, "question-mark", &["Space"], Do::Walk(LessonAction::Mark), "Mark what is pointed at, where several are asked").in_footer("mark"),
    command(Question, "question-earlier", &["K", "Shift-Up"], Do::Walk(LessonAction::Shift(-1)), "In a list to be put in order: earlier").in_footer("earlier"),
    command(Question, "question-later", &["J", "Shift-Down"], Do::Walk(LessonAction::Shift(1)), "Later").in_footer("later"),
    command(Question, "question-erase", &["Backspace", "Ctrl-h"], Do::Walk(LessonAction::Erase), "Delete; with nothing typed: the page before"),

    command(Course, "course-start", &["Enter", "Right"], Do::Course(CourseAction::Start), "Begin the lesson").in_footer("start"),
    command(Course, "course-down", &["Down", "j"], Do::Course(CourseAction::Choose(1)), "The next lesson").in_footer("choose"),
    command(Course, "course-up", &["Up", "k"], Do::Course(CourseAction::Choose(-1)), "The lesson before"),
    command(Course, "course-page-down", &["PageDown"], Do::Course(CourseAction::Choose(8)), "8 lessons on"),
    command(Course, "course-page-up", &["PageUp"], Do::Course(CourseAction::Choose(-8)), "8 lessons back"),
    command(Course, "course-first", &["Home", "g"], Do::Course(CourseAction::First), "The first lesson"),
    command(Course, "course-last", &["End", "G"], Do::Course(CourseAction::Last), "The last lesson"),
    command(Course, "course-leave", &["q", "Esc", "L"], Do::Course(CourseAction::Leave), "Leave the list").in_footer("leave"),

    command(Measure, "measure-next", &["Down", "j"], Do::Measure(MeasureAction::NextKernel), "The next kernel of the ladder").in_footer("kernel"),
    command(Measure, "measure-previous", &["Up", "k"], Do::Measure(MeasureAction::PreviousKernel), "The previous one"),
    command(Measure, "measure-first", &["Home", "g"], Do::Measure(MeasureAction::FirstKernel), "The first one"),
    command(Measure, "measure-last", &["End", "G"], Do::Measure(MeasureAction::LastKernel), "The last one"),
    command(Measure, "picture-next", &["Right", "l", "Tab"], Do::Measure(MeasureAction::NextPicture), "The next picture").in_footer("picture"),
    command(Measure, "picture-previous", &["Left", "h", "Shift-Tab"], Do::Measure(MeasureAction::PreviousPicture), "The previous picture"),
];

/// The remaining commands.
#[rustfmt::skip]
const AFTER_PICTURES: &[Command] = &[
    command(Measure, "picture-alone", &["Enter", "z"], Do::Measure(MeasureAction::Alone), "The picture alone, or all that have room").in_footer("alone"),
    command(Measure, "size-larger", &["n", "PageDown"], Do::Measure(MeasureAction::Larger), "The next larger size").in_footer("size"),
    command(Measure, "size-smaller", &["p", "PageUp"], Do::Measure(MeasureAction::Smaller), "The next smaller size"),
    command(Measure, "compare-with", &["c"], Do::Measure(MeasureAction::Beside), "Compare other kernels with this; again: no more").in_footer("compare"),
    command(Measure, "traffic", &["v"], Do::Measure(MeasureAction::Traffic), "Roofline: bytes of DRAM or of shared memory").in_footer("memory"),
    command(Measure, "measure-ladder", &["r", "R"], Do::Measure(MeasureAction::Measure), "Measure the ladder here; Esc keeps what is done").in_footer("measure"),
    command(Measure, "origin", &["o"], Do::Measure(MeasureAction::Origin), "What was recorded, or what was measured here").in_footer("recorded"),

    command(Screen, "help", &["?", "F1"], Do::Help, "This help: words and keys").in_footer("help"),
    command(Screen, "lesson", &["L"], Do::Lesson, "The lessons; in one: show its text again").in_footer("lesson"),
    command(Screen, "commands", &[":", "Ctrl-p"], Do::OpenPalette, "Every command by name").in_footer("commands"),
    command(Screen, "theme", &["t"], Do::NextTheme, "Theme: dark, light, stage (for projectors)").in_footer("theme"),
    command(Screen, "glyphs", &["y"], Do::SwitchGlyphs, "ASCII characters alone, or all"),
    command(Screen, "mouse", &["M"], Do::SwitchMouse, "Mouse on, or off to select text"),
    command(Screen, "blank", &[".", "b"], Do::Blank, "Blank the screen; any key brings it back"),
    command(Screen, "save", &["s"], Do::SavePicture, "Save the screen as SVG and as text").in_footer("save"),
    command(Screen, "redraw", &["Ctrl-l"], Do::Redraw, "Draw everything again"),
    command(Screen, "suspend", &["Ctrl-z"], Do::Suspend, "Stop the program; `fg` in the shell continues it"),
    command(Screen, "close", &["Esc"], Do::Escape, "Back one level; watch the warp that acts").in_footer("back"),
    command(Screen, "quit", &["q"], Do::BackOrQuit, "Back one level; at the top, quit").in_footer(QUIT),
    command(Screen, "quit-now", &["Ctrl-c"], Do::Quit, "Quit at once"),

    command(Overlay, "overlay-down", &["Down", "j", "Ctrl-n"], Do::Overlay(OverlayAction::Down), "Down").in_footer("down"),
    command(Overlay, "overlay-up", &["Up", "k", "Ctrl-p"], Do::Overlay(OverlayAction::Up), "Up"),
    command(Overlay, "overlay-left", &["Left", "h"], Do::Overlay(OverlayAction::Left), "Left"),
    command(Overlay, "overlay-right", &["Right", "l"], Do::Overlay(OverlayAction::Right), "Right"),
    command(Overlay, "overlay-page-down", &["PageDown", "Space"], Do::Overlay(OverlayAction::PageDown), "One page down").in_footer("page"),
    command(Overlay, "overlay-page-up", &["PageUp"], Do::Overlay(OverlayAction::PageUp), "One page up"),
    command(Overlay, "overlay-first", &["Home", "g"], Do::Overlay(OverlayAction::First), "To the top"),
    command(Overlay, "overlay-last", &["End", "G"], Do::Overlay(OverlayAction::Last), "To the end"),
    command(Overlay, "overlay-accept", &["Enter"], Do::Overlay(OverlayAction::Accept), "Take what is selected; close the help").in_footer("choose"),
    command(Overlay, "overlay-erase", &["Backspace", "Ctrl-h"], Do::Overlay(OverlayAction::Erase), "Delete a letter"),
    command(Overlay, "overlay-close", &["Esc", "q", "?", "F1"], Do::Overlay(OverlayAction::Close), "Close").in_footer("close"),
    command(Overlay, "overlay-lesson", &["L"], Do::Overlay(OverlayAction::Lesson), "From the help: the lessons"),
    command(Overlay, "overlay-suspend", &["Ctrl-z"], Do::Suspend, "Stop the program"),
    command(Overlay, "overlay-quit", &["Ctrl-c"], Do::Quit, "Quit at once"),
];

/// The footer's label of the command that plays; while the run plays, it says "pause".
pub const PLAY: &str = "play";
/// The footer's label of the command that quits; where it goes back a level, it says "back".
pub const QUIT: &str = "quit";
/// The footer's label of the command that goes to the next part of the run, which is a barrier or a
/// tile.
pub const PART: &str = "barrier";
/// The footer's label of the command that moves the pointer or the choice of an answer.
pub const POINT: &str = "arrows: point";

/// The order of the footer's commands, the most important first.
const FOOTER: [&str; 19] = [
    "play",
    "forward",
    "next-phase",
    "lesson",
    "help",
    "quit",
    "kernel",
    "follow",
    "compare",
    "measure-screen",
    "tile",
    "down",
    "longer-unit",
    "focus-next",
    "zoom",
    "faster",
    "theme",
    "save",
    "commands",
];

/// The commands that come before those of [`FOOTER`] when the run has findings.
const FOUND_FOOTER: [&str; 6] = ["next-finding", "findings", "play", "forward", "help", "quit"];

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
const LESSON_FOOTER: [&str; 13] = [
    "lesson-on",
    "lesson-turn",
    "lesson-again",
    "lesson-text",
    "forward",
    "play",
    "focus-next",
    "zoom",
    "down",
    "help",
    "quit",
    "lesson-back",
    "follow",
];

/// The footer's commands while a question is open.
const QUESTION_FOOTER: [&str; 14] = [
    "question-prove",
    "question-answer",
    "question-right",
    "question-mark",
    "question-earlier",
    "question-later",
    "question-hint",
    "question-show",
    "lesson-turn",
    "lesson-text",
    "focus-next",
    "zoom",
    "down",
    "help",
];

/// The footer's commands in the list of lessons.
const COURSE_FOOTER: [&str; 5] = ["course-start", "course-down", "course-leave", "help", "theme"];

/// The footer's commands while a file is edited.
const EDIT_FOOTER: [&str; 12] = [
    "next-mistake",
    "edit",
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

/// An invalid keymap.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum KeymapError {
    /// A name that is not a command's.
    #[error("[keys] `{0}` is not a command: the list of commands (`:`) names them")]
    UnknownCommand(String),
    /// A word that is not a key's name.
    #[error("[keys] {command}: {error}")]
    UnknownKey {
        /// The command to which the key was assigned.
        command: String,
        /// The invalid word.
        error: UnknownKey,
    },
    /// A key with two meanings in one context.
    #[error("[keys] {key} is given to both {first} and {second}")]
    Twice {
        /// The key.
        key: Key,
        /// One of the commands.
        first: &'static str,
        /// The other command.
        second: &'static str,
    },
}

/// The key bindings: the table of commands with the user's changes.
#[derive(Clone, Debug)]
pub struct Keymap {
    /// The keys of each command, in the order of [`COMMANDS`].
    keys: Vec<Vec<Key>>,
    actions: HashMap<(Context, Key), Action>,
}

impl Keymap {
    /// Builds the key bindings from the table and `changes`: a command's name and all its new keys.
    ///
    /// # Errors
    /// An unknown command, an unknown key, or a key with two meanings.
    pub fn new(changes: &[(String, Vec<String>)]) -> Result<Self, KeymapError> {
        let mut spelt: Vec<Vec<String>> = COMMANDS
            .iter()
            .map(|command| command.keys.iter().map(|key| (*key).to_owned()).collect())
            .collect();
        for (name, keys) in changes {
            let index = COMMANDS.iter().position(|command| command.name == name);
            let index = index.ok_or_else(|| KeymapError::UnknownCommand(name.clone()))?;
            spelt[index].clone_from(keys);
        }
        let mut keys = Vec::new();
        for (command, spelt) in COMMANDS.iter().zip(&spelt) {
            let parsed: Result<Vec<Key>, _> = spelt.iter().map(|key| key.parse()).collect();
            let unknown =
                |error| KeymapError::UnknownKey { command: command.name.to_owned(), error };
            keys.push(parsed.map_err(unknown)?);
        }
        let actions = actions(&keys)?;
        Ok(Self { keys, actions })
    }

    /// Returns the action bound to a key in a context.
    pub fn action(&self, context: Context, key: Key) -> Option<Action> {
        self.actions.get(&(context, key)).copied()
    }

    /// Returns the keys of a command.
    pub fn keys(&self, command: usize) -> &[Key] {
        self.keys.get(command).map_or(&[], Vec::as_slice)
    }

    /// Returns the first key of a command of the panels, by its name.
    pub fn key_of(&self, name: &str) -> Option<&Key> {
        let index = COMMANDS.iter().position(|command| command.name == name)?;
        self.heard(index, Context::Main)
    }

    /// Returns the first key that triggers a command in a context, or `None` if others hide them
    /// all.
    fn heard(&self, command: usize, context: Context) -> Option<&Key> {
        let action = COMMANDS[command].action;
        let means = |key: &&Key| self.meaning(context, **key) == Some(action);
        self.keys(command).iter().find(means)
    }

    /// Returns the action of a key in a context, including those inherited from the panels.
    pub fn meaning(&self, context: Context, key: Key) -> Option<Action> {
        let on_panels = || self.action(Context::Main, key);
        let on_screen = || on_panels().filter(|action| is_of_screen(*action));
        let here = self.action(context, key);
        match context {
            Context::Main | Context::Overlay => here,
            Context::Value | Context::Lesson | Context::Edit => here.or_else(on_panels),
            Context::Question => {
                here.or_else(|| self.action(Context::Lesson, key)).or_else(on_panels)
            }
            Context::Measure | Context::Course => here.or_else(on_screen),
        }
    }

    /// Yields (key, command, label) of the footer's commands, the most important first; if the run
    /// has findings, the commands that show them come before the others.
    pub fn footer(
        &self,
        context: Context,
        found: bool,
    ) -> impl Iterator<Item = (&Key, &'static str, &'static str)> {
        let names = match context {
            Context::Main => &FOOTER[..],
            Context::Overlay => &OVERLAY_FOOTER,
            Context::Value => &VALUE_FOOTER,
            Context::Lesson => &LESSON_FOOTER,
            Context::Question => &QUESTION_FOOTER,
            Context::Course => &COURSE_FOOTER,
            Context::Edit => &EDIT_FOOTER,
            Context::Measure => &MEASURE_FOOTER,
        };
        let wrong = found && context == Context::Main;
        let wrong = &FOUND_FOOTER[..if wrong { FOUND_FOOTER.len() } else { 0 }];
        let others = names.iter().filter(move |name| !wrong.contains(name));
        wrong.iter().chain(others).filter_map(move |name| {
            let index = COMMANDS.iter().position(|command| command.name == *name)?;
            let key = self.heard(index, context)?;
            Some((key, COMMANDS[index].name, COMMANDS[index].label?))
        })
    }
}

impl Default for Keymap {
    fn default() -> Self {
        Self::new(&[]).expect("the table's own keys are tested to be keys, each with one meaning")
    }
}

/// Whether a command acts on the screen itself, whatever is shown.
pub fn is_of_screen(action: Action) -> bool {
    COMMANDS.iter().any(|command| command.group == Screen && command.action == action)
}

fn actions(keys: &[Vec<Key>]) -> Result<HashMap<(Context, Key), Action>, KeymapError> {
    let mut owners: HashMap<(Context, Key), &Command> = HashMap::new();
    for (command, keys) in COMMANDS.iter().zip(keys) {
        for key in keys {
            if let Some(first) = owners.insert((command.context, *key), command) {
                let (first, second) = (first.name, command.name);
                return Err(KeymapError::Twice { key: *key, first, second });
            }
        }
    }
    Ok(owners.into_iter().map(|(place, command)| (place, command.action)).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn every_command_has_its_own_name_and_its_own_keys() {
        let names: HashSet<_> = COMMANDS.iter().map(|command| command.name).collect();
        assert_eq!(names.len(), COMMANDS.len());
        Keymap::new(&[]).expect("no key twice");
        for command in COMMANDS.iter() {
            assert!(!command.keys.is_empty(), "{} has no key", command.name);
            assert!(!command.help.is_empty() && !command.help.ends_with('.'), "{}", command.name);
            assert!(command.help.len() <= 50, "{}: the help would be cut", command.name);
        }
    }

    #[test]
    fn no_key_is_one_that_terminals_and_multiplexers_keep_for_themselves() {
        for spelt in COMMANDS.iter().flat_map(|command| command.keys) {
            let key: Key = spelt.parse().expect("a key");
            for taken in ["Ctrl-s", "Ctrl-q", "Ctrl-a", "Ctrl-b", "F10", "F11"] {
                assert_ne!(key.to_string(), taken);
            }
            assert!(!spelt.starts_with("Alt-"), "{spelt}");
        }
    }

    #[test]
    fn every_label_stands_in_the_footer_or_is_not_given() {
        let keymap = Keymap::default();
        let footer =
            |context| keymap.footer(context, false).map(|(.., label)| label).collect::<Vec<_>>();
        assert_eq!(footer(Context::Main).len(), FOOTER.len());
        assert_eq!(footer(Context::Main)[..5], [PLAY, "step", PART, "lesson", "help"]);
        assert_eq!(footer(Context::Lesson).len(), LESSON_FOOTER.len());
        assert_eq!(footer(Context::Question).len(), QUESTION_FOOTER.len());
        assert_eq!(footer(Context::Course).len(), COURSE_FOOTER.len());
        assert_eq!(footer(Context::Overlay).len(), OVERLAY_FOOTER.len());
        assert_eq!(footer(Context::Value).len(), VALUE_FOOTER.len());
        assert_eq!(footer(Context::Edit).len(), EDIT_FOOTER.len());
        assert_eq!(footer(Context::Measure).len(), MEASURE_FOOTER.len());
    }

    #[test]
    fn a_change_replaces_the_keys_of_its_command() {
        let changes = [("play".to_owned(), vec!["F6".to_owned()])];
        let keymap = Keymap::new(&changes).expect("a good change");
        let key = |text: &str| text.parse::<Key>().expect("a key");
        assert_eq!(keymap.action(Context::Main, key("F6")), Some(Action::PlayPause));
        assert_eq!(keymap.action(Context::Main, key("Space")), None);
        assert_eq!(
            keymap.footer(Context::Main, false).next().map(|(key, ..)| key.to_string()),
            Some("F6".to_owned())
        );
    }

    #[test]
    fn a_bad_change_says_which() {
        let error = |name: &str, key: &str| {
            Keymap::new(&[(name.to_owned(), vec![key.to_owned()])]).expect_err("bad").to_string()
        };
        insta::assert_snapshot!(error("ply", "P"), @"[keys] `ply` is not a command: the list of commands (`:`) names them");
        insta::assert_snapshot!(error("play", "Blank"), @"[keys] play: `Blank` is not a key: give a character, a name such as Down, Enter or F2, or Ctrl-p");
        insta::assert_snapshot!(error("play", "q"), @"[keys] q is given to both play and quit");
    }
}
