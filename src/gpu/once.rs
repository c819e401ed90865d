//! One run of a subject, with given contents of C.

use super::cores::words;
use super::device::Device;
use crate::matrix::{Operand, Size};
use crate::timing::GpuError;
use crate::timing::Subject;

/// The contents of C before a run.
pub(super) enum InitialC {
    /// This value everywhere; it does not enter the result.
    Blank(f32),
    /// These elements, row-major, which enter the result.
    Filled(Vec<f32>),
}

impl InitialC {
    /// The elements that enter the result.
    pub(super) fn elements(&self) -> &[f32] {
        match self {
            Self::Blank(_) => &[],
            Self::Filled(elements) => elements,
        }
    }
}

/// The contents of C that the subject starts from.
pub(super) fn before(subject: &Subject, size: Size, seed: u64) -> InitialC {
    if subject.gemm().reads_c() {
        let layout = subject.layouts()[Operand::C as usize];
        let places = layout.places(size.shape(Operand::C));
        InitialC::Filled(words(seed, Operand::C, layout.of, &(0..places)))
    } else {
        InitialC::Blank(subject.blank())
    }
}

/// Runs the loaded subject once from these contents of C. Returns C afterwards and the time in
/// milliseconds.
pub(super) fn run_once(
    device: &mut dyn Device,
    before: &InitialC,
) -> Result<(Vec<f32>, f64), GpuError> {
    set(device, before)?;
    let ms = device.run(1)?;
    Ok((device.read()?, ms))
}

/// Sets C to its contents before a run.
pub(super) fn set(device: &mut dyn Device, before: &InitialC) -> Result<(), GpuError> {
    match before {
        InitialC::Blank(value) => device.blank(*value),
        InitialC::Filled(elements) => device.give(elements),
    }
}
