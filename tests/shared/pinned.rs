//! Checks that committed PTX is the output of the pinned NVRTC for the sources next to it.

use crate::need::not_tested;
use matviz::gpu::compiled::{PINNED, compiler, source};
use matviz::timing::protocol::Compile;
use std::fs;
use std::path::PathBuf;

/// Compares the PTX of each source with the committed PTX, or writes it there (`MATVIZ_WRITE`).
/// Reports anything that cannot be checked on this machine.
pub(crate) fn check(sources: impl IntoIterator<Item = (Compile, PathBuf)>) {
    for (wanted, committed) in sources {
        let made = match source(&wanted) {
            Ok(made) => made,
            Err(_) if wanted.text.contains("#include") => {
                not_tested("nvrtc", &format!("{}: CUDA's headers are not here", wanted.file));
                continue;
            }
            Err(error) => return not_tested("nvrtc", &format!("{}: {error}", wanted.file)),
        };
        if compiler(&made) != Some(PINNED) {
            return not_tested("nvrtc", &format!("this is not NVRTC {PINNED}"));
        }
        if std::env::var_os("MATVIZ_WRITE").is_some() {
            fs::write(&committed, &made).expect("written");
        }
        let text = fs::read_to_string(&committed).expect("committed");
        assert!(made == text, "{} is not what its source makes", committed.display());
    }
}
