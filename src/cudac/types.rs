//! Types, their sizes and their names in CUDA C and in PTX.

use std::fmt;
use std::rc::Rc;

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Scalar {
    Bool,
    I8,
    U8,
    I16,
    U16,
    I32,
    U32,
    I64,
    U64,
    F32,
    F64,
    F16,
    BF16,
    F16x2,
    BF16x2,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Space {
    Global,
    Shared,
    Local,
    Constant,
    /// Any of them: the address itself says which.
    Generic,
}

#[derive(Clone, Debug, PartialEq)]
pub(super) enum Type {
    Void,
    Scalar(Scalar),
    /// Two to four numbers, `float4`.
    Vector(Scalar, u32),
    /// A pointer: to what, and where, as soon as that is known.
    Pointer(Box<Pointer>),
    /// An array: of what, and how many.
    Array(Box<Type>, u32),
    Struct(Rc<Struct>),
    /// A pointer to a function.
    Function(Rc<Signature>),
}

/// What a function takes and returns.
#[derive(Debug, PartialEq)]
pub(super) struct Signature {
    pub returns: Type,
    pub parameters: Vec<Type>,
}

/// A structure: its members one after another, each where its type can be accessed; or a union, whose
/// members all begin where it does.
#[derive(Debug)]
pub(super) struct Struct {
    pub name: Rc<str>,
    pub members: Vec<Member>,
    pub bytes: u64,
    /// What its address is a multiple of.
    pub align: u64,
}

#[derive(Debug)]
pub(super) struct Member {
    /// Empty for a base, and for a structure without a name: their members are found by their own names.
    pub name: Rc<str>,
    pub ty: Type,
    pub offset: u64,
}

// No two structures of a source have one name.
impl PartialEq for Struct {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name
    }
}

impl Struct {
    /// Each member with the least that its address is a multiple of.
    pub(super) fn new(name: Rc<str>, members: Vec<(Rc<str>, Type, u64)>, least: u64) -> Self {
        let (mut bytes, mut align, mut all) = (0_u64, least, Vec::new());
        for (name, ty, least) in members {
            let own = ty.align().max(least);
            let offset = bytes.next_multiple_of(own);
            (bytes, align) = (offset.saturating_add(ty.bytes()), align.max(own));
            all.push(Member { name, ty, offset });
        }
        // An empty one has an address of its own.
        let bytes = bytes.max(1).next_multiple_of(align);
        Self { name, members: all, bytes, align }
    }

    pub(super) fn union(name: Rc<str>, members: Vec<(Rc<str>, Type, u64)>, least: u64) -> Self {
        let aligned = members.iter().map(|(_, ty, least)| ty.align().max(*least));
        let align = aligned.fold(least, u64::max);
        let bytes = members.iter().map(|(_, ty, _)| ty.bytes()).max().unwrap_or(1);
        let members = members.into_iter().map(|(name, ty, _)| Member { name, ty, offset: 0 });
        Self { name, members: members.collect(), bytes: bytes.next_multiple_of(align), align }
    }

    pub(super) fn place_of(&self, name: &str) -> Option<usize> {
        self.members.iter().position(|member| &*member.name == name)
    }

    /// The places of a member, one inside the other, the outermost first.
    pub(super) fn path_to(&self, name: &str) -> Option<Vec<usize>> {
        if let Some(place) = self.place_of(name) {
            return Some(vec![place]);
        }
        self.unnamed().find_map(|(place, of)| {
            let mut path = of.path_to(name)?;
            path.insert(0, place);
            Some(path)
        })
    }

    /// Its bases and the structures in it that have no name, by their places.
    pub(super) fn unnamed(&self) -> impl Iterator<Item = (usize, &Rc<Self>)> {
        self.members.iter().enumerate().filter_map(|(place, member)| match &member.ty {
            Type::Struct(of) if member.name.is_empty() => Some((place, of)),
            _ => None,
        })
    }

    pub(super) fn is_union(&self) -> bool {
        self.members.len() > 1 && self.members.iter().all(|member| member.offset == 0)
    }

    /// The members of which a copy is made: of a union the largest, which covers the others.
    pub(super) fn copied_members(&self) -> impl Iterator<Item = usize> {
        let largest = (0..self.members.len()).max_by_key(|at| self.members[*at].ty.bytes());
        let is_union = self.is_union();
        (0..self.members.len()).filter(move |at| !is_union || Some(*at) == largest)
    }

    /// Whether it is only declared so far: its members are those of the one of its name.
    pub(super) fn is_incomplete(&self) -> bool {
        self.bytes == 0
    }

