//! The message and advice for a finding.

/// The message and advice for a finding.
#[derive(Default)]
pub(super) struct FindingText {
    /// The message, a sentence on what happened.
    pub(super) message: String,
    /// The advice, in a sentence or two.
    pub(super) advice: String,
    /// The effect on hardware of a barrier used this way.
    pub(super) barrier: Option<Meanings>,
}

/// The two meanings of a barrier.
///
/// Since Volta: `__syncthreads()` and `bar.sync` "are enforced per thread and thus will not succeed
/// until reached by all non-exited threads in the block" (CUDA Programming Guide, "Compute
/// Capability 7.x"). Before: "if any thread in a warp executes a bar instruction, it is as if all
/// the threads in the warp have executed" it (PTX ISA 5.0, `bar`).
#[derive(Clone, Copy)]
pub(super) struct Meanings {
    pub(super) since_volta: &'static str,
    pub(super) before_volta: &'static str,
}

impl FindingText {
    pub(super) fn new(message: String, advice: impl Into<String>) -> Self {
        Self { message, advice: advice.into(), barrier: None }
    }

    /// Adds the effects on hardware since Volta and before.
    pub(super) fn meaning(self, since_volta: &'static str, before_volta: &'static str) -> Self {
        Self { barrier: Some(Meanings { since_volta, before_volta }), ..self }
    }
}
