//! What a screen has room for, and what of it the user wants to see.

use super::panel::Panel;

/// The class of a screen by its size.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Class {
    /// The sentence alone.
    Micro,
    /// One panel, if the whole sentence leaves room for it.
    Single,
    /// From 76x20.
    Small,
    /// From 76x44: narrow, with a row of its own for each wide panel.
    Tall,
    /// From 116x34.
    Medium,
    /// From 176x50.
    Large,
}

/// The user's choice of what to see.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Wanted {
    /// The panel that fills the screen, if any.
    pub zoomed: Option<Panel>,
    /// The focused panel, which is the one shown if there is room for only one.
    pub focus: Panel,
    /// The panel in the area that several share on a small screen.
    pub guest: Panel,
    /// Whether a value is followed: its panel then replaces others.
    pub following: bool,
    /// Whether the kernel has shared memory: its panels otherwise give their room to others.
    pub shared: bool,
    /// Whether the text of a lesson, or of a file that is edited, stands beside the panels.
    pub text: bool,
}
