//! What a warp does in a stretch of steps, and how that is drawn.

use crate::trace::{Kind, StepRecord};
use crate::tui::facts::Doing;
use crate::tui::theme::{Depth, Look, Role};
use ratatui::style::Style;

/// What a warp does at one step, in the order in which a stretch of several lists them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Span {
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

impl Span {
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
            Kind::SharedLoad | Kind::SharedStore if step.conflict => Self::Conflict,
            Kind::Fma => Self::Fma,
            Kind::GlobalLoad => Self::GlobalLoad,
            Kind::GlobalStore => Self::GlobalStore,
            Kind::SharedLoad => Self::SharedLoad,
            Kind::SharedStore => Self::SharedStore,
            Kind::Compute | Kind::Branch | Kind::Barrier | Kind::Exit => Self::Other,
        }
    }

    /// Returns the state of a warp from this step of its own until its next one.
    pub const fn from(step: &StepRecord) -> Self {
        match step.kind {
            Kind::Barrier if step.released => Self::Idle,
            Kind::Barrier => Self::Wait,
            Kind::Exit => Self::After,
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
            Self::GlobalLoad => Doing::Load.glyph(look),
            Self::GlobalStore => Doing::Store.glyph(look),
            Self::SharedLoad => Doing::SharedLoad.glyph(look),
            Self::SharedStore => Doing::SharedStore.glyph(look),
            Self::Conflict => "!",
            Self::Fma => Doing::Fma.glyph(look),
            Self::Other => Doing::Other.glyph(look),
            Self::Wait => Doing::Wait.glyph(look),
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
pub struct Mark {
    pub first: Span,
    pub last: Span,
    /// Whether there are others in between.
    pub more: bool,
}

impl Mark {
    /// The mark of one state.
    pub const fn one(span: Span) -> Self {
        Self { first: span, last: span, more: false }
    }

    /// The mark of several states in their order. Of other instructions beside those that have a kind,
    /// nothing is shown; a conflict always is.
    pub(super) fn of(spans: &[Span]) -> Self {
        let kinds: Vec<_> = spans.iter().copied().filter(|span| *span != Span::Other).collect();
        let [first, .., last] = kinds[..] else {
            return Self::one(kinds.first().or(spans.first()).copied().unwrap_or_default());
        };
        let conflict = kinds.contains(&Span::Conflict) && first != Span::Conflict;
        let last = if conflict { Span::Conflict } else { last };
        Self { first, last, more: kinds.len() > 2 }
    }

    /// The state that it shows, if it is one.
    pub fn span(self) -> Option<Span> {
        (self.first == self.last).then_some(self.first)
    }

    /// The character and the style of several states: the first beside the last in their colours, or a
    /// plus.
    pub(in crate::tui) fn drawn(self, look: Look) -> (&'static str, Style) {
        let plus = if self.last == Span::Conflict { "!" } else { "+" };
        match [self.first, self.last].map(Span::role) {
            [Some(first), Some(last)] if look.has_pixels() && !self.more => {
                ("▌", Style::new().fg(look.pixel(first)).bg(look.pixel(last)))
            }
            _ => (plus, self.last.style(look)),
        }
    }
}
