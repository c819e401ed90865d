//! The panels of the screen, and what is fixed of each.

/// A panel of the screen.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Panel {
    /// A, B and C.
    Matrices,
    /// The block's shared memory.
    Shared,
    /// The block's warps.
    Warps,
    /// The kernel's source.
    Source,
    /// The selected warp's last global access.
    Lines,
    /// The selected warp's last shared access.
    Banks,
    /// The whole run by warp.
    Timeline,
    /// The measured times.
    Measured,
    /// Two kernels side by side.
    Compare,
    /// The followed value: where it came from, or where it went.
    Value,
    /// The costs in numbers, for screens without room for pictures of them.
    Cost,
}

/// The static properties of a panel, except its content.
#[derive(Clone, Copy, Debug)]
pub struct Row {
    pub panel: Panel,
    /// The key of the command that shows it, drawn in its frame; empty if there is no such command.
    pub key: &'static str,
    /// The name and help text of the command that zooms it, or `None` for a panel that is reached
    /// in another way and skipped by `Tab`.
    pub command: Option<(&'static str, &'static str)>,
    /// Whether a small screen, which has no area of its own for the panel, shows it as a guest.
    pub is_guest: bool,
}

/// Every panel, in the order of [`Panel`] and of the focus. `screen::panels` has their contents.
pub const PANELS: &[Row] = &[
    row(Panel::Matrices, "1").zoomed("matrices", "Panel 1: A, B and C"),
    row(Panel::Shared, "2").zoomed("shared", "Panel 2: shared memory"),
    row(Panel::Warps, "3").zoomed("warps", "Panel 3: the warps and their lanes").guest(),
    row(Panel::Source, "4").zoomed("source", "Panel 4: the kernel's source").guest(),
    row(Panel::Lines, "5").zoomed("lines", "Panel 5: the warp's global access, on sectors").guest(),
    row(Panel::Banks, "6")
        .zoomed("banks", "Panel 6: the warp's shared access, on 32 banks")
        .guest(),
    row(Panel::Timeline, "7").zoomed("timeline", "Panel 7: the timeline of the block").guest(),
    row(Panel::Measured, "8").zoomed("measured", "Panel 8: the measured times"),
    row(Panel::Compare, "9"),
    row(Panel::Value, "f"),
    row(Panel::Cost, ""),
];

const fn row(panel: Panel, key: &'static str) -> Row {
    Row { panel, key, command: None, is_guest: false }
}

impl Row {
    const fn zoomed(self, name: &'static str, help: &'static str) -> Self {
        Self { command: Some((name, help)), ..self }
    }

    const fn guest(self) -> Self {
        Self { is_guest: true, ..self }
    }
}

impl Panel {
    /// Returns the panel's row of [`PANELS`].
    pub const fn row(self) -> &'static Row {
        &PANELS[self as usize]
    }
}
