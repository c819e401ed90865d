//! The words of types, and what may stand before them.

use crate::types::{Scalar, Type};

pub(super) const WORDS: &[&str] = &[
    "void",
    "bool",
    "char",
    "short",
    "int",
    "unsigned",
    "long",
    "float",
    "double",
    "size_t",
    "int8_t",
    "uint8_t",
    "int16_t",
    "uint16_t",
    "int32_t",
    "uint32_t",
    "int64_t",
    "uint64_t",
    "uint",
    "uchar",
    "ushort",
    "__half",
    "__half2",
    "__nv_bfloat16",
    "__nv_bfloat162",
];

pub(super) const TYPE_NAMES: &[&str] = &[
    "void",
    "bool",
    "int",
    "unsigned",
    "float",
    "double",
    "float4",
    "__global__",
    "__device__",
    "__shared__",
    "const",
];

pub(super) const STORAGE: &[&str] = &[
    "__shared__",
    "struct",
    "enum",
    "typename",
    "extern",
    "const",
    "constexpr",
    "static",
    "volatile",
    "signed",
    "__align__",
    "alignas",
    "auto",
];

pub(crate) fn is_type(word: &str) -> bool {
    WORDS.contains(&word) || Type::vector(word).is_some()
}

pub(crate) fn scalar(words: &[&str]) -> Option<Type> {
    let mut sorted = words.to_vec();
    sorted.sort_unstable();
    Some(Type::Scalar(match &*sorted {
        ["void"] => return Some(Type::Void),
        ["bool"] => Scalar::Bool,
        ["char" | "int8_t"] => Scalar::I8,
        ["uint8_t" | "uchar"] | ["char", "unsigned"] => Scalar::U8,
        ["short" | "int16_t"] | ["int", "short"] => Scalar::I16,
        ["ushort" | "uint16_t"] | ["short", "unsigned"] | ["int", "short", "unsigned"] => {
            Scalar::U16
        }
        ["int" | "int32_t"] => Scalar::I32,
        ["unsigned" | "uint32_t" | "uint"] | ["int", "unsigned"] => Scalar::U32,
        ["int64_t"] | ["int", "long"] | ["int", "long", "long"] => Scalar::I64,
        ["long", rest @ ..] if *rest == ["long"] || rest.is_empty() => Scalar::I64,
        ["size_t" | "uint64_t"] | ["int", "long", .., "unsigned"] => Scalar::U64,
        ["long", rest @ .., "unsigned"] if *rest == ["long"] || rest.is_empty() => Scalar::U64,
        ["float"] => Scalar::F32,
        ["double"] => Scalar::F64,
        ["__half"] => Scalar::F16,
        ["__half2"] => Scalar::F16x2,
        ["__nv_bfloat16"] => Scalar::BF16,
        ["__nv_bfloat162"] => Scalar::BF16x2,
        _ => return None,
    }))
}
