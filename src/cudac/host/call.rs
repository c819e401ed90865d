//! Calls: functions of the file, those of C and C++, and launches.

use super::expression::Place;
use super::interpreter::{Eval, Halt, Interpreter};
use super::memory::Side;
use super::value::{Object, TemplateArgument, Value};
use super::{ByteState, DeviceLaunch, DevicePlace, HostArgument, HostData, HostStep};
use crate::ast::{Expr, ExprKind};
use crate::parse::KernelHead;
use crate::types::{Scalar, Type};
use std::rc::Rc;

/// The most bytes that one call fills.
const MOST_FILLED: u64 = 1 << 28;

impl<'m> Interpreter<'m> {
    pub(super) fn called(
        &mut self,
        name: &str,
        list: Vec<TemplateArgument>,
        given: &'m [Expr],
    ) -> Eval<Value> {
        let line = self.line;
        if let Some(function) = self.lambdas.get(name).copied() {
            let values = self.values(given)?;
            return self.call_lambda(function, values);
        }
        if let Some(value) = self.api(name, given)? {
            return Ok(value);
        }
        let module = self.module;
        let fits = |own: &crate::ast::Function| {
            let needed = own.parameters.iter().filter(|one| one.default.is_none()).count();
            (needed..=own.parameters.len()).contains(&given.len())
        };
        let own = module.functions.iter().find(|one| &*one.own.name == name && fits(&one.own));
        if let Some(own) = own {
            let mut places = Vec::new();
            let mut values = Vec::new();
            for (one, parameter) in given.iter().zip(&own.own.parameters) {
                let place = if parameter.storage.by_reference { self.place(one)? } else { None };
                places.push(place.as_ref().map(|place| place.at));
                values.push(match place {
                    Some(place) => match self.load(&place) {
                        // What it is bound to gives the type, known or not.
                        Value::Unknown(reason) => Value::Unknown(reason),
                        value => value,
                    },
                    None => self.eval(one)?,
                });
            }
            let mut bound: Vec<(Rc<str>, TemplateArgument)> = own
                .generic
                .iter()
                .map(|one| one.name.clone())
                .zip(list.into_iter().chain(std::iter::repeat(TemplateArgument::Unknown)))
                .collect();
            let types = own.own.parameters.iter().map(|one| &one.ty).zip(&values);
            deduce(&mut bound, types);
            for (place, one) in own.generic.iter().enumerate() {
                if bound[place].1 == TemplateArgument::Unknown
                    && let Some(default) = &one.default
                {
                    bound[place].1 = self.list(std::slice::from_ref(default))?.remove(0);
                }
            }
            let value = self.call_by(&own.own, bound, values, &places, None)?;
            let returns = own.own.returns.clone();
            return Ok(if returns == Type::Void { value } else { self.converted(value, &returns) });
        }
        self.line = line;
        let values = self.values(given)?;
        if let Some(value) = self.of_c(name, &values) {
            return value;
        }
        // Whatever it is given by a pointer may have been changed.
        let value = self.unknown(format!("`{name}` is not followed"));
        for given in &values {
            self.forget_behind(given, &value);
        }
        Ok(value)
    }

    fn values(&mut self, given: &'m [Expr]) -> Eval<Vec<Value>> {
        given.iter().map(|one| self.eval(one)).collect()
    }

    /// Forgets what a function that is not followed may have changed through a pointer.
    pub(super) fn forget_behind(&mut self, given: &Value, why: &Value) {
        let Value::Pointer(at, _) = given else { return };
        let reason = why.reason().unwrap_or(0);
        match self.memory.region(*at).map(|region| (region.side, region.bytes)) {
            Some((Side::Device(buffer), bytes)) if buffer != usize::MAX => {
                let to = DevicePlace { buffer, offset: 0 };
                let line = self.line;
                self.did(HostStep::Write { to, data: HostData::Unknown(bytes), line });
            }
            Some(_) => self.memory.forget_all(*at, reason),
            None => {}
        }
    }

