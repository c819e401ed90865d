//! Arguments and a grid for a kernel that computes something else than A x B.

use super::{Guess, Kind, SINGLE, has_part, is_float};
use crate::kernel::args::typed;
use crate::kernel::buffer::Buffer;
use crate::kernel::extent::Extent;
use crate::kernel::launch_error::LaunchError;
use crate::kernel::proposal::{Proposal, rounded};
use crate::kernel::structure;
use crate::launch::Dim3;
use crate::matrix::ElementType;
use ptx::{Param, Type};

/// The number of elements in an example, if neither the launch nor the host's code gives it.
const USUAL: u64 = 4096;

/// The most elements of a buffer in an example, if the host's code does not say how many it has.
const MOST: u64 = 1 << 20;

/// Parts of the names of kernels whose input is sorted.
const SORTED: [&str; 5] = ["search", "merge", "lowerbound", "upperbound", "corank"];

/// The blocks in an example for blocks of two dimensions: this many along each side that the kernel
/// tells apart.
const SIDE: u32 = 4;

impl Guess<'_> {
    /// Returns options that the types of the parameters allow, with a buffer for each pointer and, if
    /// there is no usual one, a grid: an example. `None` if a parameter is a structure whose members
    /// are not known.
    pub(in crate::kernel) fn any(&self) -> Option<Proposal> {
        let kinds: Vec<_> = (0..self.params.len()).map(|place| self.kind_of(place)).collect();
        let integers = kinds.iter().filter(|kind| **kind == Kind::Integer).count();
        let is_flat = self.block.y == 1 && self.block.z == 1;
        let example = (self.grid.is_none() && !is_flat).then(|| self.usual_grid());
        let threads = self.grid.or(example).map(|grid| grid.volume() * self.block.volume());
        let count = self.host_count(&kinds).max(threads).unwrap_or(USUAL);
        // Of several numbers each is a side.
        let side = if integers > 1 { rounded(count.isqrt()) } else { count };
        let number = |place: usize| self.host_number(place).unwrap_or(side);
        // An array of as many dimensions has an element for each of these.
        let places = (0..kinds.len()).filter(|place| kinds[*place] == Kind::Integer);
        let all = places.map(number).fold(1, u64::saturating_mul);
        let count = count.max(all.min(MOST));
        let known = (0..kinds.len()).filter(|place| self.allocated(*place).is_some());
        let known = known.map(|place| self.name(place)).collect();
        let word = |(place, kind): (usize, &Kind)| {
            let name = self.name(place);
            match kind {
                Kind::Pointer => {
                    let (of, lanes) = self.element(place);
                    let starts = u64::from(of.is_integer() && is_of_starts(&name));
                    let count = self.allocated(place).unwrap_or((count + starts) * lanes);
                    format!("{name}:{of}[{count}]{}", self.contents(place))
                }
                Kind::Integer => format!("{name}={}", number(place)),
                Kind::Float => {
                    let suffix = if self.params[place].ty == Type::F32 { "f" } else { "" };
                    let number = self.host_float(place).unwrap_or_else(|| "1.0".to_owned());
                    format!("{name}={number}{suffix}")
                }
                Kind::Other => self
                    .source
                    .as_ref()
                    .and_then(|(text, types)| {
                        structure::own(text, types.get(place)?, &name, count, side)
                    })
                    .unwrap_or_default(),
                Kind::TensorMap | Kind::Unread => String::new(),
            }
        };
        let words: Vec<_> = kinds.iter().enumerate().map(word).collect();
        let words = words.join(",");
        typed(&words, self.params, self.size, SINGLE).ok()?;
        let guessed = (0..kinds.len()).filter(|place| self.host_number(*place).is_none());
        let guessed = guessed.map(|place| self.name(place)).collect();
        Some(Proposal { grid: example, words, known, guessed })
    }

    /// A grid in which no two blocks are the same to the kernel.
    fn usual_grid(&self) -> Dim3 {
        match (self.roles.upright, self.roles.flat) {
            (true, true) => Dim3::flat(1, 1),
            (true, false) => Dim3::flat(1, SIDE * SIDE),
            (false, true) => Dim3::flat(SIDE * SIDE, 1),
            (false, false) => Dim3::flat(SIDE, SIDE),
        }
    }

    /// The type of the elements behind a pointer, and how many of them one that is declared has.
    fn element(&self, place: usize) -> (ElementType, u64) {
        let declared = self.declared.get(place).copied().flatten();
        let used = self.types.get(place).copied().flatten();
        let of = declared.map(|one| one.of).or(used).unwrap_or_default();
        (of, declared.map_or(1, |one| one.lanes.into()))
    }

    /// The elements that the host allocates for a pointer.
    fn allocated(&self, place: usize) -> Option<u64> {
        let count = self.called.bytes(place)? / self.element(place).0.bytes() as u64;
        (count > 0).then_some(count)
    }

    /// What a buffer has to hold before the launch, if it is not the usual: what atomics add to, the
    /// host zeroes; what is searched is sorted.
    fn contents(&self, place: usize) -> &'static str {
        let only_read = self.roles.is_read(place) && !self.roles.is_stored(place);
        if self.roles.is_added_to(place) {
            "=0"
        } else if only_read && has_part(self.kernel, &SORTED) {
            "=ascending"
        } else {
            ""
        }
    }

    /// The kind of a parameter: what addresses are computed from is a pointer; if nothing is known
    /// of that, any value of 64 bits.
    fn kind_of(&self, place: usize) -> Kind {
        let Param { ty, bytes, .. } = self.params[place];
        let followed = (0..self.params.len()).any(|place| self.roles.is_accessed(place));
        let is_pointer = ty.bits() == 64 && (self.roles.is_accessed(place) || !followed);
        match ty {
            _ if bytes != ty.bytes() || self.roles.is_map(place) => Kind::Other,
            _ if is_float(ty) => Kind::Float,
            _ if is_pointer => Kind::Pointer,
            _ => Kind::Integer,
        }
    }

    /// A name for a parameter: that of the source, or one by its position.
    fn name(&self, place: usize) -> String {
        let known = self.names.get(place).filter(|_| self.names.len() == self.params.len());
        let is_free = |name: &&String| {
            let once = self.names.iter().filter(|other| other == name).count() == 1;
            once && !matches!(&***name, "alpha" | "beta" | "numba")
        };
        known.filter(is_free).cloned().unwrap_or_else(|| format!("p{}", place + 1))
    }

    /// The options of [`Self::any`], where the host's code says all that is in them: the launch, the
    /// bytes of each buffer and each number.
    pub(in crate::kernel) fn any_of_host(&self) -> Option<String> {
        let is_said = |place: usize| match self.kind_of(place) {
            Kind::Pointer => self.called.bytes(place).is_some_and(|bytes| bytes > 0),
            Kind::Integer => self.host_number(place).is_some(),
            Kind::Float => self.host_float(place).is_some(),
            Kind::TensorMap | Kind::Unread | Kind::Other => false,
        };
        let all = self.grid.is_some() && (0..self.params.len()).all(is_said);
        let options = all.then(|| self.any()).flatten()?;
        Some(options.words)
    }

    /// The number that the host's code gives for a parameter, or the source as its default.
    fn host_number(&self, place: usize) -> Option<u64> {
        let word = self.word(place)?;
        let size = || Extent::of(word)?.value(self.size).map(u64::from);
        let number = word.parse().ok().or_else(size);
        number.filter(|number| *number > 0)
    }

    /// The numbers for which the host's code passes the name of a size, with the size that is taken, as
    /// `n=1024`.
    pub(in crate::kernel) fn sizes(&self) -> Vec<String> {
        let is_named = |place: &usize| {
            let word = self.word(*place).filter(|_| self.kind_of(*place) == Kind::Integer);
            word.is_some_and(|word| word.parse::<u64>().is_err())
        };
        let number = |place| Some(format!("{}={}", self.name(place), self.host_number(place)?));
        (0..self.params.len()).filter(is_named).filter_map(number).collect()
    }

    /// The float that the host's code gives for a parameter.
    fn host_float(&self, place: usize) -> Option<String> {
        let word = self.word(place)?.rsplit('=').next()?.trim_end_matches(['f', 'F']);
        let number: f64 = word.parse().ok()?;
        number.is_finite().then(|| format!("{number:?}"))
    }

    /// The number of elements in the host's code: the only number that it gives.
    fn host_count(&self, kinds: &[Kind]) -> Option<u64> {
        let integers = (0..kinds.len()).filter(|place| kinds[*place] == Kind::Integer);
        let mut numbers = integers.map(|place| self.host_number(place));
        numbers.next().flatten().filter(|_| numbers.next().is_none())
    }
}

