//! Names to rows, labels to numbers, once, before the run.

use super::cfg;
use super::program::{File, Init, Inst, Program, Reg, Rows, SharedArray, Special};
use super::step::Pc;
use crate::ptx::{
    Function, Guard, Module, Op, Operand, ParseError, Space, Span, Statement, Type, Use,
};
use std::collections::HashMap;

/// Most rows that a file may have: more than any GPU has registers for, few enough to allocate.
const MAX_ROWS: u16 = 4096;

/// Most bytes of shared memory that any GPU so far gives one block (compute capability 9.0).
const MAX_SHARED: u32 = 227 * 1024;

/// Makes the kernel `name` of a module ready to run.
///
/// # Errors
/// No such kernel; an unknown register or label; an operand of the wrong width; a form of an
/// instruction that is not supported. Each names its place in the text.
pub fn lower(module: &Module, name: &str) -> Result<Program, ParseError> {
    let function = module.entry(name).ok_or_else(|| no_entry(module, name))?;
    let labels = labels(function)?;
    let (shared, shared_bytes) = place_shared(module, function)?;
    let mut names = Names::new(function, &shared);
    let mut insts: Vec<Inst> = Vec::new();
    for statement in &function.body {
        let Statement::Instruction { guard, op, span, loc } = statement else { continue };
        let line = loc.map(|loc| loc.line).filter(|line| *line > 0);
        let line = line.or_else(|| insts.last().and_then(|inst: &Inst| inst.line));
        let op = names.op(op, &labels, *span)?;
        let guard = guard.as_ref().map(|guard| names.guard(guard, *span)).transpose()?;
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
    Ok(Program {
        name: name.to_owned(),
        shared: shared.iter().map(|(_, array)| array.clone()).collect(),
        shared_bytes,
        param_bytes: function.params.last().map_or(0, |p| p.offset + p.bytes),
        params: function.params.iter().map(|p| (p.ty, p.offset)).collect(),
        rows: names.rows,
        init: names.init.into_iter().map(|((_, init), reg)| (reg, init)).collect(),
        meet: graph.meet,
        ends: graph.ends,
        insts,
    })
}

fn no_entry(module: &Module, name: &str) -> ParseError {
    let names: Vec<_> = module.functions.iter().map(|f| f.name.as_str()).collect();
    let message = match names[..] {
        [] => "this module has no kernel".to_owned(),
        _ => format!("there is no kernel `{name}`, only {}", names.join(", ")),
    };
    ParseError { message, span: Span::default() }
}

/// The number of the instruction behind each label.
fn labels(function: &Function) -> Result<HashMap<&str, Pc>, ParseError> {
    let mut labels = HashMap::new();
    let mut pc = 0;
    for statement in &function.body {
        match statement {
            Statement::Label(name, span) => {
                if labels.insert(name.as_str(), Pc(pc)).is_some() {
                    return Err(error(*span, format!("the label `{name}` stands here again")));
                }
            }
            Statement::Instruction { .. } => pc += 1,
        }
    }
    Ok(labels)
}

/// Every shared variable at the next address of its alignment: (mangled name, array).
fn place_shared(
    module: &Module,
    function: &Function,
) -> Result<(Vec<(String, SharedArray)>, u32), ParseError> {
    let mut arrays = Vec::new();
    let mut end = 0_u32;
    for variable in module.variables.iter().chain(&function.variables) {
        let offset = end.next_multiple_of(variable.align);
        end = offset.saturating_add(variable.bytes);
        if variable.space != Space::Shared || end > MAX_SHARED {
            let what = if end > MAX_SHARED {
                "needs more shared memory than a block can have"
            } else {
                "lies in local memory, which is not supported"
            };
            let message = format!("`{}` {what}", variable.source_name());
            return Err(error(variable.span, message));
        }
        let name = variable.source_name().to_owned();
        arrays.push((variable.name.clone(), SharedArray { name, offset, bytes: variable.bytes }));
    }
    Ok((arrays, end))
}

/// What the names of a function stand for, and the rows given out so far.
struct Names<'a> {
    function: &'a Function,
    shared: &'a [(String, SharedArray)],
    /// The registers met so far: row and declared type.
    registers: HashMap<&'a str, (Reg, Type)>,
    init: HashMap<(File, Init), Reg>,
    rows: Rows,
}

impl<'a> Names<'a> {
    fn new(function: &'a Function, shared: &'a [(String, SharedArray)]) -> Self {
        let (registers, init, rows) = (HashMap::new(), HashMap::new(), Rows::default());
        Self { function, shared, registers, init, rows }
    }

    fn op(
        &mut self,
        op: &'a Op<Operand, String>,
        labels: &HashMap<&str, Pc>,
        span: Span,
    ) -> Result<Op<Reg, Pc>, ParseError> {
        if let Op::Ld { space: Space::Param, ty, dst, addr, .. } = op {
            return self.load_param(*ty, dst, &addr.base, addr.offset, span);
        }
        op.map(
            |operand, ty, how| self.operand(operand, ty, how, span),
            |label| {
                let pc = labels.get(label.as_str()).copied();
                pc.ok_or_else(|| error(span, format!("there is no label `{label}`")))
            },
        )
    }

