//! Variables: their space, their size and their initial value.

use super::Parser;
use crate::ast::{InitialImage, Operand, Scope, StoredAddress, Variable, narrowed};
use crate::error::ParseError;
use crate::lexer::TokenKind;
use crate::types::{Space, Type};

/// Maximum alignment that ptxas accepts.
const MAX_ALIGN: u32 = 1 << 31;

/// Maximum number of dimensions of an array.
const MAX_SIDES: usize = 16;

/// Maximum size of an initialiser in bytes.
const MAX_IMAGE: u32 = 64 << 20;

impl Parser<'_> {
    /// `.space {.align 16} {.v4} .b8 name[1024] {= values}{, ..};`
    pub(super) fn variables(
        &mut self,
        external: bool,
        scope: Scope,
    ) -> Result<Vec<Variable>, ParseError> {
        let token = self.next("a state space")?;
        let space = match token.kind {
            TokenKind::Word(word) => word.strip_prefix('.').and_then(Space::from_word),
            _ => None,
        };
        let space = space.ok_or_else(|| ParseError::new(token.span, "expected a state space"))?;
        self.attribute()?;
        let (align, elements) = (self.alignment()?, self.vector_elements());
        let ty = self.ty()?;
        let align = align.max(ty.bytes() * elements);
        let mut variables = Vec::new();
        loop {
            let name = self.name("a variable's name")?.to_owned();
            let span = token.span.to(self.span());
            let (bytes, image) = self.contents(space, ty, elements)?;
            variables.push(Variable { name, space, align, bytes, external, image, scope, span });
            if !self.take(',') {
                self.sign(';')?;
                return Ok(variables);
            }
        }
    }

    /// `.attribute(.managed)` says that the host may access the variable too, which changes nothing
    /// here.
    fn attribute(&mut self) -> Result<(), ParseError> {
        if self.kind() == Some(TokenKind::Word(".attribute")) {
            self.at += 1;
            while !self.take(')') {
                self.next("`)`")?;
            }
        }
        Ok(())
    }

    /// `.v2`, `.v4`: the number of elements of a vector, or 1.
    fn vector_elements(&mut self) -> u32 {
        let elements = match self.kind() {
            Some(TokenKind::Word(".v2")) => 2,
            Some(TokenKind::Word(".v4")) => 4,
            _ => return 1,
        };
        self.at += 1;
        elements
    }

    /// `[3][4] {= values}`: the size in bytes and the initial value.
    fn contents(
        &mut self,
        space: Space,
        ty: Type,
        elements: u32,
    ) -> Result<(u32, InitialImage), ParseError> {
        let mut sides = Vec::new();
        while let Some(count) = self.elements()? {
            sides.push(count);
            if sides.len() > MAX_SIDES {
                return Err(self.unexpected(&format!("at most {MAX_SIDES} dimensions")));
            }
        }
        let mut image = InitialImage::default();
        if self.take('=') {
            if !matches!(space, Space::Global | Space::Const) {
                return Err(self.unexpected("`;`: only .global and .const are initialised"));
            }
            InitialiserBytes { parser: self, ty, sides: &mut sides, elements, image: &mut image }
                .value(0)?;
        }
        let size = sides.iter().try_fold(ty.bytes() * elements, |size, n| size.checked_mul(*n));
        let size = size.ok_or_else(|| self.unexpected("a smaller array"))?;
        Ok((size, image))
    }

    /// `.align N`, or 1.
    pub(super) fn alignment(&mut self) -> Result<u32, ParseError> {
        if !matches!(self.kind(), Some(TokenKind::Word(".align"))) {
            return Ok(1);
        }
        self.at += 1;
        let span = self.span();
        let align = self.small()?;
        if align.is_power_of_two() && align <= MAX_ALIGN {
            return Ok(align);
        }
        Err(ParseError::new(span, format!("an alignment is a power of two up to {MAX_ALIGN}")))
    }

    /// `[N]`, `[]` (0), or nothing.
    pub(super) fn elements(&mut self) -> Result<Option<u32>, ParseError> {
        if !self.take('[') {
            return Ok(None);
        }
        if self.take(']') {
            return Ok(Some(0));
        }
        let count = self.small()?;
        self.sign(']')?;
        Ok(Some(count))
    }

    /// `.f32` as a token of its own.
    pub(super) fn ty(&mut self) -> Result<Type, ParseError> {
        let token = self.next("a type")?;
        let ty = match token.kind {
            TokenKind::Word(word) => word.strip_prefix('.').and_then(Type::from_word),
            _ => None,
        };
        ty.ok_or_else(|| ParseError::unsupported(token.span, "expected a type that is supported"))
    }
}

