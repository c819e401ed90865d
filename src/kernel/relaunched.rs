//! The same kernel launched otherwise: with another grid, or on matrices of another size.

use super::buffer::{Buffer, Contents};
use super::{LaunchSpec, Problem};
use crate::launch::{Dim3, Launch};
use crate::matrix::{Size, Values};

impl Problem {
    /// The assumed grid with its axes exchanged, rows of C along x, if the grid was assumed and this
    /// is another one.
    pub fn turned_grid(&self) -> Option<Dim3> {
        let Launch { grid, block } = self.launch;
        let turned = Launch::grid_over(self.size.m, self.size.n, block);
        (self.assumed.has_grid() && turned != grid).then_some(turned)
    }

    /// The same with another grid, unless it is known that each block computes a part of C.
    pub fn with_grid(&self, grid: Dim3) -> Option<Self> {
        let launch = Launch { grid, ..self.launch };
        self.known.is_none().then(|| Self { launch, ..self.clone() })
    }

    /// The same launch with random numbers in those buffers that the host fills with something plain,
    /// such as zeros; `None` if there are none.
    pub fn with_random_buffers(&self) -> Option<Self> {
        let random = Contents::Filled(Values::Random);
        let is_plain = |buffer: &Buffer| {
            matches!(&buffer.contents, Contents::Filled(_)) && buffer.contents != random
        };
        let filled = |buffer: &Buffer| {
            let contents = if is_plain(buffer) { &random } else { &buffer.contents }.clone();
            Buffer { contents, ..buffer.clone() }
        };
        let buffers = self.buffers.iter().map(filled).collect();
        self.buffers.iter().any(is_plain).then(|| Self { buffers, ..self.clone() })
    }

    /// The same kernel for matrices of another size, with each grid that it may be meant to have
    /// there: the assumed one, or the given one in proportion.
    pub fn at_size(&self, size: Size) -> Vec<Self> {
        if let Some(resized) = self.resized(size) {
            return vec![resized];
        }
        let Ok(module) = ptx::parse(&self.ptx) else { return Vec::new() };
        let grids = if self.assumed.has_grid() { vec![None] } else { self.grids_for(size) };
        let made = |grid| {
            let wanted = LaunchSpec {
                entry: Some(self.entry.clone()),
                grid,
                block: self.launch.block,
                shared: self.shared,
                cluster: self.cluster,
                args: Some(self.words.clone()),
                source: self.source.as_deref().cloned(),
                ..LaunchSpec::default()
            };
            let made = wanted.problem(&module, self.ptx.clone(), size).ok()?;
            Some(Self { seed: self.seed, ..made })
        };
        grids.into_iter().filter_map(made).collect()
    }

    /// The given grid in proportion to another size: columns of C along x, rows along x, all blocks
    /// in a row.
    fn grids_for(&self, size: Size) -> Vec<Option<Dim3>> {
        let (Dim3 { x, y, z }, Size { m, n, .. }) = (self.launch.grid, self.size);
        let part = |blocks: u32, now: u64, before: u64| {
            let scaled = (u64::from(blocks) * now).div_ceil(before.max(1));
            scaled.clamp(1, i32::MAX as u64) as u32
        };
        let side = |blocks: u32, now: u32, before: u32| part(blocks, now.into(), before.into());
        let area = |size: Size| u64::from(size.m) * u64::from(size.n);
        let mut grids = vec![
            Dim3::new(side(x, size.n, n), side(y, size.m, m), z),
            Dim3::new(side(x, size.m, m), side(y, size.n, n), z),
        ];
        if y == 1 {
            grids.push(Dim3::new(part(x, area(size), area(self.size)), 1, z));
        }
        grids.dedup();
        grids.into_iter().map(Some).collect()
    }
}