    /// `ld.param`: a parameter is the same in every lane, so it is a row filled before the start.
    fn load_param(
        &mut self,
        ty: Type,
        dst: &'a [Operand],
        base: &Operand,
        offset: i64,
        span: Span,
    ) -> Result<Op<Reg, Pc>, ParseError> {
        let param = match base {
            Operand::Name(name, _) => self.function.params.iter().find(|p| p.name == *name),
            _ => None,
        };
        let param = param.ok_or_else(|| error(span, "this is not a parameter of the kernel"))?;
        let [dst] = dst else {
            return Err(error(span, "`ld.param` of a vector is not supported"));
        };
        let end = offset.saturating_add(i64::from(ty.bytes()));
        let inside = offset >= 0 && end <= i64::from(param.bytes);
        if !inside {
            return Err(error(span, format!("this reads beyond the parameter `{}`", param.name)));
        }
        let dst = self.operand(dst, ty, Use::WriteExtended, span)?;
        let init = Init::Param(param.offset + offset as u32, ty);
        let src = self.initialised(dst.file, init, span)?;
        Ok(Op::Mov { ty, dst, src })
    }

    fn guard(&mut self, guard: &'a Guard, span: Span) -> Result<(Reg, bool), ParseError> {
        let reg = self.register(&guard.register, span)?;
        let reg = reg.map(|(reg, _)| reg).filter(|reg| reg.file == File::Pred);
        let reg = reg.ok_or_else(|| {
            error(span, format!("`{}` is not a predicate register", guard.register))
        })?;
        Ok((reg, guard.negated))
    }

    fn operand(
        &mut self,
        operand: &'a Operand,
        ty: Type,
        how: Use,
        span: Span,
    ) -> Result<Reg, ParseError> {
        let file = File::of(ty);
        let constant = match operand {
            Operand::Name(name, span) => return self.name(name, ty, how, *span),
            Operand::Integer(value) if ty == Type::Pred => u64::from(*value != 0),
            Operand::Integer(value) if !ty.is_float() => *value,
            Operand::Float32(bits) if matches!(ty, Type::F32 | Type::B32) => u64::from(*bits),
            Operand::Float64(bits) if matches!(ty, Type::F64 | Type::B64) => *bits,
            Operand::Integer(_) | Operand::Float32(_) | Operand::Float64(_) => {
                return Err(error(span, format!("this literal is not of type .{ty}")));
            }
        };
        if matches!(how, Use::Write | Use::WriteExtended) {
            return Err(error(span, "a literal cannot be written to"));
        }
        let mask = if ty.bits() == 64 { u64::MAX } else { (1 << ty.bits()) - 1 };
        self.initialised(file, Init::Constant(constant & mask), span)
    }

    fn name(&mut self, name: &'a str, ty: Type, how: Use, span: Span) -> Result<Reg, ParseError> {
        let writes = matches!(how, Use::Write | Use::WriteExtended);
        if name == "_" && writes {
            return self.row(File::of(ty), span);
        }
        if let Some((reg, declared)) = self.register(name, span)? {
            let misfit = || error(span, format!("`{name}` is a .{declared}, and this takes .{ty}"));
            return if fits(declared, ty, how) { Ok(reg) } else { Err(misfit()) };
        }
        let (init, widest) = if let Some(special) = Special::from_name(name) {
            (Init::Special(special), 32)
        } else if let Some((_, array)) = self.shared.iter().find(|(mangled, _)| mangled == name) {
            (Init::Shared(array.offset), 64)
        } else {
            return Err(error(span, format!("`{name}` is not declared, or not supported")));
        };
        if writes {
            return Err(error(span, format!("`{name}` cannot be written to")));
        }
        if ty == Type::Pred || ty.is_float() || ty.bits() > widest {
            return Err(error(
                span,
                format!("`{name}` has at most {widest} bits, and this takes .{ty}"),
            ));
        }
        self.initialised(File::of(ty), init, span)
    }

    /// The row of a declared register, given out when it is first met, and its type.
    fn register(&mut self, name: &'a str, span: Span) -> Result<Option<(Reg, Type)>, ParseError> {
        if let Some(known) = self.registers.get(name) {
            return Ok(Some(*known));
        }
        let declared = self.function.registers.iter().find(|declared| declared.declares(name));
        let Some(declared) = declared else { return Ok(None) };
        let known = (self.row(File::of(declared.ty), span)?, declared.ty);
        self.registers.insert(name, known);
        Ok(Some(known))
    }

    /// The row that holds `init` from the start.
    fn initialised(&mut self, file: File, init: Init, span: Span) -> Result<Reg, ParseError> {
        if let Some(reg) = self.init.get(&(file, init)) {
            return Ok(*reg);
        }
        let reg = self.row(file, span)?;
        self.init.insert((file, init), reg);
        Ok(reg)
    }

    fn row(&mut self, file: File, span: Span) -> Result<Reg, ParseError> {
        let next = match file {
            File::Pred => &mut self.rows.preds,
            File::Word => &mut self.rows.words,
            File::Double => &mut self.rows.doubles,
        };
        let row = *next;
        if row == MAX_ROWS {
            return Err(error(span, format!("more than {MAX_ROWS} registers are not supported")));
        }
        *next += 1;
        Ok(Reg { file, row })
    }
}

/// Whether a register can be used so as a `ty`: untyped bits and integers of either sign are
/// taken for each other (PTX ISA, "Operand Type Checking Rules").
fn fits(register: Type, ty: Type, how: Use) -> bool {
    if register.is_float() && ty.is_integer() || register.is_integer() && ty.is_float() {
        return false;
    }
    match how {
        Use::Read | Use::Write => register.bits() == ty.bits(),
        Use::ReadLow | Use::WriteExtended if ty.is_float() => register.bits() == ty.bits(),
        Use::ReadLow | Use::WriteExtended => register.bits() >= ty.bits(),
        Use::Address => register.bits() >= 32,
    }
}

fn error(span: Span, message: impl Into<String>) -> ParseError {
    ParseError { message: message.into(), span }
}
