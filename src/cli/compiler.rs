//! Which compiler turns a user's CUDA C into PTX: matviz's own, NVRTC, or clang.

use super::BadUse;
use super::output::named;
use super::working::Working;
use crate::compile::CompileJob;
use crate::timing::GpuError;
use std::path::Path;

/// A choice of `--compiler`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
pub(super) enum Compiler {
    /// matviz's own if the source is in its subset, otherwise NVRTC, otherwise clang; to measure,
    /// NVRTC first
    #[default]
    Auto,
    /// matviz's own: the CUDA C of the course, with nothing to install
    Matviz,
    /// NVIDIA's run-time compiler, if it is found
    Nvrtc,
    /// clang, if it is found
    Clang,
}

/// A source that no compiler accepted; exit code 3.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct NotCompiled(pub String);

/// A file that has no kernel, or does not say how it is launched; exit code 2.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct NotOpened(pub String);

impl Compiler {
    /// The one that takes an architecture, if one is asked for.
    pub(super) fn for_arch(self, is_given: bool) -> Result<Self, BadUse> {
        match self {
            Self::Auto | Self::Nvrtc if is_given => Ok(Self::Nvrtc),
            Self::Matviz | Self::Clang if is_given => {
                let told = "--arch is for NVRTC: the other compilers have one of their own";
                Err(BadUse(told.to_owned()))
            }
            chosen => Ok(chosen),
        }
    }

    /// Compiles a source, `file` as the user named it, to PTX.
    ///
    /// # Errors
    /// What is wrong with the source, or with the compiler.
    pub(super) fn compile(self, job: &CompileJob, file: &Path) -> Result<String, NotCompiled> {
        let _working = Working::on(format!("compiling {}", file.display()));
        let text = &job.wanted.text;
        let told = |error: cudac::Error| NotCompiled(error.render(text, &named(file)));
        match self {
            Self::Matviz => job.own().map_err(told),
            Self::Nvrtc => job.nvrtc().map_err(|error| NotCompiled(error.to_string())),
            Self::Clang => job.clang().map_err(NotCompiled),
            Self::Auto if job.to_measure => job.nvrtc().or_else(|failed| {
                let is_there = !matches!(failed, GpuError::NoCompiler);
                job.own().map_err(|error| {
                    let helps = is_there && (error.outside || job.is_mixed());
                    if helps { NotCompiled(failed.to_string()) } else { told(error) }
                })
            }),
            Self::Auto => job.own().or_else(|error| {
                // Of a mistake, another log has the same in other words, and more of it; a file with
                // the host's code is none of the course.
                let outside = error.outside || job.is_mixed();
                let failed = |log: Option<String>| log.filter(|_| outside).map(NotCompiled);
                job.elsewhere().map_err(|log| failed(log).unwrap_or_else(|| told(error)))
            }),
        }
    }
}
