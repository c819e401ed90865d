//! The problem of a setting: PTX of the catalogue, or compiled here from a changed source or a file.

use crate::kernel::{self, Kernel, Problem, Source, Variant};
use crate::launch::{Dim3, MAX_BLOCK, MAX_THREADS_PER_BLOCK};
use crate::lesson::change;
use crate::lesson::error::RunError;
use crate::lesson::judged::{opened, program};
use crate::lesson::setting::{KernelFrom, Setting};
use crate::matrix::{Precision, SMALL};
use crate::own::launch::StatedLaunch;
use crate::own::{self, FileRequest, FileText, OpenError};
use std::borrow::Cow;

impl Setting {
    /// The problem, compiled by matviz where the source is changed or from a file, and where the
    /// catalogue has no PTX for the tile. A changed kernel keeps its tile, block and arguments, and
    /// what else the catalogue says of it where a run agrees.
    ///
    /// # Errors
    /// An unknown kernel, tile or change; a source that does not compile; a launch that does not
    /// fit.
    pub fn problem(&self) -> Result<Problem, RunError> {
        self.size.checked()?;
        let problem = match &self.kernel {
            KernelFrom::Catalogue(name) => self.of_catalogue(name),
            KernelFrom::File { name, text } => self.of_file(name, text),
        }?;
        let seed = if self.digits { SMALL } else { problem.seed };
        Ok(Problem { seed, ..problem })
    }

    fn of_catalogue(&self, name: &str) -> Result<Problem, RunError> {
        let kernel = kernel::find(name).ok_or_else(|| {
            let names: Vec<_> = kernel::all().map(|kernel| kernel.name).collect();
            RunError::NoKernel { name: name.to_owned(), known: names.join(", ") }
        })?;
        let variant = self.variant(kernel)?;
        let is_changed = !self.changes.is_empty() || !self.defines.is_empty();
        if is_changed || self.grid.is_some() || self.threads.is_some() {
            return self.changed(kernel, variant);
        }
        let embedded = if self.rolled { variant.rolled } else { variant.ptx };
        let ptx = if let Some(ptx) = embedded {
            Cow::Borrowed(ptx)
        } else {
            let source = source(kernel, variant, kernel.source.to_owned());
            Cow::Owned(opened(&source, StatedLaunch::default(), self.rolled)?.into_ptx())
        };
        Ok(Problem::of(kernel, variant, self.size, ptx))
    }

    /// The variant of a kernel for the tile, or its default.
    fn variant(&self, kernel: &Kernel) -> Result<Variant, RunError> {
        let Some(tile) = self.tile else { return Ok(kernel.variant_for(self.size)) };
        let none = || RunError::NoTile { kernel: kernel.name, tile, tiles: kernel.tiles() };
        kernel.variant(tile).ok_or_else(none)
    }

    fn changed(&self, kernel: &Kernel, variant: Variant) -> Result<Problem, RunError> {
        if kernel.precision != Precision::Single {
            return Err(RunError::Halves(kernel.name));
        }
        let mut source = source(kernel, variant, change::applied(kernel.source, &self.changes)?);
        source.defines.extend(self.defines.iter().cloned());
        let launch = StatedLaunch {
            size: Some(self.size),
            entry: Some(kernel.name.to_owned()),
            grid: Some(self.grid.unwrap_or(variant.launch(self.size).grid)),
            block: Some(self.threads.unwrap_or(variant.block)),
            shared: Some(variant.dynamic_shared),
            args: Some(self.args.as_deref().unwrap_or(kernel.arguments).to_owned()),
            ..StatedLaunch::default()
        };
        let problem = self.launched(&source, launch)?;
        let program = program(&problem)?;
        Ok(problem.recognised(&program))
    }

