//! Numba's parameters: an array is one for Python and several for the PTX.

use super::entry::mangled_types;
use super::inferred::BufferArgs;
use crate::matrix::Operand;
use ptx::{Function, Param};

/// The values before the shape: meminfo, parent, nitems, itemsize, data.
const BEFORE_SHAPE: usize = 5;

/// The place of the pointer to the elements among them.
const DATA: usize = 4;

/// The parameters of a kernel as its Python has them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct NumbaParameters(Vec<NumbaParameter>);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct NumbaParameter {
    /// The place in the PTX of a number, or of the pointer to an array's elements.
    place: usize,
    /// The dimensions of an array.
    dims: Option<usize>,
}

impl NumbaParameters {
    /// Those that a kernel's mangled name tells, `Array<float, 2, C, mutable, aligned>`, if they make up
    /// all of the PTX; `None` if no parameter is an array.
    pub(super) fn of(function: &Function) -> Option<Self> {
        let (mut all, mut next) = (Vec::new(), 0);
        for of in mangled_types(&function.name) {
            let dims = of.strip_prefix("Array<").map(|rest| rest.split(", ").nth(1)?.parse().ok());
            let (place, dims, count) = match dims {
                None => (next, None, 1),
                Some(dims) => {
                    let dims: usize = dims?;
                    (next + DATA, Some(dims), BEFORE_SHAPE + 2 * dims)
                }
            };
            all.push(NumbaParameter { place, dims });
            next += count;
        }
        let is_whole = next == function.params.len();
        (is_whole && all.iter().any(|one| one.dims.is_some())).then_some(Self(all))
    }

    /// The places of the numbers and of the pointers in the PTX.
    pub(super) fn places(&self) -> Vec<usize> {
        self.0.iter().map(|one| one.place).collect()
    }

    /// The parameters of these places.
    pub(super) fn among(&self, params: &[Param]) -> Vec<Param> {
        self.0.iter().filter_map(|one| params.get(one.place).cloned()).collect()
    }

    /// The words of `--launch` for the PTX's parameters, of those for the Python's.
    pub(super) fn words(&self, words: &str) -> String {
        let usual = Operand::ALL.map(Operand::name).join(",");
        if words == usual && self.0.iter().all(|one| one.dims == Some(2)) {
            return "numba".to_owned();
        }
        let word = |(word, one): (&str, &NumbaParameter)| match one.dims {
            None => word.to_owned(),
            Some(1) if !word.contains('[') => format!("numba1d:{word}"),
            Some(_) => format!("numba:{word}"),
        };
        words.split(',').zip(&self.0).map(word).collect::<Vec<_>>().join(",")
    }

    /// The same of words that declare buffers.
    pub(super) fn buffers(&self, mut buffers: BufferArgs) -> BufferArgs {
        buffers.words = self.words(&buffers.words);
        buffers
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(types: &str, params: usize) -> Option<NumbaParameters> {
        let params: Vec<_> = (0..params).map(|at| format!(".param .u64 p{at}")).collect();
        let text = format!(
            ".version 8.0\n.target sm_80\n.address_size 64\n\
             .visible .entry _ZN4fast4kernB2v1B6cw51cXE{types}({})\n{{\nret;\n}}\n",
            params.join(", ")
        );
        NumbaParameters::of(&ptx::parse(&text).expect("PTX").functions[0])
    }

    const TWO: &str = "5ArrayIfLi2E1C7mutable7alignedE";
    const ONE: &str = "5ArrayIfLi1E1C7mutable7alignedE";

    #[test]
    fn the_mangled_name_tells_arrays_from_numbers() {
        let three = of(&TWO.repeat(3), 27).expect("arrays");
        assert_eq!(three.places(), [4, 13, 22]);
        assert_eq!(three.words("A,B,C"), "numba");
        assert_eq!(three.words("C,A,B"), "numba:C,numba:A,numba:B");
        let mixed = of(&format!("{ONE}{TWO}x"), 17).expect("arrays");
        assert_eq!(mixed.places(), [4, 11, 16]);
        assert_eq!(mixed.words("A,B,N"), "numba1d:A,numba:B,N");
        assert_eq!(mixed.words("x:f32[8],y:f32[4][2],n=3"), "numba:x:f32[8],numba:y:f32[4][2],n=3");
        assert_eq!(of(&TWO.repeat(3), 26), None, "another number of parameters");
        assert_eq!(of("xx", 2), None, "no array");
    }
}
