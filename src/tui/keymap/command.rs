//! A command: its name, its keys, and where these apply.

use crate::tui::action::Action;

/// The context in which a key applies.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Context {
    /// On the panels.
    Main,
    /// On the stage; other keys are handled as in [`Context::Main`].
    Stage,
    /// While a value is followed; other keys are handled as in [`Context::Main`].
    Value,
    /// Beside the text of a lesson; other keys are handled as in [`Context::Main`].
    Lesson,
    /// While a lesson's question is open; other keys are handled as in [`Context::Lesson`].
    Question,
    /// While a lesson's dials are turned; of the other keys, those of the group [`CommandGroup::Screen`]
    /// still work.
    Dials,
    /// In the list of lessons; of the other keys, those of the group [`CommandGroup::Screen`] still work.
    Course,
    /// While a file is edited and its text is on the screen; other keys are handled as in
    /// [`Context::Main`].
    Edit,
    /// On the Measure screen; of the other keys, those of the group [`CommandGroup::Screen`] still work.
    Measure,
    /// In every overlay; overlays with an input line take letters as text.
    Overlay,
}

impl Context {
    /// All of them.
    #[cfg(test)]
    pub(super) const ALL: [Self; 10] = [
        Self::Main,
        Self::Stage,
        Self::Value,
        Self::Lesson,
        Self::Question,
        Self::Dials,
        Self::Course,
        Self::Edit,
        Self::Measure,
        Self::Overlay,
    ];
}

/// The help's heading for a group of commands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CommandGroup {
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
    Panels,
    /// The text of a lesson.
    Lesson,
    /// A lesson's question.
    Question,
    /// A lesson's dials.
    Dials,
    /// The list of lessons.
    Course,
    /// The Measure screen.
    Measure,
    /// The screen itself and the program.
    Screen,
    Overlay,
}

impl CommandGroup {
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
            Self::Dials => "While dials are turned",
            Self::Course => "In the list of lessons",
            Self::Measure => "On the Measure screen",
            Self::Screen => "Screen and program",
            Self::Overlay => "In help, palette and pickers",
        }
    }
}

#[derive(Clone, Copy, Debug)]
pub struct KeyCommand {
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
    pub group: CommandGroup,
    /// Whether it has to do with what a page in a browser has not: a terminal, files, a GPU, an end.
    pub is_native: bool,
}

/// A row of the table: its group says where its keys apply.
pub(super) const fn command(
    group: CommandGroup,
    name: &'static str,
    keys: &'static [&'static str],
    action: Action,
    help: &'static str,
) -> KeyCommand {
    let context = match group {
        CommandGroup::Overlay => Context::Overlay,
        CommandGroup::Value => Context::Value,
        CommandGroup::Lesson => Context::Lesson,
        CommandGroup::Question => Context::Question,
        CommandGroup::Dials => Context::Dials,
        CommandGroup::Course => Context::Course,
        CommandGroup::Edit => Context::Edit,
        CommandGroup::Measure => Context::Measure,
        CommandGroup::Time
        | CommandGroup::Jump
        | CommandGroup::Subject
        | CommandGroup::Panels
        | CommandGroup::Screen => Context::Main,
    };
    KeyCommand { name, action, context, keys, label: None, help, group, is_native: false }
}

impl KeyCommand {
    /// Says that a page in a browser does not have it.
    pub(super) const fn native(mut self) -> Self {
        self.is_native = true;
        self
    }

    /// Gives it a label in the footer.
    pub(super) const fn in_footer(mut self, label: &'static str) -> Self {
        self.label = Some(label);
        self
    }
}
