//! Which matviz this is, and what it was built of.

use crate::cli::output::FORMAT;
use crate::gpu::compiled::PINNED;
use crate::timing::pack;
use serde::Serialize;
use std::sync::LazyLock;

/// The commit, if the build stated it.
const COMMIT: Option<&str> = option_env!("MATVIZ_COMMIT");

/// What `--version` prints after the name.
pub(in crate::cli) static LONG: LazyLock<String> =
    LazyLock::new(|| VersionReport::of_this().text());

#[derive(Serialize)]
pub(super) struct VersionReport {
    #[serde(rename = "version")]
    number: &'static str,
    /// None where it is not known.
    commit: Option<&'static str>,
    /// The processor and the system, as Rust names them.
    target: String,
    /// Whether the compiler optimised it as for a release.
    release: bool,
    /// The Rust compiler that built it.
    compiler: &'static str,
    /// The Cargo features it was built with: there are none to choose from.
    features: [&'static str; 0],
    /// The NVRTC that made the catalogue's PTX.
    nvrtc: &'static str,
    /// The GPUs whose recorded times it brings, with their dates.
    recorded: Vec<String>,
    /// The format of timing packs.
    pack_format: u32,
}

impl VersionReport {
    pub(super) fn of_this() -> Self {
        Self {
            number: env!("CARGO_PKG_VERSION"),
            commit: COMMIT.filter(|commit| !commit.is_empty()),
            target: format!("{}-{}", std::env::consts::ARCH, std::env::consts::OS),
            release: !cfg!(debug_assertions),
            compiler: env!("MATVIZ_RUSTC"),
            features: [],
            nvrtc: PINNED,
            recorded: pack::packs()
                .iter()
                .map(|pack| format!("{}, {}", pack.device, pack.date))
                .collect(),
            pack_format: pack::FORMAT,
        }
    }

    fn text(&self) -> String {
        let Self { number, commit, target, nvrtc, pack_format, compiler, .. } = self;
        let unknown = if self.release {
            "not known: it was built outside a Git clone"
        } else {
            "not recorded in a debug build"
        };
        let commit = commit.unwrap_or(unknown);
        let build = if self.release { "release" } else { "debug" };
        format!(
            "{number}\n\
             commit          {commit}\n\
             built for       {target}, {build}\n\
             built by        {compiler}\n\
             features        all: there are none to choose from\n\
             catalogue       PTX by NVRTC {nvrtc}\n\
             CUDA C          by matviz itself; NVRTC or clang where they are installed\n\
             recorded times  {}\n\
             formats         JSON {FORMAT}, timing packs {pack_format}",
            self.recorded.join("; "),
        )
    }
}
