//! The line about a token of the source: what it is for one thread, as far as that is certain.

use super::related::{bytes_of, of_lane};
use super::source::{FunctionTokens, Meaning, Solved, ThreadCoordinates, cuda, pointable};
use super::words::{Clause, value, warps};
use super::{PointedMoment, Related, SourcePosition};
use crate::analysis::banks::WORD;
use crate::matrix::{Element, ElementType};
use crate::report::number::Count;
use crate::report::place;
use crate::sim::{Direction, LaneMask, WarpState};
use crate::trace::{Last, missing};
use cudac::Lexeme;
use ptx::Space;

/// Words of CUDA, and what they mean.
const WORDS: [(&str, &str); 12] = [
    ("__global__", "a kernel: started by the CPU, executed by every thread of the grid"),
    ("__shared__", "in shared memory: one for the whole block, on the chip"),
    ("__device__", "a function that runs on the GPU and is called there"),
    ("__restrict__", "a promise: what it points to is reached in no other way"),
    ("__align__", "begins at an address that is a multiple of this number of bytes"),
    ("__launch_bounds__", "a promise: a block has at most this number of threads"),
    ("__ldg", "a load from global memory that nobody writes to"),
    ("threadIdx", "the thread's index in its block"),
    ("blockIdx", "the block's index in the grid"),
    ("blockDim", "the threads of a block along x, y and z"),
    ("gridDim", "the blocks of the grid along x, y and z"),
    ("warpSize", "the lanes of a warp: 32"),
];

/// What is known of an array where it stands in the source.
enum ArrayUse<'a> {
    /// A lane's latest access there; whether it is what its warp has just done.
    Access(&'a Last, bool),
    /// The element that a lane has just multiplied.
    Factor(Element),
    /// The element of a matrix that a lane has just stored in shared memory.
    Stored(Element),
    /// The element that its indices name.
    Named(Element),
    /// The word of shared memory that its indices name.
    Slot(u32),
}

impl<'a> PointedMoment<'a> {
    /// Describes a token.
    pub(super) fn token(&self, spot: SourcePosition) -> Vec<Clause> {
        let Some((source, token)) = self.read(spot) else { return vec![Clause::of("")] };
        let name = token.text;
        let said = self.sum_of(&source, token).or_else(|| self.array(&source, token));
        let said = said.or_else(|| (name == "__syncthreads").then(|| self.barrier_at(spot)));
        let said = said.or_else(|| self.whole(&source, token)).or_else(|| self.built_in(name));
        said.unwrap_or_else(|| vec![self.kind_of(&source, name)])
    }

    /// Returns what belongs to a token in each picture.
    pub(super) fn of_token(&self, spot: SourcePosition) -> Related {
        let own =
            Related { lanes: vec![(self.warp, LaneMask(1 << self.lane))], ..Related::default() };
        let Some((source, token)) = self.read(spot) else { return own };
        if token.text == "__syncthreads" {
            let lanes = self.at_barrier(spot).into_iter().map(|warp| (warp, LaneMask::ALL));
            return Related { lanes: lanes.collect(), ..own };
        }
        if let Some(product) = self.product_at(&source, token) {
            return Related { lanes: own.lanes, ..self.of_element(product) };
        }
        match self.used(&source, token) {
            Some(ArrayUse::Access(last, _)) => Related { lanes: own.lanes, ..self.of_access(last) },
            Some(ArrayUse::Slot(word)) => Related { lanes: own.lanes, ..self.of_word(word) },
            Some(
                ArrayUse::Factor(element) | ArrayUse::Stored(element) | ArrayUse::Named(element),
            ) => Related { lanes: own.lanes, ..self.of_element(element) },
            None => own,
        }
    }

    /// Reads the source around a spot, and the token that begins there.
    fn read(&self, spot: SourcePosition) -> Option<(FunctionTokens<'a>, Lexeme<'a>)> {
        let text = cuda(self.problem)?;
        let mut tokens = pointable(text, spot.line).into_iter();
        let token = tokens.find(|token| token.at == spot.at)?;
        Some((FunctionTokens::around(self.problem, text, spot.line), token))
    }

