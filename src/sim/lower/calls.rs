//! Which functions a kernel calls, and what goes from the caller to the function and back.

use super::error;
use super::layout::Layout;
use super::names::{Names, Place};
use crate::ptx::{Function, Module, Op, Operand, Param, ParseError, Span, Statement, Use};
use crate::sim::program::{CallSite, Init, Reg, Transfer};
use crate::sim::step::Pc;
use std::collections::HashSet;

/// Deepest that functions may call each other.
const MAX_DEPTH: usize = 200;

/// The kernel and every function that it calls, itself or through others.
///
/// # Errors
/// A function that calls itself: each has one place for its registers.
pub(super) fn reachable<'a>(
    module: &'a Module,
    kernel: &'a Function,
) -> Result<Vec<&'a Function>, ParseError> {
    let mut all = vec![kernel];
    let mut next = 0;
    while let Some(function) = all.get(next).copied() {
        for (callee, _) in called(module, function) {
            if all.iter().all(|known| known.name != callee.name) {
                all.push(callee);
            }
        }
        next += 1;
    }
    acyclic(module, kernel, &mut Vec::new(), &mut HashSet::new())?;
    Ok(all)
}

/// Whether all of them can be run.
///
/// # Errors
/// The first thing in one of them that is not supported.
pub(super) fn supported(functions: &[&Function]) -> Result<(), ParseError> {
    for (number, function) in functions.iter().enumerate() {
        if let Some(error) = function.unsupported.first() {
            let whose = format!(", in `{}`, which the kernel calls", function.name);
            let whose = if number == 0 { "" } else { &whose };
            let message = format!("{}{whose}", error.message);
            return Err(ParseError { message, ..error.clone() });
        }
    }
    Ok(())
}

/// Whether no function is called on its own `way`; what is `sound` has been looked at.
fn acyclic<'a>(
    module: &'a Module,
    function: &'a Function,
    way: &mut Vec<&'a str>,
    sound: &mut HashSet<&'a str>,
) -> Result<(), ParseError> {
    way.push(&function.name);
    for (callee, span) in called(module, function) {
        if way.contains(&callee.name.as_str()) {
            let name = &callee.name;
            let message = format!("`{name}` calls itself, which is not supported: write a loop");
            return Err(error(span, message));
        }
        if way.len() == MAX_DEPTH {
            return Err(error(span, format!("more than {MAX_DEPTH} calls deep is not supported")));
        }
        if !sound.contains(callee.name.as_str()) {
            acyclic(module, callee, way, sound)?;
        }
    }
    way.pop();
    sound.insert(&function.name);
    Ok(())
}

fn called<'a>(
    module: &'a Module,
    function: &'a Function,
) -> impl Iterator<Item = (&'a Function, Span)> {
    function.body.iter().filter_map(|statement| match statement {
        Statement::Instruction { op: Op::Call { target, .. }, span, .. } => {
            module.device_function(target).map(|callee| (callee, *span))
        }
        _ => None,
    })
}

/// A call, lowered: the callee's number and first instruction are `callee`.
pub(super) fn site<'a>(
    names: &mut Names<'a, '_>,
    layout: &Layout<'_>,
    (function, number, start): (&Function, usize, Pc),
    (returns, args): (&'a [Operand], &'a [Operand]),
    place: Place,
) -> Result<(Op<Reg, Pc>, CallSite), ParseError> {
    if returns.len() != function.returns.len() || args.len() != function.params.len() {
        let message = format!("`{}` takes other parameters", function.name);
        return Err(error(place.span, message));
    }
    let mut site = CallSite::default();
    for (actual, formal) in args.iter().zip(&function.params) {
        let inside = layout.formal(number, formal);
        site.args.push(transfer(names, (actual, formal, inside), Use::ReadLow, place)?);
    }
    for (actual, formal) in returns.iter().zip(&function.returns) {
        let inside = layout.formal(number, formal);
        site.results.push(transfer(names, (actual, formal, inside), Use::WriteExtended, place)?);
    }
    let rows = |all: &[Transfer]| all.iter().filter_map(Transfer::outside).collect();
    let (returns, args) = (rows(&site.results), rows(&site.args));
    Ok((Op::Call { target: start, returns, args }, site))
}

fn transfer<'a>(
    names: &mut Names<'a, '_>,
    (actual, formal, inside): (&'a Operand, &Param, Option<u32>),
    how: Use,
    place: Place,
) -> Result<Transfer, ParseError> {
    let variable = match actual {
        Operand::Name(name, _) => names.variable(name, place.scope),
        _ => None,
    };
    let ty = formal.ty;
    match (variable, inside) {
        (_, None) => {
            let message =
                format!("`{}` is passed in a register, which is not supported", formal.name);
            Err(error(place.span, message))
        }
        (Some(Init::Local(outside)), Some(inside)) => {
            Ok(Transfer::Bytes { outside, inside, bytes: formal.bytes })
        }
        (None, Some(inside)) if formal.bytes == ty.bytes() => {
            let outside = names.operand(actual, ty, how, place)?;
            Ok(Transfer::Row { outside, inside, ty })
        }
        (_, Some(_)) => {
            Err(error(place.span, format!("`{}` cannot be passed like this", formal.name)))
        }
    }
}