    /// The functions of C and C++; `None` for another.
    fn of_c(&mut self, name: &str, values: &[Value]) -> Option<Eval<Value>> {
        let name = name.strip_prefix("std::").unwrap_or(name);
        let float = |of: fn(f64) -> f64| -> Option<Value> {
            let [value] = values else { return None };
            let is_single = matches!(value, Value::Float(_, Scalar::F32)) || name.ends_with('f');
            let scalar = if is_single { Scalar::F32 } else { Scalar::F64 };
            let result = of(value.float()?);
            let result = if is_single { f64::from(result as f32) } else { result };
            Some(Value::Float(result, scalar))
        };
        let allocated = |this: &mut Self, bytes: Option<i64>| {
            let bytes = bytes.and_then(|bytes| u64::try_from(bytes).ok());
            match bytes {
                Some(bytes) => Value::Pointer(this.memory.add(Side::Host, bytes), Type::Void),
                None => this.unknown("how many bytes the host allocates is not known"),
            }
        };
        let known = match (name, values) {
            ("malloc", [bytes]) => Some(allocated(self, bytes.whole())),
            ("aligned_alloc" | "_aligned_malloc", [_, bytes]) => {
                Some(allocated(self, bytes.whole()))
            }
            ("calloc", [count, each]) => {
                let bytes = count
                    .whole()
                    .zip(each.whole())
                    .and_then(|(count, each)| count.checked_mul(each));
                let value = allocated(self, bytes);
                if let Value::Pointer(at, _) = &value {
                    self.memory.mark(*at, bytes.unwrap_or(0) as u64, ByteState::Known);
                }
                Some(value)
            }
            (
                "free" | "srand" | "printf" | "fprintf" | "puts" | "putchar" | "fflush" | "assert"
                | "perror" | "fclose" | "setbuf",
                _,
            ) => Some(Value::int(0)),
            ("exit" | "abort" | "_Exit" | "quick_exit", _) => return Some(Err(Halt::Exit)),
            ("rand" | "random", []) => {
                self.random = self.random.wrapping_mul(1_103_515_245).wrapping_add(12_345);
                Some(Value::int(((self.random >> 16) & 0x7fff_ffff) as i64))
            }
            ("time" | "clock", _) => Some(Value::Int(1, Scalar::I64)),
            ("memset", [Value::Pointer(at, _), byte, bytes]) => {
                if let (Some(byte), Some(bytes)) = (byte.whole(), bytes.whole()) {
                    let bytes = vec![byte as u8; bytes.clamp(0, 1 << 28) as usize];
                    self.memory.store(*at, &bytes, &vec![ByteState::Known; bytes.len()]);
                }
                Some(values[0].clone())
            }
            ("memcpy" | "memmove", [Value::Pointer(to, _), Value::Pointer(from, _), bytes]) => {
                if let Some(bytes) = bytes.whole() {
                    self.move_bytes(*to, *from, bytes.max(0) as u64);
                }
                Some(values[0].clone())
            }
            ("atoi" | "atol" | "atoll" | "stoi", [Value::Text(text)]) => {
                text.trim().parse().ok().map(Value::int)
            }
            ("atof" | "stof", [Value::Text(text)]) => {
                text.trim().parse().ok().map(|value| Value::Float(value, Scalar::F64))
            }
            ("min" | "fmin" | "fminf", [a, b]) => {
                a.float().zip(b.float()).map(|(x, y)| if x <= y { a.clone() } else { b.clone() })
            }
            ("max" | "fmax" | "fmaxf", [a, b]) => {
                a.float().zip(b.float()).map(|(x, y)| if x >= y { a.clone() } else { b.clone() })
            }
            ("abs" | "labs" | "fabs" | "fabsf", [Value::Int(value, scalar)]) => {
                Some(Value::Int(value.wrapping_abs(), *scalar))
            }
            ("abs" | "fabs" | "fabsf", _) => float(f64::abs),
            ("sqrt" | "sqrtf", _) => float(f64::sqrt),
            ("ceil" | "ceilf", _) => float(f64::ceil),
            ("floor" | "floorf", _) => float(f64::floor),
            ("round" | "roundf", _) => float(f64::round),
            ("exp" | "expf", _) => float(f64::exp),
            ("log" | "logf", _) => float(f64::ln),
            ("log2" | "log2f", _) => float(f64::log2),
            ("sin" | "sinf", _) => float(f64::sin),
            ("cos" | "cosf", _) => float(f64::cos),
            ("pow" | "powf", [a, b]) => {
                a.float().zip(b.float()).map(|(a, b)| Value::Float(a.powf(b), Scalar::F64))
            }
            (
                "make_float2" | "make_float3" | "make_float4" | "make_int2" | "make_int3"
                | "make_int4" | "make_uint2" | "make_uint3" | "make_uint4" | "make_double2",
                _,
            ) => {
                let ty = Type::vector(&name["make_".len()..])?;
                let value = Value::List(values.to_vec());
                return Some(Ok(self.made(ty, value)));
            }
            ("make_dim3", _) => None,
            ("move" | "ref" | "cref" | "forward" | "raw_pointer_cast", [value]) => {
                Some(value.clone())
            }
            ("fill", [Value::Pointer(from, ty), Value::Pointer(to, _), value]) => {
                let bytes = to.wrapping_sub(*from);
                Some(self.filled(*from, ty, bytes, value))
            }
            ("fill_n", [Value::Pointer(from, ty), count, value]) => {
                let bytes = count.whole().unwrap_or(0).max(0) as u64 * self.size(ty);
                Some(self.filled(*from, ty, bytes, value))
            }
            ("iota", [Value::Pointer(from, ty), Value::Pointer(to, _), first]) => {
                let each = self.size(ty).max(1);
                let count = to.wrapping_sub(*from) / each;
                for place in 0..count.min(1 << 20) {
                    let value = self.operate("+", first.clone(), Value::int(place as i64));
                    self.store(from + place * each, ty, value);
                }
                Some(Value::Nothing)
            }
            _ => None,
        };
        known.map(Ok)
    }