    /// Whether it is or holds an array or a union, also in a structure of its own: such a one is in
    /// memory.
    pub(super) fn is_in_memory(&self) -> bool {
        self.is_union()
            || self.members.iter().any(|member| match &member.ty {
                Type::Array(..) => true,
                Type::Struct(inner) => inner.is_in_memory(),
                _ => false,
            })
    }
}

#[derive(Clone, Debug, PartialEq)]
pub(super) struct Pointer {
    pub to: Type,
    pub space: Option<Space>,
    pub qualifiers: Qualifiers,
}

/// The words before a type that restrict accesses.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Qualifiers {
    pub volatile: bool,
    pub constant: bool,
}

/// The names of vectors without their count, and the numbers that they hold.
const VECTORS: [(&str, Scalar); 10] = [
    ("char", Scalar::I8),
    ("uchar", Scalar::U8),
    ("short", Scalar::I16),
    ("ushort", Scalar::U16),
    ("int", Scalar::I32),
    ("uint", Scalar::U32),
    ("longlong", Scalar::I64),
    ("ulonglong", Scalar::U64),
    ("float", Scalar::F32),
    ("double", Scalar::F64),
];

impl Scalar {
    pub(super) const fn bytes(self) -> u32 {
        match self {
            Self::Bool | Self::I8 | Self::U8 => 1,
            Self::I16 | Self::U16 | Self::F16 | Self::BF16 => 2,
            Self::I32 | Self::U32 | Self::F32 | Self::F16x2 | Self::BF16x2 => 4,
            Self::I64 | Self::U64 | Self::F64 => 8,
        }
    }

    pub(super) const fn is_signed(self) -> bool {
        matches!(self, Self::I8 | Self::I16 | Self::I32 | Self::I64)
    }

    pub(super) const fn is_float(self) -> bool {
        matches!(self, Self::F32 | Self::F64 | Self::F16 | Self::BF16)
    }

    /// Whether a product of it and a sum become one multiply-add.
    pub(super) const fn is_contracted(self) -> bool {
        matches!(self, Self::F32 | Self::F64)
    }

    /// Whether it is half precision, or a pair of such numbers.
    pub(super) const fn is_half(self) -> bool {
        matches!(self, Self::F16 | Self::BF16 | Self::F16x2 | Self::BF16x2)
    }

    pub(super) const fn half(self) -> Option<Self> {
        match self {
            Self::F16x2 => Some(Self::F16),
            Self::BF16x2 => Some(Self::BF16),
            _ => None,
        }
    }

    /// The type in which it is computed: at least `int` (C++, "Integral promotions").
    pub(super) fn promoted(self) -> Self {
        if self < Self::I32 { Self::I32 } else { self }
    }

    /// The type of an operation on two (C++, "Usual arithmetic conversions").
    pub(super) fn common(self, other: Self) -> Self {
        self.promoted().max(other.promoted())
    }

    /// Its name in PTX, as it is computed in a register.
    pub(super) const fn computed(self) -> &'static str {
        match self {
            Self::Bool => "pred",
            Self::I8 | Self::I16 | Self::I32 => "s32",
            Self::U8 | Self::U16 | Self::U32 => "u32",
            Self::I64 => "s64",
            Self::U64 => "u64",
            Self::F32 => "f32",
            Self::F64 => "f64",
            Self::F16 => "f16",
            Self::BF16 => "bf16",
            Self::F16x2 => "f16x2",
            Self::BF16x2 => "bf16x2",
        }
    }

    /// Its name in PTX, as it is moved between registers.
    pub(super) const fn moved(self) -> &'static str {
        match self {
            Self::F16 | Self::BF16 => "b16",
            Self::F16x2 | Self::BF16x2 => "b32",
            _ => self.computed(),
        }
    }

    /// Its name in PTX, as it lies in memory.
    pub(super) const fn stored(self) -> &'static str {
        match self {
            Self::Bool | Self::U8 => "u8",
            Self::I8 => "s8",
            Self::I16 => "s16",
            Self::U16 | Self::F16 | Self::BF16 => "u16",
            Self::I32 => "s32",
            Self::U32 | Self::F16x2 | Self::BF16x2 => "u32",
            Self::I64 => "s64",
            Self::U64 => "u64",
            Self::F32 => "f32",
            Self::F64 => "f64",
        }
    }

    const fn name(self) -> &'static str {
        match self {
            Self::Bool => "bool",
            Self::I8 => "char",
            Self::U8 => "unsigned char",
            Self::I16 => "short",
            Self::U16 => "unsigned short",
            Self::I32 => "int",
            Self::U32 => "unsigned",
            Self::I64 => "long long",
            Self::U64 => "unsigned long long",
            Self::F32 => "float",
            Self::F64 => "double",
            Self::F16 => "__half",
            Self::BF16 => "__nv_bfloat16",
            Self::F16x2 => "__half2",
            Self::BF16x2 => "__nv_bfloat162",
        }
    }
}

