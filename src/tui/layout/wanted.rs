//! What a screen has room for, and what of it the user wants to see.

use super::panel::Panel;
use std::str::FromStr;

/// The class of a screen by its size.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum SizeClass {
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
pub struct PanelChoice {
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
    /// Rows that the pictures of sectors and of banks have needed so far, frames not included.
    pub needs: [u16; 2],
    /// Whether the text of a lesson, or of a file that is edited, stands beside the panels.
    pub text: bool,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Deserialize, serde::Serialize)]
#[serde(rename_all = "lowercase")]
pub enum ScreenView {
    /// What happens now alone, large.
    #[default]
    Stage,
    Workbench,
}

impl ScreenView {
    /// Its name on the command line, in the settings and in a link.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Stage => "stage",
            Self::Workbench => "workbench",
        }
    }

    #[must_use]
    pub const fn other(self) -> Self {
        match self {
            Self::Stage => Self::Workbench,
            Self::Workbench => Self::Stage,
        }
    }
}

impl FromStr for ScreenView {
    type Err = UnknownView;

    fn from_str(word: &str) -> Result<Self, UnknownView> {
        match word {
            "stage" => Ok(Self::Stage),
            "workbench" => Ok(Self::Workbench),
            _ => Err(UnknownView),
        }
    }
}

/// A word that does not name a view.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("give stage (what happens now, large) or workbench (all panels)")]
pub struct UnknownView;

/// The language of a listing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Language {
    #[default]
    Cuda,
    Ptx,
}

impl Language {
    #[must_use]
    pub const fn other(self) -> Self {
        match self {
            Self::Cuda => Self::Ptx,
            Self::Ptx => Self::Cuda,
        }
    }
}

/// The level of detail at which the matrices are shown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Detail {
    /// At least four tiles each way, if there are that many.
    #[default]
    Tiles,
    /// Tiles large enough to distinguish single elements: two each way, or the current one only.
    Elements,
}

impl Detail {
    /// The other level.
    #[must_use]
    pub const fn other(self) -> Self {
        match self {
            Self::Tiles => Self::Elements,
            Self::Elements => Self::Tiles,
        }
    }
}

impl PanelChoice {
    /// The choice at the start: one panel that fills the screen, or none.
    pub fn of(zoomed: Option<Panel>) -> Self {
        let usual = Self::default();
        Self { zoomed, focus: zoomed.unwrap_or(usual.focus), ..usual }
    }

    /// The panel that is zoomed or, if none is, focused.
    pub fn shown(self) -> Panel {
        self.zoomed.unwrap_or(self.focus)
    }
}

impl Default for PanelChoice {
    fn default() -> Self {
        Self {
            zoomed: None,
            focus: Panel::Shared,
            guest: Panel::Warps,
            following: false,
            shared: true,
            needs: [0; 2],
            text: false,
        }
    }
}