    fn made(&mut self, ty: Type, value: Value) -> Value {
        let at = self.memory.add(Side::Host, self.size(&ty));
        self.store(at, &ty, value);
        let made = self.load(&Place { at, ty });
        self.memory.drop(at);
        made
    }

    fn filled(&mut self, from: u64, ty: &Type, bytes: u64, value: &Value) -> Value {
        let each = self.size(ty).max(1);
        self.store(from, ty, value.clone());
        let one =
            self.memory.load(from, each).map(|(bytes, states)| (bytes.to_vec(), states.to_vec()));
        if let Some((one, states)) = one {
            let count = (bytes.min(MOST_FILLED) / each) as usize;
            self.memory.store(from, &one.repeat(count), &states.repeat(count));
        }
        Value::Nothing
    }

    pub(super) fn move_bytes(&mut self, to: u64, from: u64, bytes: u64) {
        let found =
            self.memory.load(from, bytes).map(|(bytes, states)| (bytes.to_vec(), states.to_vec()));
        match found {
            Some((data, states)) => self.memory.store(to, &data, &states),
            None => self.memory.forget(to, bytes, 0),
        }
    }

    /// `vector<T> v(n)`, `v(n, x)`: from a count, what each holds, and a mark of how many were given.
    pub(super) fn sized_vector(&mut self, at: u64, ty: &Type, value: Value) {
        let Value::List(values) = value else { return };
        let counted = matches!(values.last(), Some(Value::Nothing)) && values.len() >= 2;
        if !counted {
            self.make_vector(at, ty, Value::List(values));
            return;
        }
        let Some(of) = element_of(ty) else { return };
        if let (Value::Pointer(from, _), Some(Value::Pointer(to, _))) = (&values[0], values.get(1))
        {
            let bytes = to.wrapping_sub(*from).min(1 << 28);
            let data = self.memory.add(Side::Host, bytes);
            self.move_bytes(data, *from, bytes);
            self.set_vector(at, data, bytes / self.size(&of).max(1));
            return;
        }
        let Some(count) = values[0].whole().and_then(|count| u64::try_from(count).ok()) else {
            let reason = values[0].reason().unwrap_or(0);
            self.memory.forget(at, 24, reason);
            return;
        };
        let bytes = count.saturating_mul(self.size(&of));
        let data = self.memory.add(Side::Host, bytes);
        self.memory.mark(data, bytes, ByteState::Known);
        if values.len() > 2 && count > 0 {
            self.filled(data, &of, bytes, &values[1]);
        }
        self.set_vector(at, data, count);
    }

