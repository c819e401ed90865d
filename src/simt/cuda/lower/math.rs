//! Functions of CUDA that are one instruction, and which function the name of an overloaded one means.

use super::lowering::Lowering;
use super::stop::Result;
use super::value::{Class, Held, Reg, Value};
use crate::cuda::ast::Expr;
use crate::cuda::at::At;
use crate::cuda::error::Error;
use crate::cuda::types::Scalar::{BF16, BF16x2, F16, F16x2, F32, F64, I32, I64, U16, U32, U64};
use crate::cuda::types::{Scalar, Space, Type};

/// A function: its name, its instruction, the types that this takes, and the one that it gives.
type Direct = (&'static str, &'static str, &'static [Scalar], Scalar);

/// Functions of one instruction (CUDA Math API; PTX ISA).
const DIRECT: &[Direct] = &[
    ("sqrtf", "sqrt.rn.f32", &[F32], F32),
    ("sqrt", "sqrt.rn.f64", &[F64], F64),
    ("rsqrtf", "rsqrt.approx.f32", &[F32], F32),
    ("rsqrt", "rsqrt.approx.f64", &[F64], F64),
    ("fabsf", "abs.f32", &[F32], F32),
    ("fabs", "abs.f64", &[F64], F64),
    ("floorf", "cvt.rmi.f32.f32", &[F32], F32),
    ("floor", "cvt.rmi.f64.f64", &[F64], F64),
    ("ceilf", "cvt.rpi.f32.f32", &[F32], F32),
    ("ceil", "cvt.rpi.f64.f64", &[F64], F64),
    ("truncf", "cvt.rzi.f32.f32", &[F32], F32),
    ("trunc", "cvt.rzi.f64.f64", &[F64], F64),
    ("rintf", "cvt.rni.f32.f32", &[F32], F32),
    ("rint", "cvt.rni.f64.f64", &[F64], F64),
    ("nearbyintf", "cvt.rni.f32.f32", &[F32], F32),
    ("fminf", "min.f32", &[F32, F32], F32),
    ("fmaxf", "max.f32", &[F32, F32], F32),
    ("fmin", "min.f64", &[F64, F64], F64),
    ("fmax", "max.f64", &[F64, F64], F64),
    ("fmaf", "fma.rn.f32", &[F32, F32, F32], F32),
    ("fma", "fma.rn.f64", &[F64, F64, F64], F64),
    ("exp2f", "ex2.approx.f32", &[F32], F32),
    ("__log2f", "lg2.approx.f32", &[F32], F32),
    ("__sinf", "sin.approx.f32", &[F32], F32),
    ("__cosf", "cos.approx.f32", &[F32], F32),
    ("__fdividef", "div.approx.f32", &[F32, F32], F32),
    ("fdividef", "div.approx.f32", &[F32, F32], F32),
    ("__saturatef", "cvt.sat.f32.f32", &[F32], F32),
    ("__frcp_rn", "rcp.rn.f32", &[F32], F32),
    ("__fsqrt_rn", "sqrt.rn.f32", &[F32], F32),
    ("__frsqrt_rn", "rsqrt.approx.f32", &[F32], F32),
    ("__fdiv_rn", "div.rn.f32", &[F32, F32], F32),
    ("__fadd_rn", "add.rn.f32", &[F32, F32], F32),
    ("__fadd_rz", "add.rz.f32", &[F32, F32], F32),
    ("__fsub_rn", "sub.rn.f32", &[F32, F32], F32),
    ("__fmul_rn", "mul.rn.f32", &[F32, F32], F32),
    ("__fmul_rz", "mul.rz.f32", &[F32, F32], F32),
    ("__fmaf_rn", "fma.rn.f32", &[F32, F32, F32], F32),
    ("__fmaf_rz", "fma.rz.f32", &[F32, F32, F32], F32),
    ("__fmaf_rd", "fma.rm.f32", &[F32, F32, F32], F32),
    ("__dadd_rn", "add.rn.f64", &[F64, F64], F64),
    ("__dmul_rn", "mul.rn.f64", &[F64, F64], F64),
    ("__fma_rn", "fma.rn.f64", &[F64, F64, F64], F64),
    ("__ex2_approx_ftz", "ex2.approx.ftz.f32", &[F32], F32),
    ("__lg2_approx_ftz", "lg2.approx.ftz.f32", &[F32], F32),
    ("__rcp_approx_ftz", "rcp.approx.ftz.f32", &[F32], F32),
    ("__sqrt_approx_ftz", "sqrt.approx.ftz.f32", &[F32], F32),
    ("__rsqrt_approx_ftz", "rsqrt.approx.ftz.f32", &[F32], F32),
    ("__rcp_approx_ftz_double", "rcp.approx.ftz.f64", &[F64], F64),
    ("__float2int_rn", "cvt.rni.s32.f32", &[F32], I32),
    ("__float2int_rz", "cvt.rzi.s32.f32", &[F32], I32),
    ("__float2int_rd", "cvt.rmi.s32.f32", &[F32], I32),
    ("__float2int_ru", "cvt.rpi.s32.f32", &[F32], I32),
    ("__float2uint_rn", "cvt.rni.u32.f32", &[F32], U32),
    ("__float2uint_rz", "cvt.rzi.u32.f32", &[F32], U32),
    ("__int2float_rn", "cvt.rn.f32.s32", &[I32], F32),
    ("__uint2float_rn", "cvt.rn.f32.u32", &[U32], F32),
    ("__double2float_rn", "cvt.rn.f32.f64", &[F64], F32),
    ("__double2int_rz", "cvt.rzi.s32.f64", &[F64], I32),
    ("__double2int_rn", "cvt.rni.s32.f64", &[F64], I32),
    ("__int2double_rn", "cvt.rn.f64.s32", &[I32], F64),
    ("__double_as_longlong", "mov.b64", &[F64], I64),
    ("__longlong_as_double", "mov.b64", &[I64], F64),
    ("__popc", "popc.b32", &[U32], I32),
    ("__popcll", "popc.b64", &[U64], I32),
    ("__clz", "clz.b32", &[I32], I32),
    ("__clzll", "clz.b64", &[I64], I32),
    ("__brev", "brev.b32", &[U32], U32),
    ("__mulhi", "mul.hi.s32", &[I32, I32], I32),
    ("__umulhi", "mul.hi.u32", &[U32, U32], U32),
    ("__mul24", "mul24.lo.s32", &[I32, I32], I32),
    ("__umul24", "mul24.lo.u32", &[U32, U32], U32),
    ("__sad", "sad.s32", &[I32, I32, U32], U32),
    ("__permuted_bytes", "prmt.b32", &[U32, U32, U32], U32),
    ("__hadd_rn", "add.rn.f16", &[F16, F16], F16),
    ("__hsub_rn", "sub.rn.f16", &[F16, F16], F16),
    ("__hmul_rn", "mul.rn.f16", &[F16, F16], F16),
    ("__hfma", "fma.rn.f16", &[F16, F16, F16], F16),
    ("__hmax", "max.f16", &[F16, F16], F16),
    ("__hmin", "min.f16", &[F16, F16], F16),
    ("__hneg", "neg.f16", &[F16], F16),
    ("__habs", "abs.f16", &[F16], F16),
    ("hfloor", "cvt.rmi.f16.f16", &[F16], F16),
    ("hceil", "cvt.rpi.f16.f16", &[F16], F16),
    ("htrunc", "cvt.rzi.f16.f16", &[F16], F16),
    ("hrint", "cvt.rni.f16.f16", &[F16], F16),
    ("__hadd2_rn", "add.rn.f16x2", &[F16x2, F16x2], F16x2),
    ("__hmul2_rn", "mul.rn.f16x2", &[F16x2, F16x2], F16x2),
    ("__hfma2", "fma.rn.f16x2", &[F16x2, F16x2, F16x2], F16x2),
    ("__hmax2", "max.f16x2", &[F16x2, F16x2], F16x2),
    ("__hmin2", "min.f16x2", &[F16x2, F16x2], F16x2),
    ("__hneg2", "neg.f16x2", &[F16x2], F16x2),
    ("__habs2", "abs.f16x2", &[F16x2], F16x2),
    ("__hfma", "fma.rn.bf16", &[BF16, BF16, BF16], BF16),
    ("__hmax", "max.bf16", &[BF16, BF16], BF16),
    ("__hmin", "min.bf16", &[BF16, BF16], BF16),
    ("__hneg", "neg.bf16", &[BF16], BF16),
    ("__habs", "abs.bf16", &[BF16], BF16),
    ("__hfma2", "fma.rn.bf16x2", &[BF16x2, BF16x2, BF16x2], BF16x2),
    ("__hmax2", "max.bf16x2", &[BF16x2, BF16x2], BF16x2),
    ("__hmin2", "min.bf16x2", &[BF16x2, BF16x2], BF16x2),
    ("__half_as_ushort", "mov.b16", &[F16], U16),
    ("__ushort_as_half", "mov.b16", &[U16], F16),
    ("__bfloat16_as_ushort", "mov.b16", &[BF16], U16),
    ("__ushort_as_bfloat16", "mov.b16", &[U16], BF16),
];

/// Functions that have a name for `float` with an `f` after it: the plain one takes both.
const OVERLOADED: &[&str] = &[
    "sqrt", "rsqrt", "fabs", "floor", "ceil", "trunc", "rint", "fmin", "fmax", "fma", "exp",
    "exp2", "log", "log2", "log10", "log1p", "tanh", "cosh", "erf", "round", "fmod", "pow", "sin",
    "cos", "copysign", "fdim",
];

/// Functions of some instructions on bits, and votes.
const OF_BITS: [&str; 14] = [
    "__float_as_int",
    "__float_as_uint",
    "__int_as_float",
    "__uint_as_float",
    "__double2loint",
    "__double2hiint",
    "__hiloint2double",
    "__ffs",
    "__ffsll",
    "__ballot_sync",
    "__any_sync",
    "__all_sync",
    "__activemask",
    "__cvta_generic_to_shared",
];

/// The names of all functions here.
pub(super) fn names() -> impl Iterator<Item = &'static str> {
    DIRECT.iter().map(|(name, ..)| *name).chain(OVERLOADED.iter().copied()).chain(OF_BITS)
}

