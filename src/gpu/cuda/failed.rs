//! The driver's errors as [`GpuError`].

use crate::timing::GpuError;
use cudarc::driver::DriverError;

/// An error of the driver while `doing`.
pub(super) fn failed(doing: &str, error: DriverError) -> GpuError {
    GpuError::Driver { doing: doing.to_owned(), reason: words(error) }
}

/// The error's name and the driver's description of it.
pub(super) fn words(error: DriverError) -> String {
    let told = error.error_string().map(|text| text.to_string_lossy().into_owned());
    format!("{:?}, {}", error.0, told.unwrap_or_default())
}
