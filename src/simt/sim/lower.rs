//! Lowering: resolves names to register rows and labels to instruction indices, once before the
//! run.

mod calls;
mod contract;
mod layout;
mod names;
mod rows;

use super::access::Pc;
use super::block_group::GroupShape;
use super::exec::ASSERTION;
use super::program::{CallSite, Inst, Program, Reg, RowInit};
use super::reconvergence;
use calls::Functions;
use layout::VariableLayout;
use names::{NameResolver, RowAllocation};
use ptx::{
    ControlOp, Function, Loc, MemoryOp, Module, Op, Operand, ParseError, PartOfArray, Scope, Space,
    Span, Statement,
};
use std::collections::HashMap;
use std::sync::{Mutex, OnceLock};

/// Maximum number of rows in a register file: more than any GPU has registers for, few enough to
/// allocate.
const MAX_ROWS: u16 = 8192;

/// Lowers the kernel `name` of a module, without dynamic shared memory.
///
/// # Errors
/// See [`lower_with`].
pub fn lower(module: &Module, name: &str) -> Result<Program, ParseError> {
    lower_with(module, name, 0)
}

/// Lowers the kernel `name` of a module for blocks with `dynamic_shared` bytes of dynamic shared
/// memory (CUDA C++ Programming Guide, "Execution Configuration": the third launch parameter),
/// which holds every `extern __shared__` array.
///
/// # Errors
/// No such kernel; an unknown register or label; an operand of the wrong width; more shared memory
/// than a block can have; an unsupported form of an instruction. Each error gives its location in
/// the text.
pub fn lower_with(module: &Module, name: &str, dynamic_shared: u32) -> Result<Program, ParseError> {
    let function = module.entry(name).ok_or_else(|| no_entry(module, name))?;
    let functions = Functions::reachable(module, function)?;
    calls::supported(&functions.all)?;
    let layout = VariableLayout::new(module, &functions.all, dynamic_shared)?;
    let starts = starts(&functions.all);
    let (calls, rolled, indices) = (HashMap::new(), Vec::new(), Vec::new());
    let mut code = LoweredCode { functions: &functions, starts, calls, rolled, indices };
    let (mut table, mut insts) = (RowAllocation::default(), Vec::new());
    for number in 0..functions.all.len() {
        code.body(number, &layout, &mut table, &mut insts)?;
    }
    let contracted = contract::contract(&mut insts, &code.calls, &code.starts, &mut table)?;
    let reconvergence = reconvergence::analyse(&insts);
    let (rows, init, registers) = table.finish();
    let placed = rows::place(&insts, &reconvergence, &init, rows);
    let needed = placed.rows.most();
    if needed > MAX_ROWS {
        let span = insts.first().map_or_else(Span::default, |inst| inst.span);
        let message =
            format!("`{name}` needs {needed} registers at a time, and {MAX_ROWS} are supported");
        return Err(ParseError::new(span, message));
    }
    let names_param_address = init.iter().any(|(_, init)| matches!(init, RowInit::ParamAddress(_)));
    Ok(Program {
        name: name.to_owned(),
        shared: layout.shared,
        shared_bytes: layout.shared_bytes,
        together: GroupShape::of(function),
        variables: layout.variables,
        frames: layout.frames,
        calls: code.calls,
        params_in_memory: names_param_address,
        atomic_pairs: insts.iter().any(|inst| changes_pairs(&inst.op)),
        param_bytes: function.params.last().map_or(0, |p| p.offset + p.bytes),
        params: function.params.clone(),
        code: rows::code(&insts, &placed),
        rows: placed.rows,
        placed: placed.at,
        spans: placed.spans,
        unset: placed.unset,
        decides: OnceLock::new(),
        decides_among: Mutex::default(),
        rounds: OnceLock::new(),
        init,
        registers,
        rolled: code.rolled,
        indices: code.indices,
        contracted,
        files: module.files.clone(),
        own_file: function.own_file(),
        reconverge_at: reconvergence.reconverge_at,
        ends: reconvergence.ends,
        insts,
    })
}

/// The index of each function's first instruction; each body is followed by one more instruction,
/// an implicit return.
fn starts(functions: &[&Function]) -> Vec<Pc> {
    let count = |function: &&Function| {
        let is_instruction =
            |statement: &&Statement| matches!(statement, Statement::Instruction { .. });
        function.body.iter().filter(is_instruction).count() as u32 + 1
    };
    let ends = functions.iter().scan(0, |end, function| {
        *end += count(function);
        Some(Pc(*end))
    });
    std::iter::once(Pc(0)).chain(ends).collect()
}

/// The functions of a launch while they are lowered.
struct LoweredCode<'a, 'f> {
    functions: &'f Functions<'a>,
    starts: Vec<Pc>,
    calls: HashMap<Pc, CallSite>,
    rolled: Vec<Pc>,
    indices: Vec<(Pc, PartOfArray)>,
}