    /// A kernel from a file; `kernels/mistakes.cu:turns_a_tile` names one of several.
    fn of_file(&self, name: &str, text: &str) -> Result<Problem, RunError> {
        let (name, entry) =
            name.split_once(':').map_or((name, None), |(name, of)| (name, Some(of)));
        let text = change::applied(text, &self.changes)?;
        let side = self.tile.and_then(kernel::Tile::side);
        let launch = StatedLaunch {
            size: Some(self.size),
            entry: entry.map(str::to_owned),
            grid: self.grid,
            block: self.threads.or(side.map(|side| Dim3::flat(side, side))),
            args: self.args.clone(),
            ..StatedLaunch::default()
        };
        let is_ptx = name.rsplit_once('.').is_some_and(|(_, ending)| ending == "ptx");
        let file = name.rsplit('/').next().unwrap_or(name).to_owned();
        let tile = side.map(|side| format!("TILE={side}"));
        let defines = tile.into_iter().chain(self.defines.iter().cloned()).collect();
        let source = Source { file, text, defines, declared: None };
        if is_ptx {
            let written = StatedLaunch::written(&source.text).map_err(OpenError::Source);
            let written = written.map_err(|why| RunError::unopened(why, &source))?;
            let launch = launch.or(written);
            fits(&launch)?;
            let ptx = FileText::Ptx(source.text.clone(), None);
            let opened = own::open(FileRequest::of_text(ptx, launch));
            let problem = opened.and_then(|opened| opened.at(self.size, None));
            return problem.map_err(|why| RunError::unopened(why, &source));
        }
        self.launched(&source, launch)
    }

    fn launched(&self, source: &Source, launch: StatedLaunch) -> Result<Problem, RunError> {
        fits(&launch)?;
        let problem = opened(source, launch, self.rolled)?.at(self.size, None);
        problem.map_err(|why| RunError::unopened(why, source))
    }
}

fn fits(launch: &StatedLaunch) -> Result<(), RunError> {
    let most = u64::from(MAX_THREADS_PER_BLOCK);
    let is_too_large = |block: Dim3| !block.fits(MAX_BLOCK) || block.volume() > most;
    if launch.block.is_some_and(is_too_large) {
        return Err(RunError::BlockTooLarge);
    }
    let is_empty = launch.grid.is_some_and(|grid| grid.volume() == 0);
    if is_empty { Err(RunError::NoBlocks) } else { Ok(()) }
}

/// The source of a catalogue's kernel with this text.
fn source(kernel: &Kernel, variant: Variant, text: String) -> Source {
    Source { file: kernel.file(), text, defines: variant.defines(), declared: None }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lesson::change::changes;
    use crate::lesson::setting_runs::tests::setting;
    use crate::matrix::Operand;

    /// The name, the matrix and the shape of each tile in shared memory.
    fn staged(problem: &Problem) -> Vec<(&'static str, Operand, (u32, u32))> {
        let program = problem.program().expect("it can be run");
        let staged = problem.staged(&program);
        staged.map(|(staged, _, shape)| (staged.name, staged.of, shape)).collect()
    }

    #[test]
    fn a_changed_kernel_keeps_the_picture_that_a_run_confirms() {
        let tiled = setting("tiled", 16);
        let original = tiled.problem().expect("it is there");
        let block = Dim3::at(2, 1);
        for change in changes().iter().filter(|change| change.kernel == "tiled") {
            let changed = Setting { changes: vec![change.id.clone()], ..tiled.clone() };
            let problem = changed.problem().expect("it compiles");
            assert!(problem.catalogue().is_none() && problem.timed_tile().is_none());
            assert!(!problem.is_committed(), "{}: matviz compiled it", change.id);
            assert_ne!(problem.source, original.source, "{}", change.id);
            assert_eq!(problem.label(), original.label());
            assert_eq!(problem.k_tiles(), original.k_tiles(), "{}", change.id);
            assert_eq!(problem.part(block), original.part(block), "{}", change.id);
            let (mut tiles, mut expected) = (staged(&problem), staged(&original));
            match &*change.id {
                "pad-a" => expected[0].2 = (16, 17),
                "pad-b" => expected[1].2 = (16, 17),
                _ => {}
            }
            tiles.sort_unstable();
            expected.sort_unstable();
            assert_eq!(tiles, expected, "{}", change.id);
        }
    }

    #[test]
    fn what_a_changed_kernel_stores_elsewhere_is_not_claimed() {
        let at = |id: &str, size: &str| {
            let size = size.parse().expect("a size");
            let changes = vec![id.to_owned()];
            Setting { size, changes, ..setting("tiled", 16) }.problem().expect("it compiles")
        };
        let turned = at("transposed", "64");
        let program = turned.program().expect("it can be run");
        let (layout, ..) = turned.staged(&program).next().expect("a tile");
        assert!(layout.transposed, "the tile of A is stored turned");
        // With another pitch the tile of A holds other elements, and that of B its own.
        let tiles = staged(&at("wrong-pitch", "64x48x96"));
        assert_eq!(tiles, [("sB", Operand::B, (16, 16))]);
    }
}
