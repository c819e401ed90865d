//! Prepares a problem for the simulator: its program, its arguments, its memory.

use super::buffer::Buffer;
use super::declared;
use super::elements;
use super::filled::Filled;
use super::shared_tile::{SharedTile, starts};
use super::{Arg, Problem, Source};
use crate::launch::Dim3;
use crate::matrix::{Element, Operand};
use crate::sim::{
    self, Fill, MAX_CLUSTER, MAX_WARPS, Machine, Memory, Order, Program, SharedArray, lower_with,
};
use ptx::{self, ParseError, Span};
use std::sync::Arc;

/// Words in a row of a shared array of unknown shape: one in each bank.
pub const ROW: u32 = 32;

impl Problem {
    /// Parses and lowers the kernel's PTX.
    ///
    /// # Errors
    /// The first error or unsupported instruction in the PTX.
    pub fn program(&self) -> Result<Arc<Program>, ParseError> {
        let module = ptx::parse(&self.ptx).map_err(|mut errors| errors.swap_remove(0))?;
        let mut program = lower_with(&module, &self.entry, self.shared)?;
        self.declare_shared(&mut program);
        for (name, offset, bytes) in &self.symbols {
            program.leave(name, *offset, bytes);
        }
        let refused = |why: String| ParseError::new(Span::default(), why);
        let is_of_grid = program.is_of_grid();
        let together = if is_of_grid { Some(self.launch.grid) } else { self.cluster };
        if let Some(cluster) = together {
            program.launched_in(cluster).map_err(|why| refused(why.to_string()))?;
        }
        if is_of_grid && program.fits(self.launch).is_err() {
            let (blocks, warps) = (self.launch.blocks(), self.launch.warps());
            return Err(refused(format!(
                "a barrier of all blocks: at most {MAX_CLUSTER} blocks with {MAX_WARPS} warps together are run at \
                 once here, not {blocks} of {warps} warps each; a smaller grid is <<<N,>>>"
            )));
        }
        self.check_params(&program)?;
        Ok(Arc::new(program))
    }

    /// Adds what the source, or else their use, says of the `__shared__` arrays.
    fn declare_shared(&self, program: &mut Program) {
        let source = self.source.as_deref();
        for array in &mut program.shared {
            let shape = |from| declared::shape(from, &array.name, array.bytes);
            let shape = self.shaped_by().and_then(shape);
            array.extents = shape.unwrap_or_default();
            array.of =
                source.and_then(|from| declared::element_type(from.declarations(), &array.name));
        }
        if program.shared.iter().any(|array| array.of.is_none()) {
            let used_as = elements::in_shared(program);
            program.shared.iter_mut().for_each(|array| array.of = array.of.or(used_as));
        }
    }

    /// The extents of an array of this many bytes, the outermost first, as the source declares it.
    pub fn declared_shape(&self, name: &str, bytes: u32) -> Option<Vec<u32>> {
        declared::any_shape(self.shaped_by()?, name, bytes)
    }

    /// The source whose declarations give arrays their shapes; the catalogue says more of its own.
    fn shaped_by(&self) -> Option<&Source> {
        self.source.as_deref().filter(|_| self.catalogue().is_none())
    }

    /// Whether the host fills a matrix before the launch; C only if its old value contributes to
    /// the result.
    fn is_filled(&self, operand: Operand) -> bool {
        operand != Operand::C || self.gemm.reads_c()
    }

    /// Returns element `index` (row-major) of a matrix before the launch.
    pub fn before(&self, operand: Operand, index: u64) -> f64 {
        if !self.is_filled(operand) {
            return 0.0;
        }
        let layout = self.layout(operand);
        let place = layout.place_of(self.size.shape(operand), index);
        layout.of.element(self.seed, operand, place)
    }

    /// The initial contents of a matrix in memory.
    fn fill(&self, operand: Operand) -> Fill {
        if self.is_filled(operand) {
            Fill::Matrix(self.seed, operand, self.element_type(operand))
        } else {
            Fill::Zero
        }
    }