impl<'a> Lowering<'a> {
    /// The name of the function that a call of an overloaded one means: that of `float` where no
    /// argument is a `double` or a whole number (C++, `<cmath>`).
    pub(super) fn overload(&mut self, name: &str, given: &'a [Expr]) -> Result<Option<String>> {
        let is_overloaded = OVERLOADED.contains(&name) || name == "abs";
        if !is_overloaded || given.is_empty() {
            return Ok(None);
        }
        let mut types = Vec::new();
        for one in given {
            types.push(self.type_of(one)?);
        }
        let is = |ty: &Type, wanted: Scalar| *ty == Type::Scalar(wanted);
        let is_float = types.iter().all(|ty| is(ty, F32));
        let is_double = types.iter().any(|ty| is(ty, F64));
        Ok(match name {
            "abs" => {
                (is_float || is_double).then(|| if is_float { "fabsf" } else { "fabs" }.to_owned())
            }
            "pow" if is(&types[0], F32) && types.get(1).is_some_and(|ty| is(ty, I32)) => {
                Some("__powif".to_owned())
            }
            _ => is_float.then(|| format!("{name}f")),
        })
    }

    /// A function of one instruction; `None` for another name.
    pub(super) fn direct(
        &mut self,
        at: At,
        name: &str,
        given: &'a [Expr],
    ) -> Result<Option<Value>> {
        let all: Vec<_> = DIRECT.iter().filter(|(own, ..)| *own == name).collect();
        let Some(first) = all.first() else { return Ok(None) };
        let mut values = given.iter().map(|one| self.value(one)).collect::<Result<Vec<_>>>()?;
        // Of those for halves, the one of the type that is given.
        let of = values.iter().find_map(|value| value.scalar().filter(|one| one.is_half()));
        let fits = |(_, _, takes, _): &&&Direct| of == takes.first().copied();
        let (_, text, takes, gives) = match (all.iter().find(fits), of) {
            (Some(one), _) => one,
            (None, Some(of)) if all.len() > 1 => {
                let told = format!("`{name}` of a `{}`", Type::Scalar(of));
                return Err(Error::outside(at, &told).into());
            }
            (None, _) => first,
        };
        if values.len() != takes.len() {
            let (wanted, count) = (takes.len(), values.len());
            let told = format!("`{name}` takes {wanted} arguments, and {count} are given");
            return Err(Error::at(at, told).into());
        }
        for (value, scalar) in values.iter_mut().zip(*takes) {
            let number = self.number(at, value.clone(), *scalar)?;
            *value = number;
        }
        if let (Some(known), [value]) = (known(name, &values), &*values)
            && value.is_constant()
        {
            return Ok(Some(known));
        }
        // The first operand is in a register, and the second of a minimum may be a constant.
        let is_short = values.iter().any(|value| value.scalar().is_some_and(|one| one.bytes() < 4));
        let all_in_registers = is_short || text.starts_with("mov") || takes.len() == 1;
        for (index, value) in values.iter_mut().enumerate() {
            if index == 0 || all_in_registers {
                *value = self.in_register(at, value.clone())?;
            }
        }
        self.instruction(at, text, &values, *gives).map(Some)
    }