    /// `w3 l17 = thread (1,7)`, in three wordings.
    fn whom(&self) -> [String; 3] {
        let name = format!("w{} l{}", self.warp, self.lane);
        let thread = self.thread(self.warp, self.lane);
        let long = thread.map_or_else(|| name.clone(), |at| format!("{name} = thread {at}"));
        [long.clone(), long, name]
    }

    /// Describes the sum to which a lane has just added, where the source names it.
    fn sum_of(&self, source: &FunctionTokens<'_>, token: Lexeme<'_>) -> Option<Vec<Clause>> {
        self.product_at(source, token)?;
        let product = self.product(self.warp, self.lane)?;
        let head = Clause(self.whom());
        Some([head].into_iter().chain(super::lane::multiplies(&product)).collect())
    }

    /// Returns the element of C to whose sum a lane has just added here.
    fn product_at(&self, source: &FunctionTokens<'_>, token: Lexeme<'_>) -> Option<Element> {
        let [.., c] = self.product(self.warp, self.lane)?.elements?;
        let adds = source.adds(token) && self.last_line() == Some(token.line);
        adds.then_some(c)
    }

    /// The line of the warp's last instruction, if it is in the kernel's own file.
    fn last_line(&self) -> Option<u32> {
        let last = self.now().warps.get(self.warp)?.last?;
        self.program.inst(last).line.filter(|_| self.program.other_file(last).is_none())
    }

    /// Describes an array with its indices.
    fn array(&self, source: &FunctionTokens<'_>, token: Lexeme<'_>) -> Option<Vec<Clause>> {
        let name = token.text;
        let used = self.used(source, token)?;
        let head = Clause(self.whom().map(|whom| format!("{name}, {whom}")));
        let more = match used {
            ArrayUse::Access(last, now) => self.access(self.warp, self.lane, last, now),
            ArrayUse::Factor(element) => {
                let multiplied = Clause::of(format!(": multiplies {element}"));
                let worth = Clause::of(format!(" = {}", value(self.before(element))));
                let slot = self.slot(element).map(|slot| {
                    Clause::of(format!(", from {}", self.places().word(slot * WORD as u32)))
                });
                [multiplied, worth].into_iter().chain(slot).collect()
            }
            ArrayUse::Stored(element) => {
                let brought = Clause::of(": brings ");
                [brought].into_iter().chain(self.element(element)).collect()
            }
            ArrayUse::Named(element) => {
                [Clause::of(": ")].into_iter().chain(self.element(element)).collect()
            }
            ArrayUse::Slot(word) => [Clause::of(": ")].into_iter().chain(self.word(word)).collect(),
        };
        Some([head].into_iter().chain(more).collect())
    }

