//! Hints for common slips.

use super::at::Pos;
use super::error::Error;
use super::functions;
use super::subset::ELSEWHERE;
use super::token::{Token, TokenClass};

/// Names that a kernel can use without declaring them, but those of the Math API.
const KNOWN: &[&str] = &[
    "threadIdx",
    "blockIdx",
    "blockDim",
    "gridDim",
    "warpSize",
    "__syncthreads",
    "__syncwarp",
    "__threadfence",
    "__threadfence_block",
    "__threadfence_system",
    "min",
    "max",
    "abs",
    "printf",
    "memcpy",
    "memset",
    "__ldg",
    "make_float2",
    "make_float4",
    "__shfl_sync",
    "__shfl_up_sync",
    "__shfl_down_sync",
    "__shfl_xor_sync",
    "atomicAdd",
    "atomicSub",
    "atomicExch",
    "atomicCAS",
    "atomicMin",
    "atomicMax",
    "atomicInc",
    "atomicDec",
    "atomicAnd",
    "atomicOr",
    "atomicXor",
];

/// The names that a kernel can use without declaring them, with all functions.
fn known() -> impl Iterator<Item = &'static str> {
    KNOWN.iter().copied().chain(functions::names())
}

/// Whether this is a function of the device.
pub(super) fn is_function(name: &str) -> bool {
    !["threadIdx", "blockIdx", "blockDim", "gridDim", "warpSize"].contains(&name)
        && known().any(|known| known == name)
}

/// A bracket that is never closed, or one that closes nothing.
pub(super) fn unequal_brackets(tokens: &[Token]) -> Result<(), Error> {
    let mut open: Vec<&Token> = Vec::new();
    for token in tokens.iter().filter(|token| token.kind == TokenClass::Punctuator) {
        let closes = match &*token.text {
            "(" | "[" | "{" => {
                open.push(token);
                continue;
            }
            ")" => "(",
            "]" => "[",
            "}" => "{",
            _ => continue,
        };
        match open.pop() {
            Some(last) if last.is(closes) => {}
            Some(last) => {
                let told = format!(
                    "{} closes what {} of line {} opens",
                    token.shown(),
                    last.shown(),
                    last.at.line
                );
                return Err(Error::at(token.at, told).hint(
                    "brackets are closed in the order in which they were opened, the last first",
                ));
            }
            None => {
                let told = format!("{} closes nothing", token.shown());
                return Err(Error::at(token.at, told)
                    .hint("a bracket is missing before it, or there is one too many here"));
            }
        }
    }
    match open.pop() {
        Some(last) => Err(Error::at(last.at, format!("{} is never closed", last.shown()))
            .hint("count the brackets from here on")),
        None => Ok(()),
    }
}

pub(super) fn expected(wanted: &str, before: Option<&Token>, found: &Token) -> Error {
    if found.is("::") {
        return Error::outside(found.at, "a name in a namespace");
    }
    if let Some(header) = before.and_then(|before| header_of(&before.text)) {
        return unknown_type(before.unwrap_or(found), header);
    }
    let told = format!("expected `{wanted}`, found {}", found.shown());
    let ended =
        before.filter(|before| wanted == ";" && (before.at.line < found.at.line || found.is("}")));
    if let Some(before) = ended {
        return Error::at(before.at.after(), format!("a `;` is missing after {}", before.shown()))
            .hint("every statement ends with a semicolon");
    }
    if wanted == "(" && before.is_some_and(|before| ["if", "while", "for"].contains(&&*before.text))
    {
        return Error::at(found.at, told).hint("the condition stands in brackets: (row < M)");
    }
    if wanted == ";" && (found.is("<") || found.is(",")) {
        return Error::at(found.at, told)
            .hint("a `for` has three parts, with a `;` after the first and the second");
    }
    let is_value = |token: &Token| {
        matches!(token.kind, TokenClass::Name | TokenClass::Number)
            || token.is(")")
            || token.is("]")
    };
    let two =
        before.is_some_and(is_value) && matches!(found.kind, TokenClass::Name | TokenClass::Number);
    if two && ["]", ")", ";", ","].contains(&wanted) {
        let before = before.map_or(String::new(), Token::shown);
        return Error::at(
            found.at,
            format!("an operator is missing between {before} and {}", found.shown()),
        )
        .hint("two values stand side by side: perhaps a `*` between them?");
    }
    if_it_is_cuda(Error::at(found.at, told))
}

/// An error of which it is not known whether the source is wrong, or more C++ than is read here.
pub(super) fn if_it_is_cuda(error: Error) -> Error {
    error.hint(format!("if this is CUDA, {ELSEWHERE}"))
}

const OF_HEADERS: [(&str, &str); 4] = [
    ("half", "cuda_fp16.h"),
    ("half2", "cuda_fp16.h"),
    ("nv_bfloat16", "cuda_bf16.h"),
    ("nv_bfloat162", "cuda_bf16.h"),
];

pub(super) fn header_of(name: &str) -> Option<&'static str> {
    OF_HEADERS.iter().find(|(own, _)| *own == name).map(|(_, header)| *header)
}

/// The name of a type without its header.
pub(super) fn unknown_type(name: &Token, header: &str) -> Error {
    Error::at(name.at, format!("there is no type {}", name.shown()))
        .hint(format!("{header} declares it: #include <{header}>"))
}

pub(super) fn no_value(before: Option<&Token>, found: &Token, at: Pos) -> Error {
    if found.kind == TokenClass::Punctuator && found.is("[") {
        return Error::outside(at, "a lambda");
    }
    let told = match before {
        Some(before) if before.kind == TokenClass::Punctuator => {
            format!("expected a value after {}, found {}", before.shown(), found.shown())
        }
        _ => format!("expected a value, found {}", found.shown()),
    };
    if_it_is_cuda(Error::at(at, told))
}

pub(super) fn unknown<'a>(name: &str, at: Pos, declared: impl Iterator<Item = &'a str>) -> Error {
    let error = Error::at(at, format!("`{name}` is not declared"));
    let mut known: Vec<&str> = known().collect();
    known.extend(declared);
    let error = similar(error, name, &known);
    if error.hint.is_some() {
        return error;
    }
    error.hint(format!("declare it where it gets its first value: int {name} = ...;"))
}

/// The error with the known name that is nearest, if one is near.
pub(super) fn similar(error: Error, name: &str, known: &[&str]) -> Error {
    let least = known.iter().map(|known| (distance(name, known), *known)).min();
    match least {
        Some((away, known)) if away * 3 <= known.len().max(3) && known != name => {
            error.hint(format!("did you mean `{known}`?"))
        }
        _ => error,
    }
}

/// How many letters must change, be added, be left out or change places with the next; capitals count
/// for nothing.
fn distance(a: &str, b: &str) -> usize {
    strsim::osa_distance(&a.to_ascii_lowercase(), &b.to_ascii_lowercase())
}
