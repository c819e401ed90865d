//! Variables: where they live, how large they are, and what they hold at the start.

use super::Parser;
use crate::ptx::ast::{Image, Pointer, Scope, Variable};
use crate::ptx::error::ParseError;
use crate::ptx::lexer::TokenKind;
use crate::ptx::types::{Space, Type};

/// The greatest alignment that is taken: beyond it nothing is gained on any GPU.
const MAX_ALIGN: u32 = 4096;

/// Most dimensions of an array.
const MAX_SIDES: usize = 16;

/// Most bytes that an initialiser may spell out.
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

    /// `.attribute(.managed)` says who else may read it, which changes nothing here.
    fn attribute(&mut self) -> Result<(), ParseError> {
        if self.kind() == Some(TokenKind::Word(".attribute")) {
            self.at += 1;
            while !self.take(')') {
                self.next("`)`")?;
            }
        }
        Ok(())
    }

    /// `.v2`, `.v4`: elements of a vector, or 1.
    fn vector_elements(&mut self) -> u32 {
        let elements = match self.kind() {
            Some(TokenKind::Word(".v2")) => 2,
            Some(TokenKind::Word(".v4")) => 4,
            _ => return 1,
        };
        self.at += 1;
        elements
    }

    /// `[3][4] {= values}`: size in bytes, and what is there at the start.
    fn contents(
        &mut self,
        space: Space,
        ty: Type,
        elements: u32,
    ) -> Result<(u32, Image), ParseError> {
        let mut sides = Vec::new();
        while let Some(count) = self.elements()? {
            sides.push(count);
            if sides.len() > MAX_SIDES {
                return Err(self.unexpected(&format!("at most {MAX_SIDES} dimensions")));
            }
        }
        let open = sides.first() == Some(&0);
        let mut image = Image::default();
        if self.take('=') {
            if !matches!(space, Space::Global | Space::Const) {
                return Err(self.unexpected("`;`: only .global and .const are initialised"));
            }
            Filling { parser: self, ty, sides: &sides, elements, image: &mut image }.value(0, 0)?;
        }
        let size = sides.iter().try_fold(ty.bytes() * elements, |size, n| size.checked_mul(*n));
        let size = size.ok_or_else(|| self.unexpected("a smaller array"))?;
        let filled = image.bytes.len() as u32;
        if filled > size && !open {
            return Err(self.unexpected("fewer values: there are more than the array holds"));
        }
        Ok((size.max(filled), image))
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
        ty.ok_or_else(|| ParseError::new(token.span, "expected a type that is supported"))
    }
}

/// An initialiser on its way into bytes.
struct Filling<'f, 'a> {
    parser: &'f mut Parser<'a>,
    ty: Type,
    sides: &'f [u32],
    elements: u32,
    image: &'f mut Image,
}

impl Filling<'_, '_> {
    /// A number, or a list in braces of what lies one dimension further in, at byte `at`.
    fn value(&mut self, depth: usize, at: u32) -> Result<(), ParseError> {
        if let Some(TokenKind::String(text)) = self.parser.kind() {
            return self.text(text, at);
        }
        if !self.parser.take('{') {
            return self.number(at);
        }
        let size = self.inner_bytes(depth).ok_or_else(|| self.parser.unexpected("a number"))?;
        let mut place = at;
        while !self.parser.take('}') {
            self.value(depth + 1, place)?;
            place = place.saturating_add(size);
            if !self.parser.take(',') {
                return self.parser.sign('}');
            }
        }
        Ok(())
    }

    /// Bytes of one item of a list at `depth`: what the dimensions behind it make together.
    fn inner_bytes(&self, depth: usize) -> Option<u32> {
        let lists = self.sides.len() + usize::from(self.elements > 1);
        (depth < lists).then_some(())?;
        let inner = self.sides.get(depth + 1..).unwrap_or_default();
        let vector = if depth < self.sides.len() { self.elements } else { 1 };
        inner.iter().try_fold(self.ty.bytes() * vector, |bytes, side| bytes.checked_mul(*side))
    }

    /// A text in bytes, one of each character.
    fn text(&mut self, text: &str, at: u32) -> Result<(), ParseError> {
        if self.ty.bits() != 8 {
            return Err(self.parser.unexpected("a number"));
        }
        self.parser.at += 1;
        text.bytes().enumerate().try_for_each(|(index, byte)| self.put(at + index as u32, &[byte]))
    }

    fn number(&mut self, at: u32) -> Result<(), ParseError> {
        let negative = self.parser.take('-');
        let token = self.parser.next("a number")?;
        let bits = match token.kind {
            TokenKind::Word(name) if !negative => return self.pointer(name, at),
            TokenKind::Integer(value) if !self.ty.is_float() => {
                if negative {
                    value.wrapping_neg()
                } else {
                    value
                }
            }
            TokenKind::Float32(bits) if self.ty.bits() == 32 && !negative => u64::from(bits),
            TokenKind::Float64(bits) if self.ty.bits() == 64 && !negative => bits,
            _ => return Err(ParseError::new(token.span, "expected a value of the array's type")),
        };
        self.put(at, &bits.to_le_bytes()[..self.ty.bytes() as usize])
    }

    /// `name`, `generic(name)`, either with `+ bytes`.
    fn pointer(&mut self, name: &str, at: u32) -> Result<(), ParseError> {
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
        self.put(at, &[0; 8][..bytes as usize])?;
        self.image.pointers.push(Pointer { at, bytes, name, offset, generic });
        Ok(())
    }

    fn put(&mut self, at: u32, value: &[u8]) -> Result<(), ParseError> {
        let (at, end) = (at as usize, at as usize + value.len());
        if end > MAX_IMAGE as usize {
            return Err(self.parser.unexpected("a smaller array"));
        }
        if self.image.bytes.len() < end {
            self.image.bytes.resize(end, 0);
        }
        self.image.bytes[at..end].copy_from_slice(value);
        Ok(())
    }
}
