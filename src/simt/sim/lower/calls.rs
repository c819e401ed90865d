//! The functions that a kernel calls, and the arguments and results that are passed.

use super::layout::VariableLayout;
use super::names::{NameResolver, SourceScope};
use crate::sim::access::Pc;
use crate::sim::program::{CallSite, Reg, RowInit, Transfer};
use ptx::{
    ControlOp, Function, Loc, Module, Op, Operand, Param, ParseError, Space, Span, Statement, Use,
};
use std::collections::hash_map::Entry;
use std::collections::{HashMap, HashSet};

/// Maximum call depth.
const MAX_DEPTH: usize = 200;

/// Maximum total of statements, registers and bytes of local memory in copies of functions. Beyond
/// that, one copy serves all call sites and is not attributed to any line.
const MAX_COPIED: u64 = 1 << 14;

/// Functions of the driver that take memory of the device's heap, and give it back.
const HEAP: [&str; 2] = ["malloc", "free"];

/// The functions of a launch by number, the kernel first.
pub(super) struct Functions<'a> {
    pub(super) all: Vec<&'a Function>,
    /// For each function, the line of its call if its instructions are attributed to that line.
    pub(super) lines: Vec<Option<Loc>>,
    numbers: HashMap<(&'a str, Option<Loc>), usize>,
    copied: u64,
}

impl<'a> Functions<'a> {
    /// Collects the kernel and every function that it calls, directly or indirectly.
    ///
    /// A function without lines of its own is attributed to the line of its call, like inlined code
    /// (with `-G`, NVRTC leaves the functions of the CUDA headers this way). Each such line gets
    /// its own copy.
    ///
    /// # Errors
    /// A recursive function: each function has only one set of registers. One that takes memory of the heap.
    pub(super) fn reachable(module: &'a Module, kernel: &'a Function) -> Result<Self, ParseError> {
        acyclic(module, kernel, &mut Vec::new(), &mut HashSet::new())?;
        let (all, lines) = (vec![kernel], vec![None]);
        let mut functions = Self { all, lines, numbers: HashMap::new(), copied: 0 };
        let mut next = 0;
        while let Some(caller) = functions.all.get(next).copied() {
            let mut line = functions.lines[next];
            for statement in &caller.body {
                let Statement::Instruction { op, loc, span, .. } = statement else { continue };
                line = with_line(*loc).or(line);
                let Op::Control(ControlOp::Call { target, .. }) = op else { continue };
                match module.device_function(target) {
                    Some(callee) => functions.add(callee, line),
                    None if HEAP.contains(&&**target) => {
                        let told = format!("`{target}`: the heap of the device is not simulated");
                        return Err(ParseError::new(*span, told));
                    }
                    None => {}
                }
            }
            next += 1;
        }
        Ok(functions)
    }

    /// The number of the function that is the target of a call in a given source line.
    pub(super) fn called(&self, name: &'a str, line: Option<Loc>) -> Option<usize> {
        let copy = self.numbers.get(&(name, line)).or_else(|| self.numbers.get(&(name, None)));
        copy.copied()
    }

    fn add(&mut self, callee: &'a Function, line: Option<Loc>) {
        let line = line.filter(|_| is_told_by_caller(callee));
        let (copy, only) = ((callee.name.as_str(), line), (callee.name.as_str(), None));
        if self.numbers.contains_key(&copy) {
            return;
        }
        self.copied += if line.is_some() { size(callee) } else { 0 };
        let new = if self.copied > MAX_COPIED { only } else { copy };
        if let Entry::Vacant(place) = self.numbers.entry(new) {
            place.insert(self.all.len());
            self.all.push(callee);
            self.lines.push(new.1);
        }
    }
}

/// The location of an instruction, if the compiler gives a line.
pub(super) fn with_line(loc: Option<Loc>) -> Option<Loc> {
    loc.filter(|loc| loc.line > 0)
}

/// Whether a function has no lines of its own, and no variables of which there may be only one
/// copy.
fn is_told_by_caller(function: &Function) -> bool {
    let mut spaces = function.variables.iter().map(|variable| variable.space);
    let is_line = |statement: &Statement| matches!(statement, Statement::Instruction { loc, .. } if with_line(*loc).is_some());
    spaces.all(|space| matches!(space, Space::Local | Space::Param))
        && !function.body.iter().any(is_line)
}

/// The number of statements, registers and bytes of local memory.
fn size(function: &Function) -> u64 {
    let registers = function.registers.iter().map(|of| of.count.unwrap_or(1));
    let variables = function.variables.iter().map(|variable| variable.bytes);
    let formals = function.params.iter().chain(&function.returns).map(|param| param.bytes);
    let room: u64 = registers.chain(variables).chain(formals).map(u64::from).sum();
    room + function.body.len() as u64
}

/// Checks that all functions are supported.
///
/// # Errors
/// The first unsupported statement of any of them.
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

/// Checks that no function is called, directly or indirectly, from itself. `way` is the current
/// call path; functions in `sound` have already been checked.
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
            return Err(ParseError::new(span, message));
        }
        if way.len() == MAX_DEPTH {
            return Err(ParseError::new(
                span,
                format!("more than {MAX_DEPTH} calls deep is not supported"),
            ));
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
        Statement::Instruction {
            op: Op::Control(ControlOp::Call { target, .. }), span, ..
        } => module.device_function(target).map(|callee| (callee, *span)),
        _ => None,
    })
}

/// Lowers a call; `callee` gives the function, its number and its first instruction.
pub(super) fn site<'a>(
    names: &mut NameResolver<'a, '_>,
    layout: &VariableLayout<'_>,
    (function, number, start): (&Function, usize, Pc),
    (returns, args): (&'a [Operand], &'a [Operand]),
    place: SourceScope,
) -> Result<(Op<Reg, Pc>, CallSite), ParseError> {
    if returns.len() != function.returns.len() || args.len() != function.params.len() {
        let message = format!("`{}` takes other parameters", function.name);
        return Err(ParseError::new(place.span, message));
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
    Ok((Op::Control(ControlOp::Call { target: start, returns, args }), site))
}

fn transfer<'a>(
    names: &mut NameResolver<'a, '_>,
    (actual, formal, inside): (&'a Operand, &Param, Option<u32>),
    how: Use,
    place: SourceScope,
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
            Err(ParseError::new(place.span, message))
        }
        (Some(RowInit::Local(outside)), Some(inside)) => {
            Ok(Transfer::Bytes { outside, inside, bytes: formal.bytes })
        }
        (None, Some(inside)) if formal.bytes == ty.bytes() => {
            let outside = names.operand(actual, ty, how, place)?;
            Ok(Transfer::Row { outside, inside, ty })
        }
        (_, Some(_)) => Err(ParseError::new(
            place.span,
            format!("`{}` cannot be passed like this", formal.name),
        )),
    }
}