    /// The buffers on whose contents before the launch a kernel must not rely.
    pub fn unfilled(&self) -> Vec<&str> {
        let is_filled = |operand| self.is_filled(operand) || operand == Operand::C && self.zeroed;
        let matrices = self.operands.iter().filter(|operand| !is_filled(**operand));
        let own = self.buffers.iter().filter(|buffer| !buffer.is_filled());
        let matrices = matrices.map(|operand| operand.name());
        matrices.chain(own.map(|buffer| &*buffer.name)).collect()
    }

    /// Returns the expected element of C, where that of A x B is `product`.
    pub fn expected(&self, product: f64, row: u32, column: u32) -> f64 {
        let index = u64::from(row) * u64::from(self.size.n) + u64::from(column);
        let element = self.gemm.element(product, self.before(Operand::C, index));
        self.element_type(Operand::C).expected(element)
    }

    /// Returns element `index` (row-major) of C in its buffer.
    pub fn of_c(&self, c: &sim::Allocation, index: u64) -> f64 {
        let layout = self.layout(Operand::C);
        c.element(layout.of, layout.place_of(self.size.shape(Operand::C), index))
    }

    /// Returns the words of C in its buffer, without those between its rows.
    pub fn words_of_c(&self, c: &sim::Allocation) -> impl Iterator<Item = f32> {
        self.layout(Operand::C).without_gaps(self.size.shape(Operand::C), c.floats())
    }

    /// Returns a 4-byte word of a buffer before the launch, by the buffer's number.
    pub fn word_before(&self, number: usize, word: u64) -> u32 {
        let fill = match self.operands.get(number) {
            Some(operand) => self.fill(*operand),
            None => match self.buffers.get(number - self.operands.len()) {
                Some(buffer) => buffer.fill(self.seed, number),
                None => Fill::Zero,
            },
        };
        fill.word(word)
    }

    /// The buffers by their numbers, matrices and others, as they are before the launch.
    pub fn filled(&self) -> Vec<Filled> {
        let matrices = self.operands.iter();
        let matrices = matrices.map(|of| Filled::of(self.bytes(*of), &self.fill(*of)));
        let own = (self.operands.len()..).zip(&self.buffers);
        let own = own.map(|(number, own)| Filled::of(own.bytes(), &own.fill(self.seed, number)));
        matrices.chain(own).collect()
    }

    fn bytes(&self, operand: Operand) -> u64 {
        self.layout(operand).bytes(self.size.shape(operand))
    }

    /// The number of 4-byte words of a matrix, the last perhaps half used.
    fn words(&self, operand: Operand) -> u64 {
        self.bytes(operand).div_ceil(4)
    }

    /// The bytes from one of its rows (or columns) to the next.
    fn pitch(&self, operand: Operand) -> u64 {
        let layout = self.layout(operand);
        u64::from(layout.lead(self.size.shape(operand))) * u64::from(layout.of.bytes())
    }

    /// The bytes of [`Self::dense_memory`], but for the module's variables.
    pub fn dense_bytes(&self) -> u64 {
        let matrices: u64 = self.operands.iter().map(|operand| 4 * self.words(*operand)).sum();
        let own = self.buffers.iter().map(|buffer| buffer.bytes().next_multiple_of(4));
        matrices + own.sum::<u64>()
    }

    /// Memory with whole matrices and the module's variables, for a run of the whole grid.
    pub fn dense_memory(&self, program: &Program) -> Memory {
        self.memory(program, |memory, name, words, fill| {
            memory.add_dense(name, words, &fill);
        })
    }

    /// Like [`Self::dense_memory`], but only what is written is stored, for a run of one block.
    pub fn sparse_memory(&self, program: &Program) -> Memory {
        self.memory(program, |memory, name, words, fill| {
            memory.add_sparse(name, words, fill);
        })
    }

    /// Memory that only has bounds, for a run whose values do not matter.
    pub fn bounds_only_memory(&self, program: &Program) -> Memory {
        self.memory(program, |memory, name, words, fill| {
            match fill {
                // Where a copy goes is said by its tensor map.
                Fill::Words(_) => memory.add_dense(name, words, &fill),
                _ => memory.add_bounds_only(name, words),
            };
        })
    }

