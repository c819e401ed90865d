//! Names to rows, labels to numbers, once, before the run.

mod layout;
mod names;

use super::cfg;
use super::program::{Init, Inst, Program, Reg};
use super::step::Pc;
use crate::ptx::{Function, Module, Op, ParseError, Scope, Space, Span, Statement};
use layout::Layout;
use names::{Names, Table};
use std::collections::HashMap;

/// Makes the kernel `name` of a module ready to run, without dynamic shared memory.
///
/// # Errors
/// See [`lower_with`].
pub fn lower(module: &Module, name: &str) -> Result<Program, ParseError> {
    lower_with(module, name, 0)
}

/// Makes the kernel `name` of a module ready to run in blocks with `dynamic_shared` bytes of
/// dynamic shared memory (CUDA C++ Programming Guide, "Execution Configuration": the launch's
/// third figure), in which every `extern __shared__` array lies.
///
/// # Errors
/// No such kernel; an unknown register or label; an operand of the wrong width; more shared
/// memory than a block can have; a form of an instruction that is not supported. Each names its
/// place in the text.
pub fn lower_with(module: &Module, name: &str, dynamic_shared: u32) -> Result<Program, ParseError> {
    let function = module.entry(name).ok_or_else(|| no_entry(module, name))?;
    let labels = labels(function)?;
    let layout = Layout::new(module, &[function], dynamic_shared)?;
    let mut table = Table::default();
    let mut names = Names::new(function, &layout, 0, &mut table);
    let mut insts: Vec<Inst> = Vec::new();
    for statement in &function.body {
        let Statement::Instruction { guard, op, scope, span, loc } = statement else { continue };
        let line = loc.map(|loc| loc.line).filter(|line| *line > 0);
        let line = line.or_else(|| insts.last().and_then(|inst: &Inst| inst.line));
        let place = names::Place { scope: *scope, span: *span };
        let op = names.op(op, place, |label| labels.find(function, label, place))?;
        let guard = guard.as_ref().map(|guard| names.guard(guard, place)).transpose()?;
        insts.push(Inst { op, guard, span: *span, line });
    }
    // A body may run off its end; that ends the thread as well.
    let end = insts.last().map_or_else(Span::default, |inst| inst.span);
    insts.push(Inst {
        op: Op::Ret,
        guard: None,
        span: end,
        line: insts.last().and_then(|i| i.line),
    });
    let graph = cfg::analyse(&insts);
    let (rows, init, registers) = table.finish();
    let names_param_address = init.iter().any(|(_, init)| matches!(init, Init::ParamAddress(_)));
    Ok(Program {
        name: name.to_owned(),
        shared: layout.shared,
        shared_bytes: layout.shared_bytes,
        variables: layout.variables,
        frames: layout.frames,
        params_in_memory: names_param_address,
        atomic_pairs: insts.iter().any(|inst| changes_pairs(&inst.op)),
        param_bytes: function.params.last().map_or(0, |p| p.offset + p.bytes),
        params: function.params.clone(),
        rows,
        init,
        registers,
        meet: graph.meet,
        ends: graph.ends,
        insts,
    })
}

/// Whether an instruction changes 8 bytes as one, which may be in global memory.
fn changes_pairs(op: &Op<Reg, Pc>) -> bool {
    matches!(op, Op::Atom { ty, space, .. } if ty.bits() == 64 && *space != Space::Shared)
}

fn no_entry(module: &Module, name: &str) -> ParseError {
    let names: Vec<_> = module.functions.iter().map(|f| f.name.as_str()).collect();
    let message = match names[..] {
        [] => "this module has no kernel".to_owned(),
        _ => format!("there is no kernel `{name}`, only {}", names.join(", ")),
    };
    ParseError { message, span: Span::default() }
}

/// The number of the instruction behind each label, by the label's scope and name.
struct Labels<'a>(HashMap<(Scope, &'a str), Pc>);

/// The labels of a function's body.
fn labels(function: &Function) -> Result<Labels<'_>, ParseError> {
    let mut labels = HashMap::new();
    let mut pc = 0;
    for statement in &function.body {
        match statement {
            Statement::Label(name, scope, span) => {
                if labels.insert((*scope, name.as_str()), Pc(pc)).is_some() {
                    return Err(error(*span, format!("the label `{name}` stands here again")));
                }
            }
            Statement::Instruction { .. } => pc += 1,
        }
    }
    Ok(Labels(labels))
}

impl Labels<'_> {
    fn find(&self, function: &Function, name: &str, place: names::Place) -> Result<Pc, ParseError> {
        let mut scopes = function.enclosing(place.scope);
        let found = scopes.find_map(|scope| self.0.get(&(scope, name)));
        found.copied().ok_or_else(|| error(place.span, format!("there is no label `{name}`")))
    }
}

fn error(span: Span, message: impl Into<String>) -> ParseError {
    ParseError { message: message.into(), span }
}