    pub(super) fn make_vector(&mut self, at: u64, ty: &Type, value: Value) {
        let (Some(of), Value::List(values)) = (element_of(ty), value) else { return };
        let (count, each) = (values.len() as u64, self.size(&of));
        let data = self.memory.add(Side::Host, count * each);
        for (place, value) in (0..).zip(values) {
            self.store(data + place * each, &of, value);
        }
        self.set_vector(at, data, count);
    }

    fn set_vector(&mut self, at: u64, data: u64, count: u64) {
        let bytes: Vec<u8> = [data, count, 0].iter().flat_map(|word| word.to_le_bytes()).collect();
        self.memory.store(at, &bytes, &[ByteState::Known; 24]);
    }

    /// A member function: of a vector, or of a structure of the file.
    pub(super) fn method(&mut self, of: &'m Expr, name: &str, given: &'m [Expr]) -> Eval<Value> {
        let place = self.place(of)?;
        let Some(place) = place else {
            self.eval(of)?;
            self.values(given)?;
            return Ok(self.unknown(format!("`{name}` is not followed")));
        };
        if let Some(element) = element_of(&place.ty) {
            return self.of_vector(&place, &element, name, given);
        }
        if let Type::Struct(own) = &place.ty {
            let whole = format!("{}::{name}", own.name);
            let module = self.module;
            let method = module
                .methods
                .iter()
                .find(|one| *one.name == whole && one.parameters.len() >= given.len());
            if let Some(method) = method {
                let values = self.values(given)?;
                return self.call(method, Vec::new(), values, Some((place.at, place.ty.clone())));
            }
        }
        let values = self.values(given)?;
        let unknown = self.unknown(format!("`{name}` is not followed"));
        for given in &values {
            self.forget_behind(given, &unknown);
        }
        Ok(unknown)
    }

    fn of_vector(
        &mut self,
        place: &Place,
        element: &Type,
        name: &str,
        given: &'m [Expr],
    ) -> Eval<Value> {
        let values = self.values(given)?;
        let word =
            |this: &mut Self, at: u64| this.load(&Place { at, ty: Type::Scalar(Scalar::U64) });
        let (data, count) = (word(self, place.at), word(self, place.at + 8));
        let (data, count) = match (data, count) {
            (Value::Int(data, _), Value::Int(count, _)) => (data as u64, count as u64),
            (Value::Unknown(reason), _) | (_, Value::Unknown(reason)) => {
                // One that was declared without a size is empty.
                let states = self.memory.load(place.at, 24).map(|(_, states)| states[0]);
                if states != Some(ByteState::NeverWritten) {
                    return Ok(Value::Unknown(reason));
                }
                (0, 0)
            }
            _ => (0, 0),
        };
        let each = self.size(element);
        Ok(match name {
            "data" | "begin" => Value::Pointer(data, element.clone()),
            "end" => Value::Pointer(data + count * each, element.clone()),
            "size" => Value::Int(count as i64, Scalar::U64),
            "empty" => Value::truth(count == 0),
            "front" => self.load(&Place { at: data, ty: element.clone() }),
            "back" if count > 0 => {
                self.load(&Place { at: data + (count - 1) * each, ty: element.clone() })
            }
            "reserve" | "clear" | "shrink_to_fit" => Value::Nothing,
            "resize" | "assign" => {
                let list = match (values.first(), values.get(1)) {
                    (Some(count), None) => vec![count.clone(), Value::Nothing],
                    (Some(count), Some(value)) => {
                        vec![count.clone(), value.clone(), Value::Nothing]
                    }
                    _ => Vec::new(),
                };
                self.sized_vector(place.at, &place.ty, Value::List(list));
                Value::Nothing
            }
            "push_back" | "emplace_back" => {
                let room = self.memory.region(data).map_or(0, |region| region.bytes / each.max(1));
                let data = if data == 0 || count >= room {
                    let more = self.memory.add(Side::Host, (2 * count + 8) * each);
                    if count > 0 {
                        self.move_bytes(more, data, count * each);
                    }
                    more
                } else {
                    data
                };
                if let Some(value) = values.into_iter().next() {
                    self.store(data + count * each, element, value);
                }
                self.set_vector(place.at, data, count + 1);
                Value::Nothing
            }
            _ => self.unknown(format!("`{name}` of a vector is not followed")),
        })
    }

