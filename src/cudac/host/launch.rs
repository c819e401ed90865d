//! Launches: their shape, the arguments of their templates, and what the kernel is passed.

use super::interpreter::{Eval, Interpreter};
use super::memory::MemorySide;
use super::value::{HostObject, HostValue, TemplateArgument};
use super::{ByteState, DeviceLaunch, DevicePlace, HostArgument, HostData, HostStep};
use crate::ast::{Expr, ExprKind};
use crate::parse::KernelHead;
use crate::types::{Scalar, Type};
use std::rc::Rc;

impl<'m> Interpreter<'m> {
    /// `kernel<<<grid, block, shared, stream>>>(...)`
    pub(super) fn launched(
        &mut self,
        kernel: &'m Expr,
        shape: &'m [Expr],
        given: &'m [Expr],
    ) -> Eval<HostValue> {
        let line = if kernel.at.file == 0 { kernel.at.line } else { self.line };
        let kernel = self.eval(kernel)?;
        let shape = self.values(shape)?;
        let values = self.values(given)?;
        self.line = line;
        let nothing = || HostValue::Int(0, Scalar::U64);
        let at = |place: usize| shape.get(place).cloned();
        let grid = at(0).unwrap_or(HostValue::Nothing);
        let block = at(1).unwrap_or(HostValue::Nothing);
        let shared = at(2).unwrap_or_else(nothing);
        let stream = at(3).unwrap_or_else(nothing);
        self.launch(&kernel, [grid, block, shared, stream], values, given);
        Ok(HostValue::Nothing)
    }

    pub(super) fn launch(
        &mut self,
        kernel: &HostValue,
        [grid, block, shared, stream]: [HostValue; 4],
        values: Vec<HostValue>,
        given: &'m [Expr],
    ) {
        if let HostValue::Either(both) = kernel {
            for one in both.iter() {
                let shape = [&grid, &block, &shared, &stream].map(HostValue::clone);
                self.launch(one, shape, values.clone(), given);
            }
            return;
        }
        let HostValue::Function(name, list) = kernel else {
            let why = self.why(kernel);
            if self.run.stopped.is_none() {
                self.run.stopped = Some(super::Unknown {
                    line: self.line,
                    why: format!("which kernel is launched: {}", why.why),
                });
            }
            return;
        };
        let shape = |this: &mut Self, value: &HostValue| match value {
            HostValue::Int(x, _) => {
                u32::try_from(*x).ok().map(|x| [x, 1, 1]).ok_or_else(|| this.why(value))
            }
            HostValue::Object(object) => {
                let side = |at: usize| {
                    let word: [u8; 4] = object.bytes.get(4 * at..4 * at + 4)?.try_into().ok()?;
                    let is_known = object.states[4 * at..4 * at + 4]
                        .iter()
                        .all(|one| *one == ByteState::Known);
                    is_known.then(|| u32::from_le_bytes(word))
                };
                match (side(0), side(1), side(2)) {
                    (Some(x), Some(y), Some(z)) => Ok([x, y, z]),
                    _ => Err(this.why(value)),
                }
            }
            _ => Err(this.why(value)),
        };
        let module = self.module;
        let head = module
            .kernels
            .iter()
            .filter(|one| one.name == *name)
            .max_by_key(|one| usize::from(one.parameters.len() == values.len()));
        let bound =
            head.map(|head| self.bound(&head.generic, list.clone(), (&head.parameters, &values)));
        let bound = bound.and_then(Result::ok).unwrap_or_default();
        let grid = shape(self, &grid);
        let block = shape(self, &block);
        let bytes = shared.whole().and_then(|bytes| u64::try_from(bytes).ok());
        let shared = bytes.ok_or_else(|| self.why(&shared));
        let args = self.arguments(head, &bound, values);
        self.flush();
        let list = if head.is_some() {
            bound.iter().map(|(_, of)| shown(of)).collect()
        } else {
            list.iter().map(shown).collect()
        };
        let launch = DeviceLaunch {
            kernel: name.to_string(),
            list,
            line: self.line,
            grid,
            block,
            shared,
            cluster: None,
            is_cooperative: false,
            stream: stream.whole().unwrap_or(0) as u64,
            args,
            passed: given.iter().map(passed).collect(),
            parameters: head.map_or_else(Vec::new, |head| {
                head.parameters.iter().map(|one| one.name.to_string()).collect()
            }),
        };
        self.did(HostStep::Launch(Box::new(launch)));
        self.leave_to_device(head);
    }

