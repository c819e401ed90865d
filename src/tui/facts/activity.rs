//! What a warp does: one word, one glyph and one colour for each activity.

use crate::sim::{LaneMask, Pc};
use crate::trace::{OpKind, WarpNow, WarpState};
use crate::tui::theme::{Look, Role, Tone};
use ratatui::style::Style;

/// The multiply-add of the CUDA cores.
pub const FMA: &str = "FMA";

/// And what those of integers are called.
pub const MAD: &str = "mad";

/// The activity of a warp, as its row shows it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Activity {
    /// Has not executed anything yet.
    Ready,
    /// Loads from global memory.
    Load,
    /// Stores to global memory.
    Store,
    /// Loads from shared memory.
    SharedLoad,
    /// Stores to shared memory.
    SharedStore,
    /// Multiplies and adds.
    Fma,
    /// Computes addresses, compares, branches.
    Other,
    /// Waits at a barrier.
    Wait,
    /// Was let through by the barrier and has executed nothing since.
    Released,
    /// Has ended.
    Done,
}

impl Activity {
    pub fn of(warp: &WarpNow) -> Self {
        match (warp.state, warp.kind) {
            (WarpState::Waiting, _) => Self::Wait,
            (WarpState::Exited, _) => Self::Done,
            (WarpState::Ready, OpKind::Compute) if warp.pc == Pc(0) => Self::Ready,
            (WarpState::Ready, OpKind::GlobalLoad) => Self::Load,
            (WarpState::Ready, OpKind::GlobalStore) => Self::Store,
            (WarpState::Ready, OpKind::SharedLoad) => Self::SharedLoad,
            (WarpState::Ready, OpKind::SharedStore) => Self::SharedStore,
            (WarpState::Ready, OpKind::Fma) => Self::Fma,
            (WarpState::Ready, OpKind::Compute | OpKind::Branch | OpKind::Exit) => Self::Other,
            (WarpState::Ready, OpKind::Barrier) => Self::Released,
        }
    }

    /// The word for the activity: the same for both memories, which the colour and the name of what
    /// is loaded or stored tell apart.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Ready => "ready",
            Self::Load | Self::SharedLoad => "load",
            Self::Store | Self::SharedStore => "store",
            Self::Fma => FMA,
            Self::Other => "other",
            Self::Wait => "WAIT",
            Self::Released => "released",
            Self::Done => "done",
        }
    }

    /// The memory that it moves data to or from, if any.
    pub(in crate::tui) const fn memory(self) -> Option<&'static str> {
        match self {
            Self::Load | Self::Store => Some("global"),
            Self::SharedLoad | Self::SharedStore => Some("shared"),
            Self::Ready | Self::Fma | Self::Other | Self::Wait | Self::Released | Self::Done => {
                None
            }
        }
    }

    /// The character that tells it from all others without colour: small letters load, capital
    /// ones store.
    pub(in crate::tui) const fn glyph(self, look: Look) -> &'static str {
        match self {
            Self::Ready | Self::Released => look.pick("·", "."),
            Self::Load => "g",
            Self::Store => "G",
            Self::SharedLoad => "s",
            Self::SharedStore => "S",
            Self::Fma => look.pick("■", "F"),
            Self::Other => look.pick("░", ":"),
            Self::Wait => look.pick("─", "-"),
            Self::Done => " ",
        }
    }

    /// The colour of a lane; bright if it is of a warp that has just moved. Global memory is always
    /// bright: its half tone would look like shared memory.
    pub(in crate::tui) fn tone(self, bright: bool) -> Tone {
        let shade = if bright { Tone::Full } else { Tone::Half };
        match (self, self.role()) {
            (Self::Wait, _) => Tone::Half(Role::Wait),
            (_, Some(Role::Memory)) => Tone::Full(Role::Memory),
            (_, Some(role)) => shade(role),
            (_, None) => Tone::Faint,
        }
    }

    /// The style of its word.
    pub(in crate::tui) fn style(self, look: Look) -> Style {
        match (self, self.role()) {
            (Self::Ready | Self::Released | Self::Done, _) => look.dim(),
            (_, Some(role)) => look.ink(role),
            (_, None) => look.text(),
        }
    }

    const fn role(self) -> Option<Role> {
        match self {
            Self::Load | Self::Store => Some(Role::Memory),
            Self::SharedLoad | Self::SharedStore => Some(Role::Shared),
            Self::Fma => Some(Role::C),
            Self::Wait => Some(Role::Wait),
            Self::Ready | Self::Other | Self::Released | Self::Done => None,
        }
    }

    /// Returns the lanes that took part in the warp's last activity.
    pub(in crate::tui) fn lanes(self, warp: &WarpNow) -> LaneMask {
        let last = match self {
            Self::Load | Self::Store => &warp.global,
            Self::SharedLoad | Self::SharedStore => &warp.shared,
            Self::Wait | Self::Ready | Self::Released | Self::Done => return warp.live,
            Self::Fma | Self::Other => return warp.active,
        };
        last.as_ref().map_or(warp.active, |last| last.access.active)
    }
}