    /// An instruction with a result.
    pub(super) fn instruction(
        &mut self,
        at: At,
        text: &str,
        values: &[Value],
        gives: Scalar,
    ) -> Result<Value> {
        let ty = Type::Scalar(gives);
        let register = self.code.register(&ty);
        // A short whole number is in a word.
        let is_short = matches!(gives, Scalar::U16) && text == "mov.b16";
        let mut operands = Vec::new();
        for value in values {
            operands.push(match value.scalar() {
                Some(U16) => self.short(at, value)?.to_string(),
                _ => value.to_string(),
            });
        }
        let operands = operands.join(", ");
        if is_short {
            let half = self.code.register_of(Class::Half);
            self.code.emit(Some(at), format!("{text} {half}, {operands}"))?;
            self.code.emit(Some(at), format!("cvt.u32.u16 {register}, {half}"))?;
        } else {
            self.code.emit(Some(at), format!("{text} {register}, {operands}"))?;
        }
        Ok(Value::in_register(ty, register))
    }

    /// A short whole number, which is in a word, in a register of 16 bits.
    pub(super) fn short(&mut self, at: At, value: &Value) -> Result<Reg> {
        let half = self.code.register_of(Class::Half);
        self.code.emit(Some(at), format!("cvt.u16.u32 {half}, {value}"))?;
        Ok(half)
    }

