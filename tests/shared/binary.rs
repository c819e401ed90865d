//! The program under test.

use std::path::PathBuf;

/// The program or, if the tests were carried to another machine, the one next to them.
pub(crate) fn matviz() -> PathBuf {
    let built = PathBuf::from(env!("CARGO_BIN_EXE_matviz"));
    if built.exists() { built } else { PathBuf::from("target/release/matviz") }
}
