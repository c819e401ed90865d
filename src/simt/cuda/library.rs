//! Functions of CUDA that take more than one instruction, as sources in the subset itself: they are
//! inlined like any other, and their instructions belong to the line of the call.

use super::ast::{Function, Module};
use super::compiled::Options;
use super::error::Error;
use super::parse;
use super::preprocess::preprocess;
use super::token::{Kind, Token};
use std::rc::Rc;

/// The number of the file in which they are: no source and no header has it.
pub(super) const FILE: u32 = u32::MAX;

/// The sources: those of `float` are used by the others.
const SOURCES: [&str; 3] = [
    include_str!("library/float.cuh"),
    include_str!("library/double.cuh"),
    include_str!("library/half.cuh"),
];

/// What headers of CUDA declare beside the functions.
const HEADERS: [(&str, &str); 4] = [
    ("cuda_fp16.h", HALF),
    ("mma.h", HALF),
    ("cuda_bf16.h", "typedef __nv_bfloat16 nv_bfloat16; typedef __nv_bfloat162 nv_bfloat162;"),
    ("cooperative_groups.h", include_str!("library/groups.cuh")),
];

/// The usual names of the types of half precision.
const HALF: &str = "typedef __half half; typedef __half2 half2;";

/// What a header of CUDA declares.
pub(super) fn declared(header: &str) -> Option<&'static str> {
    HEADERS.iter().find(|(name, _)| *name == header).map(|(_, text)| *text)
}

/// The names of the functions.
pub(super) fn names() -> impl Iterator<Item = &'static str> {
    let heads = SOURCES.iter().flat_map(|source| source.lines());
    let heads = heads.filter(|line| line.starts_with("__device__"));
    heads.filter_map(|head| head.split('(').next()?.split_whitespace().last())
}

/// Whether a source may call one of them: by its name, by that of `expf` without its `f`, or by an
/// operator of half precision.
fn may_call(tokens: &[Token]) -> bool {
    let called = |name: &str| {
        let is_it = |own: &str| own == name || own.strip_suffix('f') == Some(name);
        name.contains("half") || name.contains("bfloat16") || names().any(is_it)
    };
    let mut names = tokens.iter().filter(|token| token.kind == Kind::Name);
    names.any(|token| called(&token.text))
}

/// Adds the functions of the library that a source of these tokens may call and does not define.
///
/// # Errors
/// None: the library compiles.
pub(super) fn added(module: Module, tokens: &[Token]) -> Result<Module, Error> {
    if !may_call(tokens) {
        return Ok(module);
    }
    let mut functions = module.functions;
    let own: Vec<Rc<str>> = functions.iter().map(|function| Rc::clone(&function.name)).collect();
    for source in SOURCES {
        let library = parse::library(&read(source)?)?;
        let is_new = |function: &Rc<Function>| {
            !own.contains(&function.name) && !module.templates.contains_key(&function.name)
        };
        functions.extend(library.functions.into_iter().filter(is_new));
    }
    Ok(Module { functions, ..module })
}

/// The tokens of a source of the library, all in its file.
pub(super) fn read(source: &str) -> Result<Vec<Token>, Error> {
    let tokens = preprocess(source, &Options::default())?;
    let here = |mut token: Token| {
        token.at.file = FILE;
        token
    };
    Ok(tokens.into_iter().map(here).collect())
}
