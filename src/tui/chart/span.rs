//! What a warp does in a stretch of steps, and how that is drawn.

use crate::trace::{OpKind, StepRecord};
use crate::tui::facts::Activity;
use crate::tui::theme::{Depth, Look, Role};
use ratatui::style::Style;

/// What a warp does at one step, in the order in which a stretch of several lists them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum StepKind {
    /// Has not executed anything yet.
    #[default]
    Before,
    /// Ready, but other warps have their turn.
    Idle,
    /// Loads from global memory.
    GlobalLoad,
    /// Stores to shared memory.
    SharedStore,
    /// Loads from shared memory.
    SharedLoad,
    /// Accesses shared memory in more passes than its bytes need: a bank conflict.
    Conflict,
    /// Multiplies and adds.
    Fma,
    /// Computes addresses, compares, branches.
    Other,
    /// Stores to global memory.
    GlobalStore,
    /// Waits at a barrier.
    Wait,
    /// Has ended.
    After,
}

impl StepKind {
    /// Every span, in order.
    pub const ALL: [Self; 11] = [
        Self::Before,
        Self::Idle,
        Self::GlobalLoad,
        Self::SharedStore,
        Self::SharedLoad,
        Self::Conflict,
        Self::Fma,
        Self::Other,
        Self::GlobalStore,
        Self::Wait,
        Self::After,
    ];

    /// The kinds of instructions; arriving at a barrier and exiting count as [`Self::Other`].
    pub const INSTRUCTIONS: [Self; 7] = [
        Self::GlobalLoad,
        Self::SharedLoad,
        Self::SharedStore,
        Self::Conflict,
        Self::Fma,
        Self::GlobalStore,
        Self::Other,
    ];

    /// Returns the kind of an executed instruction, whatever the warp does next.
    pub const fn of(step: &StepRecord) -> Self {
        match step.kind {
            OpKind::SharedLoad | OpKind::SharedStore if step.conflict => Self::Conflict,
            OpKind::Fma => Self::Fma,
            OpKind::GlobalLoad => Self::GlobalLoad,
            OpKind::GlobalStore => Self::GlobalStore,
            OpKind::SharedLoad => Self::SharedLoad,
            OpKind::SharedStore => Self::SharedStore,
            OpKind::Compute | OpKind::Branch | OpKind::Barrier | OpKind::Exit => Self::Other,
        }
    }

    /// Returns the state of a warp from this step of its own until its next one.
    pub const fn from(step: &StepRecord) -> Self {
        match step.kind {
            OpKind::Barrier if step.released => Self::Idle,
            OpKind::Barrier => Self::Wait,
            OpKind::Exit => Self::After,
            _ => Self::of(step),
        }
    }

    /// Whether it is an executed instruction.
    pub const fn is_instruction(self) -> bool {
        !matches!(self, Self::Before | Self::Idle | Self::Wait | Self::After)
    }

    /// The word for it, and a shorter one.
    pub const fn words(self) -> [&'static str; 2] {
        match self {
            Self::Before => ["not started", "before"],
            Self::Idle => ["ready", "ready"],
            Self::GlobalLoad => ["global load", "global ld"],
            Self::SharedStore => ["shared store", "shared st"],
            Self::SharedLoad => ["shared load", "shared ld"],
            Self::Conflict => ["bank conflict", "conflict"],
            Self::Fma => ["FMA", "FMA"],
            Self::Other => ["other", "other"],
            Self::GlobalStore => ["global store", "global st"],
            Self::Wait => ["wait", "wait"],
            Self::After => ["ended", "ended"],
        }
    }

    const fn role(self) -> Option<Role> {
        match self {
            Self::GlobalLoad | Self::GlobalStore => Some(Role::Memory),
            Self::SharedLoad | Self::SharedStore => Some(Role::Shared),
            Self::Conflict => Some(Role::Bad),
            Self::Fma => Some(Role::C),
            Self::Before | Self::Idle | Self::Other | Self::Wait | Self::After => None,
        }
    }

    /// The character that identifies it without colour, as in the warps panel.
    pub const fn mark(self, look: Look) -> &'static str {
        match self {
            Self::Before | Self::After => look.pick("·", "."),
            Self::Idle => " ",
            Self::GlobalLoad => Activity::Load.glyph(look),
            Self::GlobalStore => Activity::Store.glyph(look),
            Self::SharedLoad => Activity::SharedLoad.glyph(look),
            Self::SharedStore => Activity::SharedStore.glyph(look),
            Self::Conflict => "!",
            Self::Fma => Activity::Fma.glyph(look),
            Self::Other => Activity::Other.glyph(look),
            Self::Wait => Activity::Wait.glyph(look),
        }
    }

    /// Its style: what moves data or computes fills its cells, everything else leaves them empty.
    pub fn style(self, look: Look) -> Style {
        match (self.role(), self) {
            (Some(_), _) if look.depth == Depth::Mono => look.text(),
            (Some(role), _) => look.fill(role),
            (None, Self::Wait) => look.ink(Role::Wait),
            (None, _) => look.dim(),
        }
    }
}

/// What a cell of the chart shows: one state, or several that follow each other.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SpanMark {
    pub first: StepKind,
    pub last: StepKind,
    /// Whether there are others in between.
    pub more: bool,
}

impl SpanMark {
    /// The mark of one state.
    pub const fn one(span: StepKind) -> Self {
        Self { first: span, last: span, more: false }
    }

    /// The mark of several states in their order. Of other instructions beside those that have a kind,
    /// nothing is shown; a conflict always is.
    pub(super) fn of(spans: &[StepKind]) -> Self {
        let kinds: Vec<_> = spans.iter().copied().filter(|span| *span != StepKind::Other).collect();
        let [first, .., last] = kinds[..] else {
            return Self::one(kinds.first().or(spans.first()).copied().unwrap_or_default());
        };
        let conflict = kinds.contains(&StepKind::Conflict) && first != StepKind::Conflict;
        let last = if conflict { StepKind::Conflict } else { last };
        Self { first, last, more: kinds.len() > 2 }
    }

    /// The state that it shows, if it is one.
    pub fn span(self) -> Option<StepKind> {
        (self.first == self.last).then_some(self.first)
    }

    /// The character and the style of what is still to come: pale, so that what has happened stands out;
    /// without half tones in outlines.
    pub(in crate::tui) fn ahead(self, look: Look) -> (&'static str, Style) {
        let [first, last] = [self.first, self.last].map(StepKind::role);
        match (first, last) {
            (Some(first), Some(last)) if look.has_pixels() && look.depth >= Depth::Indexed => {
                let half = if first == last { " " } else { "▌" };
                (half, Style::new().fg(look.pale(first)).bg(look.pale(last)))
            }
            (_, Some(last)) if look.has_pixels() => ("░", look.ink(last)),
            (_, role) => {
                let style = role.map_or(look.border(), |role| look.ink(role));
                (if self.first == self.last { self.last.mark(look) } else { "+" }, style)
            }
        }
    }

    /// The character and the style of several states: the first beside the last in their colours, or a
    /// plus.
    pub(in crate::tui) fn drawn(self, look: Look) -> (&'static str, Style) {
        let plus = if self.last == StepKind::Conflict { "!" } else { "+" };
        match [self.first, self.last].map(StepKind::role) {
            [Some(first), Some(last)] if look.has_pixels() && !self.more => {
                ("▌", Style::new().fg(look.pixel(first)).bg(look.pixel(last)))
            }
            _ => (plus, self.last.style(look)),
        }
    }
}