    /// Functions of some instructions on bits, and votes; `None` for another name.
    pub(super) fn of_bits(
        &mut self,
        at: At,
        name: &str,
        given: &'a [Expr],
    ) -> Result<Option<Value>> {
        Ok(Some(match name {
            "__float_as_int" | "__float_as_uint" | "__int_as_float" | "__uint_as_float" => {
                self.bits(at, name, given)?
            }
            "__double2loint" | "__double2hiint" => {
                let [value] = self.arguments(at, name, given)?;
                let value = self.number(at, value, F64)?;
                let value = self.in_register(at, value)?;
                let [low, high] = [(); 2].map(|()| self.code.register_of(Class::Word));
                self.code.emit(Some(at), format!("mov.b64 {{{low}, {high}}}, {value}"))?;
                Value::in_register(Type::INT, if name == "__double2loint" { low } else { high })
            }
            "__hiloint2double" => {
                let [high, low] = self.arguments(at, name, given)?;
                let (high, low) = (self.number(at, high, I32)?, self.number(at, low, I32)?);
                let (high, low) = (self.in_register(at, high)?, self.in_register(at, low)?);
                let ty = Type::Scalar(F64);
                let register = self.code.register(&ty);
                self.code.emit(Some(at), format!("mov.b64 {register}, {{{low}, {high}}}"))?;
                Value::in_register(ty, register)
            }
            "__ffs" | "__ffsll" => {
                // The place of the lowest bit, from 1; bfind of 0 is -1.
                let [value] = self.arguments(at, name, given)?;
                let (scalar, bits) = if name == "__ffs" { (U32, 32) } else { (U64, 64) };
                let value = self.number(at, value, scalar)?;
                let value = self.in_register(at, value)?;
                let negative = self.code.register(&Type::Scalar(scalar));
                self.code.emit(Some(at), format!("neg.s{bits} {negative}, {value}"))?;
                let lowest = self.code.register(&Type::Scalar(scalar));
                self.code.emit(Some(at), format!("and.b{bits} {lowest}, {value}, {negative}"))?;
                let place = self.instruction(
                    at,
                    &format!("bfind.u{bits}"),
                    &[Value::in_register(Type::Scalar(scalar), lowest)],
                    I32,
                )?;
                self.combined(at, "+", place, Value::int(1, I32))?
            }
            "__ballot_sync" | "__any_sync" | "__all_sync" => {
                let [mask, asked] = self.arguments(at, name, given)?;
                self.vote(at, name, mask, asked)?
            }
            "__activemask" => {
                let [] = self.arguments(at, name, given)?;
                let register = self.code.register_of(Class::Word);
                self.code.emit(Some(at), format!("activemask.b32 {register}"))?;
                Value::in_register(Type::Scalar(U32), register)
            }
            "__cvta_generic_to_shared" => {
                let [pointer] = self.arguments(at, name, given)?;
                let ty = Type::Scalar(U64);
                match &pointer.ty {
                    Type::Pointer(to) if to.space == Some(Space::Shared) => {
                        Value { ty, held: pointer.held }
                    }
                    _ => {
                        let told = "the address in shared memory of what may lie elsewhere";
                        return Err(Error::outside(at, told).into());
                    }
                }
            }
            "__trap" => self.plain(at, given, "trap")?,
            _ => return Ok(None),
        }))
    }

