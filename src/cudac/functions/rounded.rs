//! Functions whose name ends with a rounding: `__fadd_ru`, `__float2ll_rn`.

use crate::types::Scalar;
use crate::types::Scalar::{F16, F32, F64, I32, I64, U32, U64};
use std::sync::LazyLock;

/// The roundings, in names of functions and in PTX.
const ROUNDINGS: [(&str, &str); 4] = [("rn", "rn"), ("rz", "rz"), ("rd", "rm"), ("ru", "rp")];

/// Arithmetic: the name, the instruction, its type, and how many operands it has.
const ARITHMETIC: [(&str, &str, Scalar, usize); 14] = [
    ("fadd", "add", F32, 2),
    ("fsub", "sub", F32, 2),
    ("fmul", "mul", F32, 2),
    ("fdiv", "div", F32, 2),
    ("frcp", "rcp", F32, 1),
    ("fsqrt", "sqrt", F32, 1),
    ("fmaf", "fma", F32, 3),
    ("dadd", "add", F64, 2),
    ("dsub", "sub", F64, 2),
    ("dmul", "mul", F64, 2),
    ("ddiv", "div", F64, 2),
    ("drcp", "rcp", F64, 1),
    ("dsqrt", "sqrt", F64, 1),
    ("fma", "fma", F64, 3),
];

/// The types between which the others convert.
const TYPES: [(&str, Scalar); 7] = [
    ("float", F32),
    ("double", F64),
    ("half", F16),
    ("int", I32),
    ("uint", U32),
    ("ll", I64),
    ("ull", U64),
];

pub(crate) fn names() -> impl Iterator<Item = &'static str> {
    static NAMES: LazyLock<Vec<String>> = LazyLock::new(|| {
        let arithmetic = ARITHMETIC.iter().map(|(name, ..)| (*name).to_owned());
        let between = |(from, _): &(&str, Scalar)| {
            let from = (*from).to_owned();
            TYPES.map(|(to, _)| format!("{from}2{to}"))
        };
        let all = arithmetic.chain(TYPES.iter().flat_map(between));
        let all =
            all.flat_map(|what| ROUNDINGS.map(|(rounding, _)| format!("__{what}_{rounding}")));
        all.filter(|name| rounded(name).is_some()).collect()
    });
    NAMES.iter().map(String::as_str)
}

/// The instruction of such a function, the types that it takes, and the one that it gives.
pub(crate) fn rounded(name: &str) -> Option<(String, Vec<Scalar>, Scalar)> {
    let (what, rounding) = name.strip_prefix("__")?.rsplit_once('_')?;
    let (_, rounding) = ROUNDINGS.iter().find(|(own, _)| *own == rounding)?;
    if let Some((_, text, of, count)) = ARITHMETIC.iter().find(|(own, ..)| *own == what) {
        let text = format!("{text}.{rounding}.{}", of.computed());
        return Some((text, vec![*of; *count], *of));
    }
    let (from, to) = what.split_once('2')?;
    let of = |name: &str| TYPES.iter().find(|(own, _)| *own == name).map(|(_, of)| *of);
    let (from, to) = (of(from)?, of(to)?);
    let narrows = from.is_float() && to.is_float() && from.bytes() > to.bytes();
    let whole = match (from.is_float(), to.is_float()) {
        (true, false) => "i",
        (false, true) => "",
        _ if narrows => "",
        _ => return None,
    };
    let text = format!("cvt.{rounding}{whole}.{}.{}", to.computed(), from.computed());
    Some((text, vec![from], to))
}