    /// `kernel<<<grid, block, shared, stream>>>(...)`
    pub(super) fn launched(
        &mut self,
        kernel: &'m Expr,
        shape: &'m [Expr],
        given: &'m [Expr],
    ) -> Eval<Value> {
        let line = if kernel.at.file == 0 { kernel.at.line } else { self.line };
        let kernel = self.eval(kernel)?;
        let shape = self.values(shape)?;
        let values = self.values(given)?;
        self.line = line;
        let nothing = || Value::Int(0, Scalar::U64);
        let at = |place: usize| shape.get(place).cloned();
        let grid = at(0).unwrap_or(Value::Nothing);
        let block = at(1).unwrap_or(Value::Nothing);
        let shared = at(2).unwrap_or_else(nothing);
        let stream = at(3).unwrap_or_else(nothing);
        self.launch(&kernel, [grid, block, shared, stream], values);
        Ok(Value::Nothing)
    }

    pub(super) fn launch(
        &mut self,
        kernel: &Value,
        [grid, block, shared, stream]: [Value; 4],
        values: Vec<Value>,
    ) {
        let Value::Function(name, list) = kernel else {
            let why = self.why(kernel);
            if self.run.stopped.is_none() {
                self.run.stopped = Some(super::Unknown {
                    line: self.line,
                    why: format!("which kernel is launched: {}", why.why),
                });
            }
            return;
        };
        let shape = |this: &mut Self, value: &Value| match value {
            Value::Int(x, _) => u32::try_from(*x).map(|x| [x, 1, 1]).map_err(|_| this.why(value)),
            Value::Object(object) => {
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
        let mut bound = Vec::new();
        if let Some(head) = head {
            bound = head
                .generic
                .iter()
                .map(|one| one.name.clone())
                .zip(list.iter().cloned().chain(std::iter::repeat(TemplateArgument::Unknown)))
                .collect();
            deduce(&mut bound, head.parameters.iter().map(|one| &one.ty).zip(&values));
            for (place, one) in head.generic.iter().enumerate() {
                if bound[place].1 == TemplateArgument::Unknown
                    && let Some(default) = &one.default
                    && let Ok(mut list) = self.list(std::slice::from_ref(default))
                {
                    bound[place].1 = list.remove(0);
                }
            }
        }
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
        };
        self.did(HostStep::Launch(Box::new(launch)));
        self.leave_to_device();
    }

    fn arguments(
        &mut self,
        head: Option<&'m KernelHead>,
        bound: &[(Rc<str>, TemplateArgument)],
        values: Vec<Value>,
    ) -> Vec<HostArgument> {
        let mut all = Vec::new();
        let mut values = values.into_iter();
        let count = head.map_or(values.len(), |head| head.parameters.len());
        for place in 0..count {
            let parameter = head.and_then(|head| head.parameters.get(place));
            let value = match (values.next(), parameter.and_then(|one| one.default.as_ref())) {
                (Some(value), _) => value,
                (None, Some(default)) => self.eval(default).unwrap_or(Value::Nothing),
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

    fn argument(&mut self, value: Value) -> HostArgument {
        match value {
            Value::Pointer(at, _) => match self.device_place(at) {
                Some(place) => HostArgument::Buffer(place),
                None => HostArgument::NoDevice { is_null: at == 0 },
            },
            Value::Int(value, scalar) => {
                let bytes = scalar.bytes() as u8;
                let mask = if bytes == 8 { u64::MAX } else { (1 << (8 * bytes)) - 1 };
                let shown = if scalar == Scalar::U64 {
                    (value as u64).to_string()
                } else {
                    value.to_string()
                };
                HostArgument::Number { bits: value as u64 & mask, bytes, shown }
            }
            Value::Float(value, Scalar::F32) => {
                let bits = u64::from((value as f32).to_bits());
                HostArgument::Number { bits, bytes: 4, shown: format!("{:?}f", value as f32) }
            }
            Value::Float(value, _) => HostArgument::Number {
                bits: value.to_bits(),
                bytes: 8,
                shown: format!("{value:?}"),
            },
            Value::Object(object) => self.structure(&object),
            other => HostArgument::Unknown(self.why(&other)),
        }
    }

    fn structure(&mut self, object: &Object) -> HostArgument {
        let mut pointers = Vec::new();
        let mut places = Vec::new();
        pointers_in(&object.ty, 0, &mut places);
        for at in places {
            let word = object
                .bytes
                .get(at as usize..at as usize + 8)
                .and_then(|word| word.try_into().ok());
            let address = word.map_or(0, u64::from_le_bytes);
            if let Some(place) = self.device_place(address) {
                pointers.push((at, place));
            }
        }
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
            Side::Device(buffer) | Side::Both(buffer) if buffer != usize::MAX => {
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
            if let (Side::Both(buffer), true) = (region.side, region.is_dirty) {
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

    /// What both see may be changed by the kernel that was launched.
    fn leave_to_device(&mut self) {
        for region in self.memory.regions_mut() {
            if let Side::Both(_) = region.side {
                region.states.fill(ByteState::OfDevice);
            }
        }
    }

    pub(super) fn variable_behind(&mut self, expr: &'m Expr) -> Eval<Option<(String, Place)>> {
        let mut of = expr;
        while let ExprKind::Cast(_, inner) | ExprKind::Unary('&', inner) = &of.kind {
            of = inner;
        }
        let name = match &of.kind {
            ExprKind::Name(name) | ExprKind::Member(_, name) => name.to_string(),
            ExprKind::Index(inner, _) => match &inner.kind {
                ExprKind::Name(name) | ExprKind::Member(_, name) => name.to_string(),
                _ => "buffer".to_owned(),
            },
            _ => "buffer".to_owned(),
        };
        if let Some(place) = self.place(of)?
            && matches!(expr.kind, ExprKind::Cast(..) | ExprKind::Unary('&', _))
        {
            return Ok(Some((name, place)));
        }
        Ok(match self.eval(expr)? {
            Value::Pointer(at, ty) if at != 0 => Some((name, Place { at, ty })),
            _ => None,
        })
    }
}

/// What the elements of a vector are.
fn element_of(ty: &Type) -> Option<Type> {
    let Type::Struct(of) = ty else { return None };
    let place = of.place_of("of").filter(|_| of.members.len() == 1 && of.bytes == 24)?;
    Some(of.members[place].ty.clone())
}

/// Where the pointers in a structure are.
fn pointers_in(ty: &Type, at: u32, found: &mut Vec<u32>) {
    match ty {
        Type::Pointer(_) => found.push(at),
        Type::Struct(of) => {
            of.members.iter().for_each(|one| pointers_in(&one.ty, at + one.offset as u32, found));
        }
        Type::Array(of, count) => {
            for place in 0..*count {
                pointers_in(of, at + place * of.bytes() as u32, found);
            }
        }
        _ => {}
    }
}

/// Finds what the names of a template stand for by the values that are given for its parameters.
fn deduce<'t>(
    bound: &mut [(Rc<str>, TemplateArgument)],
    given: impl Iterator<Item = (&'t Type, &'t Value)>,
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
