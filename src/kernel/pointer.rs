//! The words of `--launch` that stand for a matrix or for how it lies in memory: `A:f64`, `B:col`,
//! `C=0`, `lda=1028`.

use super::args_error::ArgsError;
use crate::matrix::{ElementType, Layout, Major, Operand, Size};

/// A pointer to a matrix, and what its word says of the matrix.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct MatrixPointer {
    pub(super) operand: Operand,
    of: Option<ElementType>,
    major: Option<Major>,
    zeroed: bool,
}

/// What all words together say of the matrices.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct StatedLayouts {
    pub(super) of: [Option<ElementType>; 3],
    major: [Option<Major>; 3],
    lead: [Option<u32>; 3],
    pub(super) zeroed: bool,
}

/// The leading dimensions, as BLAS names them.
const LEADS: [(Operand, &str); 3] = [(Operand::A, "lda"), (Operand::B, "ldb"), (Operand::C, "ldc")];

impl MatrixPointer {
    /// A pointer to a matrix of elements of this type, in this order if that is known.
    pub(super) fn to(operand: Operand, of: ElementType, major: Option<Major>) -> Self {
        Self { operand, of: Some(of), major, zeroed: false }
    }
}

/// The pointer that a word stands for, or `None` for a word of another kind.
///
/// # Errors
/// What follows the matrix is neither an element type nor `col`, nor `=0` for C.
pub(super) fn pointer(word: &str) -> Option<Result<MatrixPointer, ArgsError>> {
    let (text, zeroed) = word.strip_suffix("=0").map_or((word, false), |text| (text, true));
    let (name, rest) = text.split_once(':').map_or((text, None), |(name, rest)| (name, Some(rest)));
    let operand = Operand::ALL.into_iter().find(|operand| operand.name() == name)?;
    let mut pointer = MatrixPointer { operand, of: None, major: None, zeroed };
    let fault = || ArgsError::Matrix(word.to_owned());
    if zeroed && operand != Operand::C {
        return Some(Err(fault()));
    }
    for part in rest.into_iter().flat_map(|rest| rest.split(':')) {
        match part.parse() {
            Ok(of) if pointer.of.is_none() => pointer.of = Some(of),
            Err(_) if part == "col" && pointer.major.is_none() => {
                pointer.major = Some(Major::Column);
            }
            _ => return Some(Err(fault())),
        }
    }
    Some(Ok(pointer))
}

/// The matrix whose leading dimension a word stands for, and the value that it gives it.
pub(super) fn lead(word: &str) -> Option<Result<(Operand, Option<u32>), ArgsError>> {
    let (name, value) = word.split_once('=').map_or((word, None), |(name, v)| (name, Some(v)));
    let (operand, _) = LEADS.into_iter().find(|(_, lead)| *lead == name)?;
    let value =
        value.map(|value| value.parse().ok().ok_or_else(|| ArgsError::Word(word.to_owned())));
    Some(value.transpose().map(|value| (operand, value)))
}

impl StatedLayouts {
    /// Adds what a pointer's word says.
    pub(super) fn add(&mut self, word: &str, pointer: MatrixPointer) -> Result<(), ArgsError> {
        let at = pointer.operand as usize;
        let differs = pointer.of.is_some_and(|of| self.of[at].is_some_and(|known| known != of));
        if differs {
            return Err(ArgsError::Twice(word.to_owned()));
        }
        self.of[at] = self.of[at].or(pointer.of);
        self.major[at] = self.major[at].or(pointer.major);
        self.zeroed |= pointer.zeroed;
        Ok(())
    }

    /// Adds the value of a leading dimension.
    ///
    /// # Errors
    /// Another word gives another value.
    pub(super) fn add_lead(
        &mut self,
        word: &str,
        operand: Operand,
        value: Option<u32>,
    ) -> Result<(), ArgsError> {
        let known = &mut self.lead[operand as usize];
        if known.is_some() && value.is_some() && *known != value {
            return Err(ArgsError::Twice(word.to_owned()));
        }
        *known = known.or(value);
        Ok(())
    }

    /// How the matrices lie in memory, where `types` are the types that nothing states.
    ///
    /// # Errors
    /// A leading dimension that is less than a row (or column), or too large.
    pub(super) fn layouts(
        &self,
        size: Size,
        types: [ElementType; 3],
    ) -> Result<[Layout; 3], ArgsError> {
        let mut layouts = [Layout::default(); 3];
        for (operand, name) in LEADS {
            let at = operand as usize;
            let of = self.of[at].unwrap_or(types[at]);
            let layout = Layout { of, major: self.major[at].unwrap_or_default(), lead: None };
            let shape = size.shape(operand);
            let least = layout.least_lead(shape);
            let lead = self.lead[at].filter(|lead| *lead != least);
            let layout = Layout { lead, ..layout };
            let fits = || i32::try_from(layout.places(shape)).is_ok();
            if lead.is_some_and(|lead| lead < least || !fits()) {
                return Err(ArgsError::Lead { name, least, lead: lead.unwrap_or(0) });
            }
            layouts[at] = layout;
        }
        Ok(layouts)
    }
}