/// Converts an initialiser to bytes.
///
/// ptxas (12.9) requires exactly one level of lists for each dimension and one for a vector. The
/// values are stored consecutively, whatever lists they are in: a list that is shorter than its
/// dimension is not padded, and all the zeros come at the end.
struct InitialiserBytes<'f, 'a> {
    parser: &'f mut Parser<'a>,
    ty: Type,
    /// The dimensions. An open first dimension (`[]`) takes the length of its list.
    sides: &'f mut [u32],
    elements: u32,
    image: &'f mut InitialImage,
}

impl InitialiserBytes<'_, '_> {
    /// A number, or a list in braces for the next inner dimension.
    fn value(&mut self, depth: usize) -> Result<(), ParseError> {
        if depth == self.sides.len() + usize::from(self.elements > 1) {
            return self.number();
        }
        self.parser.sign('{')?;
        let (mut count, mut more) = (0, !self.parser.take('}'));
        while more {
            self.value(depth + 1)?;
            count += 1;
            more = self.parser.take(',');
            if !more {
                self.parser.sign('}')?;
            }
        }
        self.counted(depth, count)
    }

    /// Checks the number of items of a list at `depth`.
    fn counted(&mut self, depth: usize, count: u32) -> Result<(), ParseError> {
        let right = match self.sides.get_mut(depth) {
            Some(side @ 0) if depth == 0 => {
                *side = count;
                true
            }
            Some(side) => count <= *side,
            None => count == self.elements,
        };
        if right {
            return Ok(());
        }
        let of_vector = depth == self.sides.len();
        Err(self.parser.unexpected(if of_vector {
            "a value for each element of the vector"
        } else {
            "fewer values: there are more than the array holds"
        }))
    }

    fn number(&mut self) -> Result<(), ParseError> {
        let span = self.parser.span();
        let bits = match self.parser.operand()? {
            Operand::Name(name, _) => return self.pointer(&name),
            Operand::Integer(value) if !self.ty.is_float() => value,
            Operand::Float32(bits) if self.ty.bits() == 32 => u64::from(bits),
            Operand::Float64(bits) if self.ty.bits() == 64 => bits,
            Operand::Float64(bits) if matches!(self.ty, Type::F32 | Type::B32) => {
                u64::from(narrowed(bits))
            }
            _ => return Err(ParseError::new(span, "expected a value of the array's type")),
        };
        self.put(&bits.to_le_bytes()[..self.ty.bytes() as usize])
    }

    /// `name`, `generic(name)`, either with `+ bytes`.
    fn pointer(&mut self, name: &str) -> Result<(), ParseError> {
        let bytes = self.ty.bytes();
        if self.ty.is_float() || bytes < 4 {
            return Err(self.parser.unexpected("a number: an address takes 4 or 8 bytes"));
        }
        let generic = name == "generic" && self.parser.take('(');
        let name = if generic { self.parser.name("a variable")? } else { name }.to_owned();
        if generic {
            self.parser.sign(')')?;
        }
        let offset = self.parser.displacement()?;
        let at = self.image.bytes.len() as u32;
        self.put(&[0; 8][..bytes as usize])?;
        self.image.pointers.push(StoredAddress { at, bytes, name, offset, generic });
        Ok(())
    }

    /// Appends the next value.
    fn put(&mut self, value: &[u8]) -> Result<(), ParseError> {
        if self.image.bytes.len() + value.len() > MAX_IMAGE as usize {
            return Err(self.parser.unexpected("a smaller array"));
        }
        self.image.bytes.extend_from_slice(value);
        Ok(())
    }
}
