//! One run of a subject, on the C that it is given.

use super::GpuError;
use super::cores::operand_on_all_cores;
use super::device::Device;
use super::protocol::Subject;
use crate::matrix::{Operand, Precision, Size};

/// What C holds before a run.
pub(super) enum Before {
    /// Nothing but this.
    Blank(f32),
    /// These elements, row-major: they have a part in the result.
    Filled(Vec<f32>),
}

impl Before {
    /// The elements that have a part in the result.
    pub(super) fn elements(&self) -> &[f32] {
        match self {
            Self::Blank(_) => &[],
            Self::Filled(elements) => elements,
        }
    }
}

/// What the subject finds in C.
pub(super) fn before(subject: &Subject, size: Size, seed: u64) -> Before {
    if subject.gemm().reads_c() {
        Before::Filled(operand_on_all_cores(seed, Operand::C, size, Precision::Single))
    } else {
        Before::Blank(subject.blank())
    }
}

/// Runs the loaded subject once on such a C: what C is then, and the time in milliseconds.
pub(super) fn run_once(
    device: &mut dyn Device,
    before: &Before,
) -> Result<(Vec<f32>, f64), GpuError> {
    set(device, before)?;
    let ms = device.run(1)?;
    Ok((device.read()?, ms))
}

/// Makes C what it is before a run.
pub(super) fn set(device: &mut dyn Device, before: &Before) -> Result<(), GpuError> {
    match before {
        Before::Blank(value) => device.blank(*value),
        Before::Filled(elements) => device.give(elements),
    }
}
