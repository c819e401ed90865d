//! `matviz export`: a frame of the screen, a run as it plays, or a picture of the measurements, as a
//! file.

mod args;
mod frame;
mod picture;
pub(super) mod run;

pub use args::Args;

use args::ExportedPicture;
use std::process::ExitCode;

/// Draws the picture, or prints its figures.
///
/// # Errors
/// No such picture in this form, a full disk; a block outside the grid, PTX that cannot be run; a
/// kernel or a size that was not measured, a file that is not a pack.
pub fn run(args: &Args) -> anyhow::Result<ExitCode> {
    match args.picture {
        ExportedPicture::Frame => frame::run(args),
        ExportedPicture::Run => run::run(args),
        ExportedPicture::Measured(picture) => picture::run(args, picture),
    }
}
