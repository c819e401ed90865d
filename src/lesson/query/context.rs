//! What a call is answered in.

use crate::lesson::answer::Value;
use crate::lesson::expr::{Access, Call};
use crate::lesson::setting::Setting;
use crate::lesson::stage::Stages;

/// What a query may refer to besides its own text.
#[derive(Clone, Debug, Default)]
pub struct Given {
    /// The steps done where the run stands: accesses are searched from there. 0 if it is not known.
    pub from: usize,
    /// The access that `a` means: that of the question that is replied to.
    pub access: Option<Access>,
    /// The value of `you`: what was answered.
    pub you: Option<Value>,
    /// The value of `right`: what is right.
    pub right: Option<Value>,
}

/// What an expression is evaluated in.
#[derive(Clone, Copy)]
pub(super) struct Context<'c> {
    pub(super) stages: &'c Stages,
    pub(super) setting: &'c Setting,
    pub(super) given: &'c Given,
}

/// A call that is being answered.
pub(super) struct Asked<'c> {
    pub(super) stages: &'c Stages,
    /// The setting that the call asks.
    pub(super) setting: Setting,
    pub(super) call: &'c Call,
    pub(super) given: &'c Given,
    /// Whether the run is the one that stands, so that places of it mean something here.
    pub(super) here: bool,
}
