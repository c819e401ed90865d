//! Resolution of a function's names, and the register rows allocated so far.

use super::layout::VariableLayout;
use crate::sim::access::Pc;
use crate::sim::program::{Reg, RegFile, Register, RowCounts, RowInit};
use crate::sim::special::Special;
use ptx::{
    Address, AsyncOp, CARRY_FLAG, ControlOp, CopyPart, Function, Guard, LaneOp, MemoryOp, Op,
    Operand, Param, ParseError, Scope, Space, Span, Type, Use,
};
use std::collections::HashMap;

/// Maximum number of registers in a file: PTX uses one per value; later most of them share rows.
const MAX_REGISTERS: u16 = 1 << 15;

/// The kernel's number among the functions of its launch.
const KERNEL: usize = 0;

/// The location of a name.
#[derive(Clone, Copy)]
pub(super) struct SourceScope {
    pub(super) scope: Scope,
    pub(super) span: Span,
}

/// The allocated rows, and those that are initialised before the run.
#[derive(Default)]
pub(super) struct RowAllocation {
    rows: RowCounts,
    init: HashMap<(RegFile, RowInit), Reg>,
    registers: Vec<Register>,
}

impl RowAllocation {
    /// The row that is initialised with `init`.
    pub(super) fn initialised(
        &mut self,
        file: RegFile,
        init: RowInit,
        span: Span,
    ) -> Result<Reg, ParseError> {
        if let Some(reg) = self.init.get(&(file, init)) {
            return Ok(*reg);
        }
        let reg = self.row(file, span)?;
        self.init.insert((file, init), reg);
        Ok(reg)
    }

    /// A new row.
    pub(super) fn row(&mut self, file: RegFile, span: Span) -> Result<Reg, ParseError> {
        let next = match file {
            RegFile::Pred => &mut self.rows.preds,
            RegFile::Word => &mut self.rows.words,
            RegFile::Double => &mut self.rows.doubles,
        };
        let row = *next;
        if row == MAX_REGISTERS {
            let message = format!("more than {MAX_REGISTERS} registers are not supported");
            return Err(ParseError::new(span, message));
        }
        *next += 1;
        Ok(Reg { file, row })
    }

    /// The registers that no instruction writes, and what they hold.
    pub(super) fn given(&self) -> HashMap<Reg, RowInit> {
        self.init.iter().map(|((_, init), reg)| (*reg, *init)).collect()
    }

    /// The number of rows, their initial values, and the registers that the PTX names.
    pub(super) fn finish(self) -> (RowCounts, Vec<(Reg, RowInit)>, Vec<Register>) {
        let init = self.init.into_iter().map(|((_, init), reg)| (reg, init)).collect();
        (self.rows, init, self.registers)
    }
}

/// Name resolution for one function.
pub(super) struct NameResolver<'a, 'l> {
    function: &'a Function,
    layout: &'l VariableLayout<'a>,
    /// The function's number in the layout.
    number: usize,
    table: &'l mut RowAllocation,
    /// The registers seen so far, by declaring scope and name: row and declared type.
    registers: HashMap<(Scope, &'a str), (Reg, Type)>,
    carry_flag: Option<Reg>,
}

impl<'a, 'l> NameResolver<'a, 'l> {
    pub(super) fn new(
        function: &'a Function,
        layout: &'l VariableLayout<'a>,
        number: usize,
        table: &'l mut RowAllocation,
    ) -> Self {
        Self { function, layout, number, table, registers: HashMap::new(), carry_flag: None }
    }

    /// Translates an instruction: operands to rows, labels with `label`.
    pub(super) fn op(
        &mut self,
        op: &'a Op<Operand, String>,
        place: SourceScope,
        label: impl Fn(&str) -> Result<Pc, ParseError>,
    ) -> Result<Op<Reg, Pc>, ParseError> {
        if let Op::Memory(MemoryOp::Ld { space: Space::Param, ty, dst, addr, .. }) = op
            && let ([dst], Some(param)) = (&dst[..], self.kernel_param(&addr.base, place.scope))
        {
            return self.load_param(*ty, dst, (param, addr.offset), place);
        }
        if let Op::Lane(LaneOp::Mov { ty, dst, src: Operand::Name(name, _) }) = op
            && !ty.is_float()
            && *ty != Type::Pred
            && is_clock(name)
        {
            let (dst, upper) = (self.operand(dst, *ty, Use::Write, place)?, name.ends_with("_hi"));
            return Ok(Op::Control(ControlOp::Clock { ty: *ty, upper, dst }));
        }
        let of_frame = self.params_are_local(op, place.scope);
        let copies = op.is_async_copy();
        let operand = |of: &'a Operand, ty, how| {
            let ignored = copies && how == Use::Extent && self.is_predicate(of, place)?;
            self.operand(of, if ignored { Type::Pred } else { ty }, how, place)
        };
        let mut op = op.map(operand, |name| label(name))?;
        if let Op::Async(AsyncOp::Copy { part, .. }) = &mut op
            && let CopyPart::First(pred @ Reg { file: RegFile::Pred, .. }) = *part
        {
            *part = CopyPart::Unless { pred, negated: false };
        }
        if let Op::Memory(MemoryOp::Ld { space, .. } | MemoryOp::St { space, .. })
        | Op::Lane(LaneOp::Cvta { space, .. }) = &mut op
            && *space == Space::Param
        {
            *space = if of_frame { Space::Local } else { Space::Const };
        }
        if let Op::Memory(MemoryOp::St { space: Space::Const, .. }) = op {
            return Err(ParseError::new(place.span, "a kernel's parameters cannot be written to"));
        }
        Ok(op)
    }