    /// Memory to which `add` adds each buffer, by its name, its number of 4-byte words and its
    /// contents; and the module's variables.
    fn memory(&self, program: &Program, add: impl Fn(&mut Memory, &str, u64, Fill)) -> Memory {
        let mut memory = Memory::new();
        for operand in self.operands {
            add(&mut memory, operand.name(), self.words(*operand), self.fill(*operand));
            memory.lies_in_rows_of(self.pitch(*operand));
            memory.ends_at(self.bytes(*operand));
        }
        for (number, buffer) in (self.operands.len()..).zip(&self.buffers) {
            let bytes = buffer.bytes();
            add(&mut memory, &buffer.name, bytes.div_ceil(4), buffer.fill(self.seed, number));
            memory.ends_at(bytes);
            if let Some(words) = buffer.written() {
                memory.is_written_at(words);
            }
        }
        let bases: Vec<_> = memory.buffers().iter().map(|buffer| buffer.base).collect();
        for map in self.args.iter().filter_map(Arg::map_in_memory) {
            let words: Arc<[u32]> = map.words(&bases).into();
            add(&mut memory, &map.name(), words.len() as u64, Fill::Words(words));
        }
        memory.declare(program);
        memory
    }

    /// The block at position `block`, before its first instruction.
    pub fn machine(
        &self,
        program: Arc<Program>,
        block: Dim3,
        memory: Memory,
        order: Order,
    ) -> Machine {
        let params = self.params(&program, &memory);
        Machine::new(program, self.launch, block, &params, memory, order)
    }

    /// Returns the matrix element at a global address: its matrix, row and column; `None` between
    /// two rows (or columns) as well.
    pub fn element(&self, memory: &Memory, addr: u64) -> Option<(Operand, u32, u32)> {
        let (buffer, offset) = memory.locate(addr)?;
        let operand = *self.operands.iter().find(|operand| operand.name() == buffer.name)?;
        let layout = self.layout(operand);
        let place = offset / u64::from(layout.of.bytes());
        let (row, column) = layout.at(self.size.shape(operand), place)?;
        Some((operand, row, column))
    }

    /// Returns the element of another buffer at a global address: its buffer and its index.
    pub fn own_element(&self, memory: &Memory, addr: u64) -> Option<(&Buffer, u64)> {
        let (found, offset) = memory.locate(addr)?;
        let buffer = self.buffers.iter().find(|buffer| buffer.name == found.name)?;
        Some((buffer, offset / u64::from(buffer.of.bytes())))
    }

    /// Returns the address and the size in bytes of an element in global memory.
    pub fn place(&self, memory: &Memory, element: Element) -> Option<(u64, u8)> {
        let Element { operand, row, column } = element;
        let name = self.operands.get(operand as usize)?.name();
        let buffer = memory.buffers().iter().find(|buffer| buffer.name == name)?;
        let layout = self.layout(operand);
        let place = layout.place(self.size.shape(operand), row, column);
        let bytes = layout.of.bytes();
        Some((buffer.base + u64::from(bytes) * place, bytes))
    }

