//! Arguments for a kernel that computes something else than A x B: what the host's code says of each.

use super::{Guess, ParameterKind, is_float};
use crate::kernel::args_error::{COUNT, NUMBER};
use crate::kernel::buffer::Buffer;
use crate::kernel::extent::SizeName;
use crate::kernel::launch_error::LaunchError;
use crate::kernel::structure;
use crate::launch::Dim3;
use crate::matrix::ElementType;
use ptx::{Param, Type};

/// Words of `--launch` with a buffer for each pointer.
pub(in crate::kernel) struct BufferArgs {
    pub(in crate::kernel) words: String,
    /// Whether nothing in them is left to be stated.
    pub(in crate::kernel) is_complete: bool,
}

impl Guess<'_> {
    /// The words for the parameters by their names and types, with the numbers of the host's code, and
    /// a word that stands for each of the others. `None` if a parameter is a structure with other members.
    pub(in crate::kernel) fn buffers(&self) -> Option<BufferArgs> {
        let mut is_complete = self.grid.is_some();
        let mut said = |value: Option<String>, open: &str| {
            is_complete &= value.is_some();
            value.unwrap_or_else(|| open.to_owned())
        };
        let word = |place: usize| {
            let name = self.name(place);
            Some(match self.kind_of(place) {
                ParameterKind::Pointer => {
                    let of = self.element(place);
                    let count = said(self.allocated(place).map(|count| count.to_string()), COUNT);
                    // What atomics add to, the host zeroes.
                    let contents = if self.roles.is_added_to(place) { "=0" } else { "" };
                    format!("{name}:{of}[{count}]{contents}")
                }
                ParameterKind::Integer => {
                    let number = self.host_number(place).map(|number| number.to_string());
                    let is_narrow = self.params[place].ty.bits() < 32;
                    format!("{name}={}", said(number, if is_narrow { "1" } else { NUMBER }))
                }
                ParameterKind::Float => {
                    let suffix = if self.params[place].ty == Type::F32 { "f" } else { "" };
                    let number = self.host_float(place).map(|number| number + suffix);
                    format!("{name}={}", said(number, &format!("1.0{suffix}")))
                }
                ParameterKind::Other
                    if self.params[place].bytes != self.params[place].ty.bytes() =>
                {
                    let (text, types) = self.source.as_ref()?;
                    let own = structure::own_words(text, types.get(place)?, &name)?;
                    said(None, &own)
                }
                ParameterKind::Other | ParameterKind::TensorMap | ParameterKind::Unread => {
                    return None;
                }
            })
        };
        let words: Vec<_> = (0..self.params.len()).map(word).collect::<Option<_>>()?;
        Some(BufferArgs { words: words.join(","), is_complete })
    }

    /// The type of the elements behind a pointer.
    fn element(&self, place: usize) -> ElementType {
        let declared = self.declared.get(place).copied().flatten().map(|one| one.of);
        declared.or(self.types.get(place).copied().flatten()).unwrap_or_default()
    }

    /// The elements that the host allocates for a pointer.
    fn allocated(&self, place: usize) -> Option<u64> {
        let count = self.called.bytes(place)? / self.element(place).bytes() as u64;
        (count > 0).then_some(count)
    }

    /// The kind of a parameter: what addresses are computed from is a pointer; if nothing is known
    /// of that, any value of 64 bits.
    fn kind_of(&self, place: usize) -> ParameterKind {
        let Param { ty, bytes, .. } = self.params[place];
        let followed = (0..self.params.len()).any(|place| self.roles.is_accessed(place));
        let is_pointer = ty.bits() == 64 && (self.roles.is_accessed(place) || !followed);
        match ty {
            _ if bytes != ty.bytes() || self.roles.is_map(place) => ParameterKind::Other,
            _ if is_float(ty) => ParameterKind::Float,
            _ if is_pointer => ParameterKind::Pointer,
            _ => ParameterKind::Integer,
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

    /// The number that the host's code gives for a parameter, or the source as its default.
    fn host_number(&self, place: usize) -> Option<u64> {
        let word = self.word(place)?;
        let size = || SizeName::of(word)?.value(self.size).map(u64::from);
        let number = word.parse().ok().or_else(size);
        number.filter(|number| *number > 0)
    }

    /// The numbers for which the host's code passes the name of a size, with the size that is taken, as
    /// `n=1024`.
    pub(in crate::kernel) fn sizes(&self) -> Vec<String> {
        let is_named = |place: &usize| {
            let word = self.word(*place).filter(|_| self.kind_of(*place) == ParameterKind::Integer);
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