impl<'a> LoweredCode<'a, '_> {
    /// Lowers function number `number` and appends its instructions.
    fn body(
        &mut self,
        number: usize,
        layout: &VariableLayout<'a>,
        table: &mut RowAllocation,
        insts: &mut Vec<Inst>,
    ) -> Result<(), ParseError> {
        let function = self.functions.all[number];
        let labels = labels(function, self.starts[number])?;
        let mut names = NameResolver::new(function, layout, number, table);
        let (mut last, mut end) = (self.functions.lines[number], Span::default());
        for statement in &function.body {
            let next = Pc(insts.len() as u32);
            match statement {
                Statement::NoUnroll(_) => self.rolled.push(next),
                Statement::Index(of) => self.indices.push((next, of.clone())),
                Statement::Label(..) | Statement::Instruction { .. } => {}
            }
            let Statement::Instruction { guard, op, scope, span, loc } = statement else {
                continue;
            };
            last = calls::with_line(*loc).or(last);
            end = *span;
            let place = names::SourceScope { scope: *scope, span: *span };
            let op = match op {
                Op::Control(ControlOp::Call { .. }) => {
                    let at = (Pc(insts.len() as u32), last);
                    self.call(op, &mut names, layout, at, place)?
                }
                Op::Control(ControlOp::Ret) if number == 0 => Op::Control(ControlOp::Exit),
                op => names.op(op, place, |label| labels.find(function, label, place))?,
            };
            let guard = guard.as_ref().map(|guard| names.guard(guard, place)).transpose()?;
            insts.push(inst(op, guard, *span, last));
        }
        // Control may run off the end of a body, which also ends the thread or the function.
        let op =
            if number == 0 { Op::Control(ControlOp::Exit) } else { Op::Control(ControlOp::Ret) };
        insts.push(inst(op, None, end, last));
        Ok(())
    }

    fn call(
        &mut self,
        op: &'a Op<Operand, String>,
        names: &mut NameResolver<'a, '_>,
        layout: &VariableLayout<'a>,
        (pc, line): (Pc, Option<Loc>),
        place: names::SourceScope,
    ) -> Result<Op<Reg, Pc>, ParseError> {
        let Op::Control(ControlOp::Call { target, returns, args }) = op else {
            return Ok(Op::Control(ControlOp::Ret));
        };
        let Some(number) = self.functions.called(target, line) else {
            let args = if target == ASSERTION { names.addresses(args, place)? } else { Vec::new() };
            return Ok(Op::Control(ControlOp::CallMissing { name: target.clone(), args }));
        };
        let callee = (self.functions.all[number], number, self.starts[number]);
        let (op, site) = calls::site(names, layout, callee, (returns, args), place)?;
        self.calls.insert(pc, site);
        Ok(op)
    }
}

fn inst(op: Op<Reg, Pc>, guard: Option<(Reg, bool)>, span: Span, loc: Option<Loc>) -> Inst {
    let (line, file) = loc.map_or((None, 0), |loc| (Some(loc.line), loc.file));
    Inst { op, guard, span, line, file }
}

/// Whether an instruction updates 8 bytes or more atomically, possibly in global memory.
fn changes_pairs(op: &Op<Reg, Pc>) -> bool {
    matches!(op, Op::Memory(MemoryOp::Atom { ty, space, .. }) if ty.bits() >= 64 && *space != Space::Shared)
}

fn no_entry(module: &Module, name: &str) -> ParseError {
    let names: Vec<_> = module.functions.iter().map(|f| f.name.as_str()).collect();
    let message = match names[..] {
        [] => "this module has no kernel".to_owned(),
        _ => format!("there is no kernel `{name}`, only {}", names.join(", ")),
    };
    ParseError::new(Span::default(), message)
}

/// The index of the instruction after each label, by the label's scope and name.
struct Labels<'a>(HashMap<(Scope, &'a str), Pc>);

/// The labels of a function's body whose first instruction has the index `start`.
fn labels(function: &Function, start: Pc) -> Result<Labels<'_>, ParseError> {
    let mut labels = HashMap::new();
    let Pc(mut pc) = start;
    for statement in &function.body {
        match statement {
            Statement::Label(name, scope, span) => {
                if labels.insert((*scope, name.as_str()), Pc(pc)).is_some() {
                    return Err(ParseError::new(
                        *span,
                        format!("the label `{name}` stands here again"),
                    ));
                }
            }
            Statement::Instruction { .. } => pc += 1,
            Statement::NoUnroll(_) | Statement::Index(_) => {}
        }
    }
    Ok(Labels(labels))
}

impl Labels<'_> {
    fn find(
        &self,
        function: &Function,
        name: &str,
        place: names::SourceScope,
    ) -> Result<Pc, ParseError> {
        let mut scopes = function.enclosing(place.scope);
        let found = scopes.find_map(|scope| self.0.get(&(scope, name)));
        found
            .copied()
            .ok_or_else(|| ParseError::new(place.span, format!("there is no label `{name}`")))
    }
}