    /// Returns the element of a `__shared__` array at a byte of shared memory (of any block of a
    /// cluster): the array's name, row, column.
    pub fn shared_element<'p>(
        &self,
        program: &'p Program,
        addr: u64,
    ) -> Option<(&'p str, u32, u32)> {
        let (_, addr) = self.in_block(program, addr);
        let inside =
            |array: &&SharedArray| addr.wrapping_sub(array.offset.into()) < array.bytes.into();
        let array = program.shared.iter().find(inside)?;
        let index = (addr as u32 - array.offset)
            / array.element_bytes().filter(|each| *each <= 8).unwrap_or(4);
        let lies = |(staged, first, (_, columns)): (&SharedTile, u32, (u32, u32))| {
            let index = (addr as u32 / 4).wrapping_sub(first);
            let inside = index < staged.elements(self.tile()?);
            inside.then_some((staged.name, index / columns, index % columns))
        };
        let known = self.staged(program).find_map(lies);
        let row = array.columns().unwrap_or(ROW);
        known.or(Some((&array.name, index / row, index % row)))
    }

    /// The rank in its cluster of the block to which a byte of shared memory belongs, and the byte's
    /// address there.
    pub fn in_block(&self, program: &Program, addr: u64) -> (u32, u64) {
        if program.blocks_together() == 1 {
            return (0, addr);
        }
        program.blocks_of(self.launch, Dim3::at(0, 0)).of_shared(addr)
    }

    /// Returns the tiles that a kernel of the catalogue keeps in shared memory, each with its first
    /// word and its (rows, columns).
    pub fn staged(
        &self,
        program: &Program,
    ) -> impl Iterator<Item = (&SharedTile, u32, (u32, u32))> {
        let all = self.tile().into_iter().flat_map(|tile| {
            starts(&self.shared_tiles, tile).map(move |(staged, start)| (staged, start, tile))
        });
        all.filter_map(|(staged, start, tile)| {
            let array = program.shared.iter().find(|array| array.name == staged.array)?;
            Some((staged, array.offset / 4 + start, staged.shape(tile)))
        })
    }

    /// Returns the element of A or B that this address of shared memory holds, or will hold next,
    /// while `block` works on tile number `now` along k.
    pub fn staged_element(
        &self,
        program: &Program,
        block: Dim3,
        addr: u64,
        now: u32,
    ) -> Option<Element> {
        let (name, row, column) = self.shared_element(program, addr)?;
        let (array, tile) = self.staged_in(name).zip(self.tile())?;
        let (row, column) = array.within(tile, (row, column))?;
        let ((rows, columns), k) = (self.part(block)?, array.k_tile(now) * tile.k);
        let first = |own| array.first(tile, self.size, own);
        let (row, column) = match array.of {
            Operand::A => (first(rows.start) + row, k + column),
            Operand::B => (k + row, first(columns.start) + column),
            Operand::C => return None,
        };
        let (rows, columns) = self.size.shape(array.of);
        (row < rows && column < columns).then_some(Element { operand: array.of, row, column })
    }

    /// Returns the tile called `name`.
    pub fn staged_in(&self, name: &str) -> Option<&SharedTile> {
        self.shared_tiles.iter().find(|array| array.name == name)
    }

    /// Returns the parameter block: each argument at its parameter's offset, little-endian.
    fn params(&self, program: &Program, memory: &Memory) -> Vec<u8> {
        let bases: Vec<_> = memory.buffers().iter().map(|buffer| buffer.base).collect();
        let mut params = vec![0; program.param_bytes as usize];
        for (param, arg) in program.params.iter().zip(self.args.iter()) {
            let bytes = arg.bytes(&bases);
            params[param.offset as usize..][..bytes.len()].copy_from_slice(&bytes);
        }
        params
    }

    /// Checks that the arguments fit: PTX given for a kernel of the catalogue may have any parameters.
    fn check_params(&self, program: &Program) -> Result<(), ParseError> {
        let widths = self.args.iter().map(Arg::width);
        if program.params.iter().map(|param| param.bytes as usize).eq(widths) {
            return Ok(());
        }
        let message = format!("`{}` does not take A, B, C, M, N, K", self.entry);
        Err(ParseError::new(Span::default(), message))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::find;
    use std::borrow::Cow;

    /// 3 x 5 halves of C are 30 bytes: the two after them belong to no matrix.
    #[test]
    fn an_odd_number_of_halves_ends_within_a_word() {
        let kernel = find("half_plain").expect("a kernel");
        let variant = kernel.variants.first().expect("it has variants");
        let ptx = Cow::Borrowed(kernel.embedded(variant.tile).expect("its PTX"));
        let problem = Problem::of(kernel, *variant, "3x5x7".parse().expect("a size"), ptx);
        let program = problem.program().expect("it can be run");
        let memories = [
            problem.dense_memory(&program),
            problem.sparse_memory(&program),
            problem.bounds_only_memory(&program),
        ];
        for memory in memories {
            let c = memory.buffers().iter().find(|buffer| buffer.name == "C").expect("C");
            let bytes = 15 * u64::from(problem.element_type(Operand::C).bytes());
            assert_eq!(c.bytes, bytes);
            assert!(memory.locate(c.base + bytes - 1).is_some());
            assert!(memory.locate(c.base + bytes).is_none(), "past its end");
            let a = memory.buffers().iter().find(|buffer| buffer.name == "A").expect("A");
            assert_eq!(a.bytes, 21 * 2, "an odd number of halves");
            assert!(memory.locate(a.base + 42).is_none());
        }
    }
}