impl Space {
    /// What an access to it has in PTX.
    pub(super) const fn suffix(self) -> &'static str {
        match self {
            Self::Global => ".global",
            Self::Shared => ".shared",
            Self::Local => ".local",
            Self::Constant => ".const",
            Self::Generic => "",
        }
    }
}

impl Type {
    pub(super) const INT: Self = Self::Scalar(Scalar::I32);
    pub(super) const BOOL: Self = Self::Scalar(Scalar::Bool);

    pub(super) fn pointer(self, space: Option<Space>, qualifiers: Qualifiers) -> Self {
        Self::Pointer(Box::new(Pointer { to: self, space, qualifiers }))
    }

    pub(super) fn bytes(&self) -> u64 {
        match self {
            Self::Void => 0,
            Self::Scalar(scalar) => u64::from(scalar.bytes()),
            Self::Vector(scalar, count) => u64::from(scalar.bytes() * count),
            Self::Pointer(_) | Self::Function(_) => 8,
            Self::Array(of, count) => of.bytes().saturating_mul(u64::from(*count)),
            Self::Struct(of) => of.bytes,
        }
    }

    /// What its address is a multiple of (CUDA C++ Programming Guide, "Built-in Vector Types").
    pub(super) fn align(&self) -> u64 {
        match self {
            Self::Void => 1,
            Self::Scalar(scalar) | Self::Vector(scalar, 3) => scalar.bytes().into(),
            Self::Vector(..) | Self::Pointer(_) | Self::Function(_) => self.bytes(),
            Self::Array(of, _) => of.align(),
            Self::Struct(of) => of.align,
        }
    }

    /// The sides of an array, the outermost first, and what its elements are.
    pub(super) fn shape(&self) -> (Vec<u32>, &Self) {
        let (mut sides, mut of) = (Vec::new(), self);
        while let Self::Array(inner, count) = of {
            sides.push(*count);
            of = inner;
        }
        (sides, of)
    }

    pub(super) fn numbers(&self) -> u64 {
        match self {
            Self::Array(of, count) => of.numbers().saturating_mul(u64::from(*count)),
            Self::Vector(_, count) => u64::from(*count),
            Self::Void
            | Self::Scalar(_)
            | Self::Pointer(_)
            | Self::Struct(_)
            | Self::Function(_) => 1,
        }
    }

    /// The vector or number type of this name: `float4`, `int`; `None` for another word.
    pub(super) fn vector(name: &str) -> Option<Self> {
        let (of, count) = name.split_at_checked(name.len().checked_sub(1)?)?;
        let count = count.parse().ok().filter(|count| (2..=4).contains(count))?;
        let (_, scalar) = VECTORS.iter().find(|(name, _)| *name == of)?;
        (scalar.bytes() * count <= 16).then_some(Self::Vector(*scalar, count))
    }
}

impl fmt::Display for Type {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Void => f.write_str("void"),
            Self::Scalar(scalar) => f.write_str(scalar.name()),
            Self::Vector(scalar, count) => {
                let named = VECTORS.iter().find(|(_, of)| of == scalar);
                write!(f, "{}{count}", named.map_or("bool", |(name, _)| name))
            }
            Self::Pointer(pointer) => write!(f, "{}*", pointer.to),
            Self::Struct(of) => f.write_str(&of.name),
            Self::Function(of) => {
                let parameters: Vec<_> = of.parameters.iter().map(Self::to_string).collect();
                write!(f, "{}(*)({})", of.returns, parameters.join(", "))
            }
            Self::Array(..) => {
                let (sides, of) = self.shape();
                write!(f, "{of}")?;
                sides.iter().try_for_each(|side| write!(f, "[{side}]"))
            }
        }
    }
}

/// A whole number as one of this type.
pub(crate) fn narrowed(value: i64, to: Scalar) -> i64 {
    match to {
        Scalar::Bool => i64::from(value != 0),
        Scalar::I8 => i64::from(value as i8),
        Scalar::U8 => i64::from(value as u8),
        Scalar::I16 => i64::from(value as i16),
        Scalar::U16 => i64::from(value as u16),
        Scalar::I32 => i64::from(value as i32),
        Scalar::U32 => i64::from(value as u32),
        _ => value,
    }
}