    /// Returns what a lane does with an array where it stands, if it stands once on its line.
    fn used(&self, source: &FunctionTokens<'_>, token: Lexeme<'_>) -> Option<ArrayUse<'a>> {
        source.indices(token.line, token.text)?;
        let buffer = source.buffer(token.text);
        let stored = |last: &Last| {
            let word = (last.access.addrs[self.lane] / WORD) as u32;
            let held = self.held(word).filter(|held| buffer == Some(held.operand as usize));
            held.filter(|_| last.access.direction == Direction::Store && last.access.bytes <= 4)
        };
        if let Some([a, b, _]) = self.factors_at(token.line) {
            let is = |element: &Element| match self.slot(*element) {
                Some(slot) => self.is_array(slot, token.text),
                None => buffer == Some(element.operand as usize),
            };
            return [a, b].into_iter().find(is).map(ArrayUse::Factor);
        }
        let all = self.accesses_at(token.line);
        let own = all.iter().find(|(last, _)| match last.access.space {
            Space::Shared => {
                self.is_array((last.access.addrs[self.lane] / WORD) as u32, token.text)
            }
            _ => self.buffer_at(last.access.addrs[self.lane]).is_some_and(|at| buffer == Some(at)),
        });
        let of_store = || {
            let shared = all.iter().find(|(last, _)| last.access.space == Space::Shared)?;
            stored(shared.0).map(ArrayUse::Stored)
        };
        let found = own.map(|(last, now)| ArrayUse::Access(last, *now)).or_else(of_store);
        found.or_else(|| self.named(source, token))
    }

    /// Returns the place of an array that its indices name, if all of them are known.
    fn named(&self, source: &FunctionTokens<'_>, token: Lexeme<'_>) -> Option<ArrayUse<'a>> {
        let place = self.place_of_thread()?;
        let indices = source.indices(token.line, token.text)?;
        let cell: Option<Vec<_>> =
            indices.iter().map(|index| source.evaluate(index, place)).collect();
        let cell = cell?;
        if let Some(buffer) = source.buffer(token.text) {
            let operand = *self.problem.operands.get(buffer)?;
            let (rows, columns) = self.problem.size.shape(operand);
            let [index] = cell[..] else { return None };
            let index = u32::try_from(index).ok().filter(|index| index / columns.max(1) < rows)?;
            let (row, column) = (index / columns, index % columns);
            return Some(ArrayUse::Named(Element { operand, row, column }));
        }
        let words = 0..self.now().shared.len() as u32;
        let mut own = words.filter(|word| self.is_array(*word, token.text));
        own.find(|word| self.in_array(*word).as_ref() == Some(&cell)).map(ArrayUse::Slot)
    }

    /// Returns the lane's place in the grid.
    fn place_of_thread(&self) -> Option<ThreadCoordinates> {
        let launch = self.problem.launch;
        self.thread(self.warp, self.lane)?;
        let number = self.number(self.warp, self.lane) as u64;
        let (block, thread) = (self.block(), launch.block.place(number));
        Some(ThreadCoordinates {
            block: Some(block),
            thread: Some(thread),
            shape: (launch.grid, launch.block),
        })
    }

    /// Returns the elements of a lane's multiply-add, if that is what the warp has just done on a
    /// line.
    fn factors_at(&self, line: u32) -> Option<[Element; 3]> {
        let here = self.last_line() == Some(line);
        self.product(self.warp, self.lane).filter(|_| here)?.elements
    }

    /// Returns a lane's latest accesses that a line of the kernel's own file made.
    fn accesses_at(&self, line: u32) -> Vec<(&'a Last, bool)> {
        let Some(warp) = self.now().warps.get(self.warp) else { return Vec::new() };
        let all = [&warp.shared, &warp.global].into_iter().flatten();
        let here = all.filter(|last| {
            let inst = self.program.inst(last.pc);
            let own = self.program.other_file(last.pc).is_none();
            own && inst.line == Some(line) && last.access.active.has(self.lane)
        });
        here.map(|last| (last, warp.last == Some(last.pc))).collect()
    }

    /// Whether a word belongs to the `__shared__` array of this name.
    fn is_array(&self, word: u32, name: &str) -> bool {
        let byte = (u64::from(word) * WORD) as u32;
        let mut arrays = self.program.shared.iter();
        arrays.any(|array| array.name == name && byte.wrapping_sub(array.offset) < array.bytes)
    }

    /// Returns the number of the buffer at an address.
    fn buffer_at(&self, addr: u64) -> Option<usize> {
        let memory = self.machine().memory();
        let (buffer, _) = memory.locate(addr)?;
        memory.buffers().iter().position(|other| other.base == buffer.base)
    }

    /// Describes a name of a whole number that is known.
    fn whole(&self, source: &FunctionTokens<'_>, token: Lexeme<'_>) -> Option<Vec<Clause>> {
        let name = token.text;
        let launch = self.problem.launch;
        let (grid, block) = (launch.grid, self.block());
        let everywhere =
            ThreadCoordinates { block: None, thread: None, shape: (grid, launch.block) };
        let in_block = ThreadCoordinates { block: Some(block), ..everywhere };
        let said = |value: i64, whose: [String; 3]| {
            vec![Clause(whose.map(|whose| format!("{name} = {value}{whose}")))]
        };
        let same = |whose: String| std::array::from_fn(|_| whose.clone());
        if let Some(value) = source.value(name, everywhere, None) {
            let kind = match source.meaning(name) {
                Meaning::Parameter(..) => ", an argument: the same for every thread",
                _ => ", the same for every thread",
            };
            return Some(said(value, same(kind.to_owned())));
        }
        if let Some(value) = source.value(name, in_block, None) {
            let whose = format!(" for every thread of block ({})", block.place_in(grid));
            return Some(said(value, same(whose)));
        }
        let in_thread = self.place_of_thread()?;
        if let Some(value) = source.value(name, in_thread, None) {
            return Some(said(value, self.whom().map(|whom| format!(" for {whom}"))));
        }
        let lines = [token.line].into_iter().chain(self.lines_of_warp());
        let mut found = lines.filter_map(|line| {
            let (solved, now) = self.solved(source, line, in_thread)?;
            let itself = line == token.line && solved.0 == name;
            let counts = source.meaning(&solved.0) == Meaning::Varies(true);
            (itself || counts).then_some(())?;
            Some((source.value(name, in_thread, Some(&solved))?, line, now))
        });
        let (value, line, now) = found.next()?;
        let when =
            if now { "in this step".to_owned() } else { format!("when last on line {line}") };
        Some(said(value, self.whom().map(|whom| format!(" for {whom} {when}"))))
    }

    /// Returns the lines of the warp's last instruction and of its last accesses.
    fn lines_of_warp(&self) -> Vec<u32> {
        let warp = self.now().warps.get(self.warp);
        let last = warp.into_iter().flat_map(|warp| {
            let mut all: Vec<_> = [&warp.shared, &warp.global].into_iter().flatten().collect();
            all.sort_by_key(|last| std::cmp::Reverse(last.index));
            all
        });
        let own = last.filter(|last| self.program.other_file(last.pc).is_none());
        let accesses = own.filter_map(|last| self.program.inst(last.pc).line);
        self.last_line().into_iter().chain(accesses).collect()
    }

    /// Returns the name that a loop counts, with the value that follows from what a lane has
    /// touched on a line, and whether that is what its warp has just done.
    fn solved(
        &self,
        source: &FunctionTokens<'_>,
        line: u32,
        place: ThreadCoordinates,
    ) -> Option<(Solved, bool)> {
        let mut found: Option<(Solved, bool)> = None;
        for array in source.arrays(line) {
            let Some((cell, now)) = self.cell(source, array) else { continue };
            let indices = source.indices(line, array.text)?;
            for solved in solutions(source, &indices, &cell, place) {
                if found.as_ref().is_some_and(|(other, _)| *other != solved) {
                    return None;
                }
                found = Some((solved, now));
            }
        }
        found
    }

    /// Returns the indices with which a lane has touched an array on a line: of a matrix, which the
    /// source names by one, of a shared array one for each dimension.
    fn cell(&self, source: &FunctionTokens<'_>, token: Lexeme<'_>) -> Option<(Vec<i64>, bool)> {
        let flat = |element: Element| {
            let (_, columns) = self.problem.size.shape(element.operand);
            vec![i64::from(element.row) * i64::from(columns) + i64::from(element.column)]
        };
        match self.used(source, token)? {
            ArrayUse::Access(last, now) if last.access.bytes <= 4 => {
                let addr = last.access.addrs[self.lane];
                if last.access.space == Space::Shared {
                    return Some((self.in_array((addr / WORD) as u32)?, now));
                }
                let (buffer, offset) = self.machine().memory().locate(addr)?;
                let single = buffer.base % WORD == 0 && last.access.bytes == 4;
                single.then(|| (vec![(offset / WORD) as i64], now))
            }
            ArrayUse::Factor(element) => match self.slot(element) {
                Some(slot) => Some((self.in_array(slot)?, true)),
                None => Some((flat(element), true)),
            },
            ArrayUse::Stored(element) => Some((flat(element), false)),
            ArrayUse::Access(..) | ArrayUse::Named(_) | ArrayUse::Slot(_) => None,
        }
    }

    /// Returns the indices of a word in its array, if the array's extents are known.
    fn in_array(&self, word: u32) -> Option<Vec<i64>> {
        let byte = (u64::from(word) * WORD) as u32;
        if let Some(place::ArrayElement::Cell(name, row, column)) =
            self.places().in_shared(byte.into())
            && let Some(staged) = self.problem.staged_in(name)
        {
            let single = self.problem.element_type(staged.of) == ElementType::F32;
            return single.then(|| vec![row.into(), column.into()]);
        }
        let mut arrays = self.program.shared.iter();
        let array = arrays.find(|array| byte.wrapping_sub(array.offset) < array.bytes)?;
        let mut rest = (byte - array.offset) / WORD as u32;
        let words: u32 = array.extents.iter().product();
        let mut indices = Vec::new();
        for extent in array.extents.iter().rev() {
            indices.push(i64::from(rest % extent));
            rest /= extent;
        }
        indices.reverse();
        (words * WORD as u32 == array.bytes && !indices.is_empty()).then_some(indices)
    }

    /// Returns the warps that wait at the barrier of a line.
    fn at_barrier(&self, spot: SourcePosition) -> Vec<usize> {
        let here = |pc| {
            let own = self.program.other_file(pc).is_none();
            own && self.program.inst(pc).line == Some(spot.line)
        };
        let warps = self.now().warps.iter().enumerate();
        let waiting = warps
            .filter(|(_, warp)| warp.state == WarpState::Waiting && warp.last.is_some_and(here));
        waiting.map(|(number, _)| number).collect()
    }

    /// Describes a barrier: who waits for whom.
    fn barrier_at(&self, spot: SourcePosition) -> Vec<Clause> {
        let head = "__syncthreads()";
        let all = self.now().warps.iter().filter(|warp| warp.state != WarpState::Exited).count();
        let here = self.at_barrier(spot);
        let step = self.now().step.as_ref();
        let opens = step.filter(|step| step.released.is_some()).is_some_and(|step| {
            self.program.other_file(step.pc).is_none()
                && self.program.inst(step.pc).line == Some(spot.line)
        });
        if opens {
            return vec![Clause::of(format!("{head}: all have arrived, it opens"))];
        }
        if here.is_empty() {
            let rule = format!("no warp goes on before all {all} have arrived");
            return vec![
                Clause::of(format!("{head}: nobody waits here now")),
                Clause::useful(format!("; {rule}")),
            ];
        }
        let awaited = missing(&self.now().warps);
        vec![
            Clause::of(format!("{head}: {} of {all} warps are here", here.len())),
            Clause::of(format!(", {}", warps(&here))),
            Clause::of(match &awaited[..] {
                [] => String::new(),
                awaited => format!("; they wait for {}", warps(awaited)),
            }),
        ]
    }

    /// Explains a word of CUDA, with its value where it has one.
    fn built_in(&self, name: &str) -> Option<Vec<Clause>> {
        let (_, means) = WORDS.iter().find(|(word, _)| *word == name)?;
        let launch = self.problem.launch;
        let axes = |of: crate::launch::Dim3| format!(": ({},{},{})", of.x, of.y, of.z);
        let number = self.number(self.warp, self.lane) as u64;
        let is = match name {
            "threadIdx" => {
                let [_, _, whom] = self.whom();
                format!("{} for {whom}", axes(launch.block.place(number)))
            }
            "blockIdx" => axes(self.block()),
            "blockDim" => axes(launch.block),
            "gridDim" => axes(launch.grid),
            _ => String::new(),
        };
        Some(vec![Clause::of(name), Clause::of(is), Clause::of(format!(": {means}"))])
    }

    /// Says what kind of thing a name stands for.
    fn kind_of(&self, source: &FunctionTokens<'_>, name: &str) -> Clause {
        let shared = self.program.shared.iter().find(|array| array.name == name);
        if let Some(array) = shared {
            let words = Count(u64::from(array.bytes) / WORD, "word");
            return Clause::of(format!(
                "{name}: {words} of shared memory, one array for the whole block"
            ));
        }
        if let Some(number) = source.buffer(name) {
            let operands = self.problem.operands;
            let own = || self.problem.buffers.get(number - operands.len());
            let what = match operands.get(number) {
                Some(operand) => {
                    let (rows, columns) = self.problem.size.shape(*operand);
                    format!("matrix {}, {rows} x {columns}", operand.name())
                }
                None => own().map_or_else(
                    || "a buffer".to_owned(),
                    |buffer| format!("buffer {}, {}[{}]", buffer.name, buffer.of, buffer.count),
                ),
            };
            return Clause::of(format!("{name}: {what} in global memory"));
        }
        let name_only = name == self.problem.name();
        Clause::of(match source.meaning(name) {
            _ if name_only => format!("{name}: the kernel that is shown"),
            Meaning::Parameter(number, _) => match source.argument(number) {
                Some(value) => format!("{name} = {value}, an argument: the same for every thread"),
                None => format!("{name}: an argument, the same for every thread"),
            },
            Meaning::Float if source.is_sum(name) && self.single().is_some() => {
                let [_, _, whom] = self.whom();
                let of = self.single().map_or_else(String::new, |of| of.to_string());
                format!("{name}: the sum of {whom} for {of}, in a register")
            }
            Meaning::Float => {
                format!("{name}: a floating-point variable, each thread has its own")
            }
            Meaning::Varies(true) => {
                format!("{name}: counted by a loop; not known for this step")
            }
            Meaning::Varies(false) => {
                format!("{name}: a variable that changes, each thread has its own")
            }
            Meaning::Defined(_) => {
                format!("{name}: a whole number, each thread has its own; not known for this step")
            }
            Meaning::Macro(text) => format!("{name}: defined as {text}"),
            Meaning::Unknown => format!("{name}: its value is not known here"),
        })
    }

    /// Returns the only element of C that the lane computes.
    fn single(&self) -> Option<Element> {
        let single = self.problem.known?.variant.elements() == 1;
        match self.sums(self.warp, self.lane)[..] {
            [only] if single => Some(only),
            _ => None,
        }
    }

    /// Returns what belongs to a lane's part of an access.
    fn of_access(&self, last: &Last) -> Related {
        let touched: Vec<_> = of_lane(&last.access, self.lane).collect();
        if last.access.space != Space::Shared {
            let elements = self.elements_in(bytes_of(&last.access, self.lane));
            let words = elements.iter().filter_map(|element| self.slot(*element)).collect();
            return Related { elements, words, addresses: touched, lanes: Vec::new() };
        }
        let words: Vec<_> = touched.iter().map(|addr| (addr / WORD) as u32).collect();
        let elements: Vec<_> = words.iter().filter_map(|word| self.held(*word)).collect();
        let addresses = elements.iter().filter_map(|element| self.address(*element)).collect();
        Related { elements, words, addresses, lanes: Vec::new() }
    }
}

/// Returns the values of a name with which these indices are those of the cell.
fn solutions<'t>(
    source: &FunctionTokens<'t>,
    indices: &[Vec<Lexeme<'t>>],
    cell: &[i64],
    place: ThreadCoordinates,
) -> Vec<Solved> {
    if indices.len() != cell.len() {
        return Vec::new();
    }
    let pairs = indices.iter().zip(cell);
    pairs.filter_map(|(index, is)| source.solve(index, *is, place)).collect()
}
