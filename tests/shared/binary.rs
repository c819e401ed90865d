//! The program that the tests start.

use std::path::PathBuf;

/// The program; where the tests are carried to another machine, the one beside them.
pub(crate) fn matviz() -> PathBuf {
    let built = PathBuf::from(env!("CARGO_BIN_EXE_matviz"));
    if built.exists() { built } else { PathBuf::from("target/release/matviz") }
}