/// Whether a buffer of this name holds where parts begin, and at its end where the last one ends: the
/// rows of a sparse matrix.
fn is_of_starts(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    ["ptr", "offsets", "starts"].iter().any(|end| name.ends_with(end))
}

/// The type of the elements of a buffer that is accessed so; compilers write `.u32` for an `int`.
pub const fn element_type(ty: Type) -> Option<ElementType> {
    Some(match ty {
        Type::F32 => ElementType::F32,
        Type::F64 => ElementType::F64,
        Type::F16 | Type::F16x2 => ElementType::F16,
        Type::Bf16 | Type::Bf16x2 => ElementType::Bf16,
        Type::S8 => ElementType::I8,
        Type::U8 | Type::B8 => ElementType::U8,
        Type::S16 => ElementType::I16,
        Type::U16 | Type::B16 => ElementType::U16,
        Type::S32 | Type::U32 => ElementType::I32,
        Type::B32 => ElementType::U32,
        Type::S64 => ElementType::I64,
        Type::U64 | Type::B64 => ElementType::U64,
        _ => return None,
    })
}

/// Returns a grid with a thread for each element of the longest buffer, and that buffer's name.
///
/// # Errors
/// The block has more than one dimension, for which there are many such grids.
pub(in crate::kernel) fn grid_over(
    buffers: &[Buffer],
    block: Dim3,
) -> Result<(Dim3, &str), LaunchError> {
    let longest = buffers.iter().rev().max_by_key(|buffer| buffer.count);
    let blocks = longest.map_or(1, |buffer| buffer.count.div_ceil(block.volume().max(1)));
    match (i32::try_from(blocks), longest) {
        (Ok(blocks), Some(buffer)) if block.y == 1 && block.z == 1 => {
            Ok((Dim3::flat(blocks.unsigned_abs(), 1), &buffer.name))
        }
        _ => Err(LaunchError::NoGrid),
    }
}