    fn arguments(
        &mut self,
        head: Option<&'m KernelHead>,
        bound: &[(Rc<str>, TemplateArgument)],
        values: Vec<HostValue>,
    ) -> Vec<HostArgument> {
        let mut all = Vec::new();
        let mut values = values.into_iter();
        let count = head.map_or(values.len(), |head| head.parameters.len());
        for place in 0..count {
            let parameter = head.and_then(|head| head.parameters.get(place));
            let value = match (values.next(), parameter.and_then(|one| one.default.as_ref())) {
                (Some(value), _) => value,
                (None, Some(default)) => self.eval(default).unwrap_or(HostValue::Nothing),
                (None, None) => self.unknown("the launch does not give it"),
            };
            let ty = parameter.map(|one| self.with_list(&one.ty, bound));
            let value = match &ty {
                Some(ty) => self.converted(value, ty),
                None => value,
            };
            all.push(self.argument(value));
        }
        all
    }

    fn with_list(&mut self, ty: &Type, bound: &[(Rc<str>, TemplateArgument)]) -> Type {
        let own =
            self.frames.last_mut().map(|frame| std::mem::replace(&mut frame.list, bound.to_vec()));
        let ty = self.resolved(ty);
        if let (Some(frame), Some(own)) = (self.frames.last_mut(), own) {
            frame.list = own;
        }
        ty
    }

    fn argument(&mut self, value: HostValue) -> HostArgument {
        match value {
            HostValue::Pointer(at, _) => {
                let place = self.device_place(at);
                let map = place.map_or_else(|| self.map_at(at), |place| self.map_on_device(place));
                match (map, place) {
                    (Some(map), _) => HostArgument::TensorMap(map),
                    (None, Some(place)) => HostArgument::Buffer(place),
                    (None, None) => HostArgument::NoDevice { is_null: at == 0 },
                }
            }
            HostValue::Int(value, scalar) => {
                let bytes = scalar.bytes() as u8;
                let mask = if bytes == 8 { u64::MAX } else { (1 << (8 * bytes)) - 1 };
                let shown = if scalar == Scalar::U64 {
                    (value as u64).to_string()
                } else {
                    value.to_string()
                };
                HostArgument::Number { bits: value as u64 & mask, bytes, shown }
            }
            HostValue::Float(value, Scalar::F32) => {
                let bits = u64::from((value as f32).to_bits());
                HostArgument::Number { bits, bytes: 4, shown: format!("{:?}f", value as f32) }
            }
            HostValue::Float(value, _) => HostArgument::Number {
                bits: value.to_bits(),
                bytes: 8,
                shown: format!("{value:?}"),
            },
            HostValue::Object(object) => self.structure(&object),
            other => HostArgument::Unknown(self.why(&other)),
        }
    }

    fn structure(&mut self, object: &HostObject) -> HostArgument {
        if let Some(map) = self.map_of(&object.bytes) {
            return HostArgument::TensorMap(map);
        }
        let place = |(at, address)| Some((at, self.device_place(address)?));
        let pointers = object.pointers().into_iter().filter_map(place).collect();
        let is_known =
            |state: &ByteState| matches!(state, ByteState::Known | ByteState::NeverWritten);
        if !object.states.iter().all(is_known) {
            let why = "a part of this structure is not known".to_owned();
            return HostArgument::Unknown(super::Unknown { line: self.line, why });
        }
        HostArgument::Bytes(object.bytes.clone(), pointers)
    }