    /// A vote of the lanes of a mask (PTX ISA, "vote.sync").
    pub(super) fn vote(&mut self, at: At, name: &str, mask: Value, asked: Value) -> Result<Value> {
        let mask = self.number(at, mask, U32)?;
        let asked = self.predicate(at, asked)?;
        let (how, ty) = match name {
            "__ballot_sync" => ("ballot.b32", Type::Scalar(U32)),
            "__any_sync" => ("any.pred", Type::BOOL),
            _ => ("all.pred", Type::BOOL),
        };
        let register = self.code.register(&ty);
        let text = format!("vote.sync.{how} {register}, {asked}, {mask}");
        self.code.emit(Some(at), text)?;
        let value = Value::in_register(ty.clone(), register);
        if ty == Type::BOOL { self.number(at, value, I32) } else { Ok(value) }
    }
}

/// The value of some functions of a number that is known now.
fn known(name: &str, values: &[Value]) -> Option<Value> {
    let value = values.first()?;
    match (name, &value.held) {
        ("__longlong_as_double", Held::Int(bits)) => {
            Some(Value::float(f64::from_bits(*bits as u64), F64))
        }
        ("fabsf", Held::Float(known)) => Some(Value::float(known.abs(), F32)),
        ("fabs", Held::Float(known)) => Some(Value::float(known.abs(), F64)),
        _ => None,
    }
}