    /// Whether an instruction's `.param` operand is part of the function's frame rather than one of
    /// the launch's parameters.
    fn params_are_local<L>(&self, op: &Op<Operand, L>, scope: Scope) -> bool {
        let variable = match op {
            Op::Memory(
                MemoryOp::Ld { addr: Address { base: Operand::Name(name, _), .. }, .. }
                | MemoryOp::St { addr: Address { base: Operand::Name(name, _), .. }, .. },
            ) => self.variable(name, scope),
            _ => None,
        };
        self.number != KERNEL || matches!(variable, Some(RowInit::Local(_)))
    }

    /// The kernel parameter that `operand` names.
    fn kernel_param(&self, operand: &Operand, scope: Scope) -> Option<&'a Param> {
        let Operand::Name(name, _) = operand else { return None };
        self.param(name).filter(|_| self.variable(name, scope).is_none())
    }

    fn param(&self, name: &str) -> Option<&'a Param> {
        let mut params = self.function.params.iter();
        params.find(|param| self.number == KERNEL && param.name == name)
    }

    /// `ld.param`: a parameter has the same value in every lane, so it becomes a row initialised
    /// before the run.
    fn load_param(
        &mut self,
        ty: Type,
        dst: &'a Operand,
        (param, offset): (&Param, i64),
        place: SourceScope,
    ) -> Result<Op<Reg, Pc>, ParseError> {
        let span = place.span;
        let end = offset.saturating_add(i64::from(ty.bytes()));
        let inside = offset >= 0 && end <= i64::from(param.bytes);
        if !inside {
            return Err(ParseError::new(
                span,
                format!("this reads beyond the parameter `{}`", param.name),
            ));
        }
        let dst = self.operand(dst, ty, Use::WriteExtended, place)?;
        let init = RowInit::Param(param.offset + offset as u32, ty);
        let src = self.table.initialised(dst.file, init, span)?;
        Ok(Op::Lane(LaneOp::Mov { ty, dst, src }))
    }

    pub(super) fn guard(
        &mut self,
        guard: &'a Guard,
        place: SourceScope,
    ) -> Result<(Reg, bool), ParseError> {
        let reg = self.register(&guard.register, place)?;
        let reg = reg.map(|(reg, _)| reg).filter(|reg| reg.file == RegFile::Pred);
        let reg = reg.ok_or_else(|| {
            ParseError::new(place.span, format!("`{}` is not a predicate register", guard.register))
        })?;
        Ok((reg, guard.negated))
    }

    pub(super) fn operand(
        &mut self,
        operand: &'a Operand,
        ty: Type,
        how: Use,
        place: SourceScope,
    ) -> Result<Reg, ParseError> {
        let span = place.span;
        let file = RegFile::of(ty);
        if let Operand::Name(name, span) = operand {
            return self.name(name, ty, how, SourceScope { span: *span, ..place });
        }
        let constant = operand.bits(ty);
        let constant = constant
            .ok_or_else(|| ParseError::new(span, format!("this literal is not of type .{ty}")))?;
        if how.writes() {
            return Err(ParseError::new(span, "a literal cannot be written to"));
        }
        let mask = if ty.bits() == 64 { u64::MAX } else { (1 << ty.bits()) - 1 };
        self.table.initialised(file, RowInit::Constant(constant & mask), span)
    }

    fn name(
        &mut self,
        name: &'a str,
        ty: Type,
        how: Use,
        place: SourceScope,
    ) -> Result<Reg, ParseError> {
        let span = place.span;
        let writes = how.writes();
        if name == "_" && writes {
            return self.table.row(RegFile::of(ty), span);
        }
        if let Some((reg, declared)) = self.register(name, place)? {
            let misfit = || {
                ParseError::new(span, format!("`{name}` is a .{declared}, and this takes .{ty}"))
            };
            return if fits(declared, ty, how) { Ok(reg) } else { Err(misfit()) };
        }
        let (init, widest) = if let Some((special, widest)) = Special::from_name(name) {
            (RowInit::Special(special), widest)
        } else if let Some(value) = self.layout.special(name) {
            (RowInit::Constant(value.into()), 32)
        } else if let Some(init) = self.variable(name, place.scope) {
            (init, 64)
        } else if let Some(param) = self.param(name) {
            (RowInit::ParamAddress(param.offset), 64)
        } else {
            return Err(ParseError::new(
                span,
                format!("`{name}` is not declared, or not supported"),
            ));
        };
        if writes {
            return Err(ParseError::new(span, format!("`{name}` cannot be written to")));
        }
        let is_pred = ty == Type::Pred;
        if is_pred != (widest == 1) || ty.is_float() || !is_pred && ty.bits() > widest {
            return Err(ParseError::new(
                span,
                format!("`{name}` has at most {widest} bits, and this takes .{ty}"),
            ));
        }
        self.table.initialised(RegFile::of(ty), init, span)
    }

    /// The addresses of arguments passed in local memory; empty if any argument is not.
    pub(super) fn addresses(
        &mut self,
        args: &'a [Operand],
        place: SourceScope,
    ) -> Result<Vec<Reg>, ParseError> {
        let is_local = |arg: &Operand| match arg {
            Operand::Name(name, _) => {
                matches!(self.variable(name, place.scope), Some(RowInit::Local(_)))
            }
            _ => false,
        };
        if !args.iter().all(is_local) {
            return Ok(Vec::new());
        }
        args.iter().map(|arg| self.operand(arg, Type::U64, Use::Read, place)).collect()
    }

    /// The value of a variable's name, looked up from the innermost scope out to the module.
    pub(super) fn variable(&self, name: &str, scope: Scope) -> Option<RowInit> {
        let variables = &self.function.variables;
        let declared = |scope| variables.iter().position(|v| v.scope == scope && v.name == name);
        let own = self.function.enclosing(scope).find_map(declared);
        let own = own.map(|index| self.layout.own(self.number, index));
        let formal = || self.layout.formal_named(self.number, name);
        own.or_else(formal).or_else(|| self.layout.symbol(name))
    }

    fn is_predicate(
        &mut self,
        operand: &'a Operand,
        place: SourceScope,
    ) -> Result<bool, ParseError> {
        let Operand::Name(name, _) = operand else { return Ok(false) };
        Ok(self.register(name, place)?.is_some_and(|(_, ty)| ty == Type::Pred))
    }

    fn carry_flag(&mut self, span: Span) -> Result<Reg, ParseError> {
        if let Some(flag) = self.carry_flag {
            return Ok(flag);
        }
        let flag = self.table.row(RegFile::Pred, span)?;
        self.carry_flag = Some(flag);
        Ok(flag)
    }

    /// The row and type of a declared register; the row is allocated on first use.
    fn register(
        &mut self,
        name: &'a str,
        place: SourceScope,
    ) -> Result<Option<(Reg, Type)>, ParseError> {
        if name == CARRY_FLAG {
            return self.carry_flag(place.span).map(|reg| Some((reg, Type::Pred)));
        }
        for scope in self.function.enclosing(place.scope) {
            if let Some(known) = self.registers.get(&(scope, name)) {
                return Ok(Some(*known));
            }
            let mut registers = self.function.registers.iter();
            let declared = registers.find(|reg| reg.scope == scope && reg.declares(name));
            if let Some(declared) = declared {
                let (reg, ty) =
                    (self.table.row(RegFile::of(declared.ty), place.span)?, declared.ty);
                self.table.registers.push(Register { reg, name: name.to_owned(), ty });
                let known = (reg, ty);
                self.registers.insert((scope, name), known);
                return Ok(Some(known));
            }
        }
        Ok(None)
    }
}

/// Whether this is a special register whose value may differ at each read.
///
/// `%clock` counts the instructions that the block has issued: steps, not time.
fn is_clock(name: &str) -> bool {
    let timers = ["%globaltimer", "%globaltimer_lo", "%globaltimer_hi"];
    ["%clock", "%clock_hi", "%clock64"].contains(&name) || timers.contains(&name)
}

/// Whether a register can be used as a `ty`: untyped bits and integers of either signedness are
/// interchangeable (PTX ISA, "Operand Type Checking Rules").
fn fits(register: Type, ty: Type, how: Use) -> bool {
    if register.is_float() && ty.is_integer() || register.is_integer() && ty.is_float() {
        return false;
    }
    // Floating-point formats are not interchangeable, except that a `.tf32` may be in any 32-bit
    // register.
    if register.is_float() && ty.is_float() && register != ty && ty != Type::Tf32 {
        return false;
    }
    match how {
        Use::Read | Use::Write | Use::Extent => register.bits() == ty.bits(),
        Use::ReadLow | Use::WriteExtended if ty.is_float() => register.bits() == ty.bits(),
        Use::ReadLow | Use::WriteExtended => register.bits() >= ty.bits(),
        Use::Address => register.bits() >= 32,
    }
}