    pub(super) fn device_place(&self, at: u64) -> Option<DevicePlace> {
        let span = self.memory.span(at, 0)?;
        match self.memory.region(at)?.side {
            MemorySide::Device(buffer) | MemorySide::Both(buffer) if buffer != usize::MAX => {
                Some(DevicePlace { buffer, offset: span.offset })
            }
            _ => None,
        }
    }

    /// Shows the device what the host has written into memory that both see.
    pub(super) fn flush(&mut self) {
        let line = self.line;
        let mut steps = Vec::new();
        for region in self.memory.regions_mut() {
            if let (MemorySide::Both(buffer), true) = (region.side, region.is_dirty) {
                region.is_dirty = false;
                let to = DevicePlace { buffer, offset: 0 };
                let data = if region.data.is_empty() {
                    HostData::Unknown(region.bytes)
                } else {
                    HostData::Bytes(region.data.clone().into(), region.states.clone().into())
                };
                steps.push(HostStep::Write { to, data, line });
            }
        }
        self.run.copies |= !steps.is_empty();
        self.run.steps.extend(steps);
    }

    /// What both see may be changed by the kernel that was launched, unless it has only pointers of its
    /// own to what it may not change, and to other memory.
    fn leave_to_device(&mut self, head: Option<&KernelHead>) {
        let Some(HostStep::Launch(launch)) = self.run.steps.last() else { return };
        let parameters = head.map_or(&[][..], |head| &head.parameters);
        let is_fixed = |place: usize| match parameters.get(place).map(|one| &one.ty) {
            Some(Type::Pointer(pointer)) => pointer.qualifiers.constant,
            _ => false,
        };
        let mut changed = Some(Vec::new());
        for (place, argument) in launch.args.iter().enumerate() {
            match argument {
                HostArgument::Buffer(at) if !is_fixed(place) => {
                    changed = changed.map(|all| [all, vec![at.buffer]].concat());
                }
                HostArgument::Buffer(_) | HostArgument::Number { .. } => {}
                _ => changed = None,
            }
        }
        for region in self.memory.regions_mut() {
            if let MemorySide::Both(buffer) = region.side
                && changed.as_ref().is_none_or(|all| all.contains(&buffer))
            {
                region.states.fill(ByteState::OfDevice);
            }
        }
    }
}

/// The name of the variable that is passed, if it is one.
fn passed(expr: &Expr) -> String {
    match &expr.kind {
        ExprKind::Name(name) => name.to_string(),
        ExprKind::Cast(_, inner) | ExprKind::Unary('&', inner) => passed(inner),
        _ => String::new(),
    }
}

/// Finds what the names of a template stand for by the values that are given for its parameters.
pub(super) fn deduce<'t>(
    bound: &mut [(Rc<str>, TemplateArgument)],
    given: impl Iterator<Item = (&'t Type, &'t HostValue)>,
) {
    for (ty, value) in given {
        if let Some(of) = value.ty() {
            unified(bound, ty, &of);
        }
    }
}

fn unified(bound: &mut [(Rc<str>, TemplateArgument)], ty: &Type, with: &Type) {
    match (ty, with) {
        (Type::Pointer(one), Type::Pointer(other)) => unified(bound, &one.to, &other.to),
        (Type::Struct(one), Type::Struct(other))
            if one.members.len() == 1 && other.members.len() == 1 =>
        {
            unified(bound, &one.members[0].ty, &other.members[0].ty);
        }
        (Type::Struct(of), _) if of.bytes == 0 => {
            for (name, known) in bound.iter_mut() {
                if *name == of.name && *known == TemplateArgument::Unknown && *with != Type::Void {
                    *known = TemplateArgument::Type(with.clone());
                }
            }
        }
        _ => {}
    }
}

fn shown(of: &TemplateArgument) -> Option<String> {
    match of {
        TemplateArgument::Type(ty) => Some(ty.to_string()),
        TemplateArgument::Number(number) => Some(number.to_string()),
        TemplateArgument::Unknown => None,
    }
}
