//! Calls: functions of the file, and those of C and C++.

use super::expression::HostPlace;
use super::interpreter::{Eval, Halt, Interpreter};
use super::memory::MemorySide;
use super::value::{HostValue, TemplateArgument};
use super::{ByteState, DevicePlace, HostData, HostStep};
use crate::ast::{Expr, ExprKind};
use crate::types::{Scalar, Type};

/// The most bytes that one call fills.
pub(super) const MOST_FILLED: u64 = 1 << 28;

impl<'m> Interpreter<'m> {
    pub(super) fn called(
        &mut self,
        name: &str,
        list: Vec<TemplateArgument>,
        given: &'m [Expr],
    ) -> Eval<HostValue> {
        let line = self.line;
        if let Some(function) = self.lambdas.get(name).copied() {
            let values = self.values(given)?;
            return self.call_lambda(function, values);
        }
        if let Some(value) = self.api(name, given)? {
            return Ok(value);
        }
        if let ("make_unique" | "make_shared", [TemplateArgument::Type(of)]) =
            (name.trim_start_matches("std::"), &list[..])
        {
            let count = match given.first() {
                Some(count) => self.eval(count)?.whole(),
                None => Some(1),
            };
            let Some(count) = count.and_then(|count| u64::try_from(count).ok()) else {
                return Ok(self.unknown(format!("how many elements `{name}` makes is not known")));
            };
            let bytes = count.saturating_mul(of.bytes());
            let at = self.memory.add(MemorySide::Host, bytes);
            self.memory.mark(at, bytes, ByteState::Known);
            return Ok(HostValue::Pointer(at, of.clone()));
        }
        let pointer = self.variable(name).map(|one| HostPlace { at: one.at, ty: one.ty.clone() });
        if let Some(HostValue::Function(own, list)) = pointer.map(|place| self.load(&place))
            && *own != *name
        {
            return self.called(&own, list, given);
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
                        HostValue::Unknown(reason) => HostValue::Unknown(reason),
                        value => value,
                    },
                    None => self.eval(one)?,
                });
            }
            let bound = self.bound(&own.generic, list, (&own.own.parameters, &values))?;
            let value = self.call_by(&own.own, bound, values, &places, None)?;
            let returns = own.own.returns.clone();
            return Ok(if returns == Type::Void { value } else { self.converted(value, &returns) });
        }
        self.line = line;
        if self.encodes(given)? {
            return Ok(HostValue::int(0));
        }
        if let ("swap", [one, other]) = (name.trim_start_matches("std::"), given) {
            return self.swap(one, other);
        }
        if let ("scanf" | "scanf_s", [_, all @ ..]) = (name, given) {
            return self.scans(all);
        }
        if let ("greater" | "less", []) = (name.trim_start_matches("std::"), given) {
            return Ok(HostValue::Function(name.into(), list));
        }
        let values = self.values(given)?;
        if let Some(value) = self.algorithm(name.trim_start_matches("std::"), &values)? {
            return Ok(value);
        }
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

    pub(super) fn values(&mut self, given: &'m [Expr]) -> Eval<Vec<HostValue>> {
        given.iter().map(|one| self.eval(one)).collect()
    }

    /// Forgets what a function that is not followed may have changed through a pointer.
    pub(super) fn forget_behind(&mut self, given: &HostValue, why: &HostValue) {
        let HostValue::Pointer(at, _) = given else { return };
        let reason = why.reason().unwrap_or(0);
        match self.memory.region(*at).map(|region| (region.side, region.bytes)) {
            Some((MemorySide::Device(buffer), bytes)) if buffer != usize::MAX => {
                let to = DevicePlace { buffer, offset: 0 };
                let line = self.line;
                self.did(HostStep::Write { to, data: HostData::Unknown(bytes), line });
            }
            Some(_) => self.memory.forget_all(*at, reason),
            None => {}
        }
    }

    /// Those of them that allocate, fill and copy.
    fn memory_of_c(&mut self, name: &str, values: &[HostValue]) -> Option<HostValue> {
        let allocated = |this: &mut Self, bytes: Option<i64>| {
            let bytes = bytes.and_then(|bytes| u64::try_from(bytes).ok());
            match bytes {
                Some(bytes) => {
                    HostValue::Pointer(this.memory.add(MemorySide::Host, bytes), Type::Void)
                }
                None => this.unknown("how many bytes the host allocates is not known"),
            }
        };
        match (name, values) {
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
                if let HostValue::Pointer(at, _) = &value {
                    self.memory.mark(*at, bytes.unwrap_or(0) as u64, ByteState::Known);
                }
                Some(value)
            }
            ("memset", [HostValue::Pointer(at, _), byte, bytes]) => {
                if let (Some(byte), Some(bytes)) = (byte.whole(), bytes.whole()) {
                    let bytes = vec![byte as u8; bytes.clamp(0, MOST_FILLED as i64) as usize];
                    self.memory.store(*at, &bytes, &vec![ByteState::Known; bytes.len()]);
                } else {
                    self.memory.forget_all(*at, bytes.reason().unwrap_or(0));
                }
                Some(values[0].clone())
            }
            (
                "memcpy" | "memmove",
                [HostValue::Pointer(to, _), HostValue::Pointer(from, _), bytes],
            ) => {
                match bytes.whole() {
                    Some(bytes) => self.move_bytes(*to, *from, bytes.max(0) as u64),
                    None => self.memory.forget_all(*to, bytes.reason().unwrap_or(0)),
                }
                Some(values[0].clone())
            }
            _ => None,
        }
    }

    /// The functions of C and C++; `None` for another.
    pub(super) fn of_c(&mut self, name: &str, values: &[HostValue]) -> Option<Eval<HostValue>> {
        let name = name.strip_prefix("std::").unwrap_or(name);
        let float = |of: fn(f64) -> f64| -> Option<HostValue> {
            let [value] = values else { return None };
            let is_single =
                matches!(value, HostValue::Float(_, Scalar::F32)) || name.ends_with('f');
            let scalar = if is_single { Scalar::F32 } else { Scalar::F64 };
            let result = of(value.float()?);
            let result = if is_single { f64::from(result as f32) } else { result };
            Some(HostValue::Float(result, scalar))
        };
        if let Some(value) = self.memory_of_c(name, values) {
            return Some(Ok(value));
        }
        let known = match (name, values) {
            (
                "free" | "srand" | "printf" | "fprintf" | "puts" | "putchar" | "fflush" | "assert"
                | "perror" | "fclose" | "setbuf",
                _,
            ) => Some(HostValue::int(0)),
            ("exit" | "abort" | "_Exit" | "quick_exit", _) => return Some(Err(Halt::Exit)),
            ("rand" | "random", []) => {
                self.random = self.random.wrapping_mul(1_103_515_245).wrapping_add(12_345);
                Some(HostValue::int(((self.random >> 16) & 0x7fff_ffff) as i64))
            }
            ("time" | "clock", _) => Some(HostValue::Int(1, Scalar::I64)),
            (
                "atoi" | "atol" | "atoll" | "stoi" | "stol" | "stoul" | "strtol" | "strtoul",
                [text, ..],
            ) => self.text_of(text).and_then(|text| text.trim().parse().ok()).map(HostValue::int),
            ("atof" | "stof" | "stod" | "strtof" | "strtod", [text, ..]) => {
                let value = self.text_of(text).and_then(|text| text.trim().parse().ok());
                value.map(|value| HostValue::Float(value, Scalar::F64))
            }
            ("min" | "fmin" | "fminf", [a, b]) => {
                a.float().zip(b.float()).map(|(x, y)| if x <= y { a.clone() } else { b.clone() })
            }
            ("max" | "fmax" | "fmaxf", [a, b]) => {
                a.float().zip(b.float()).map(|(x, y)| if x >= y { a.clone() } else { b.clone() })
            }
            ("abs" | "labs" | "fabs" | "fabsf", [HostValue::Int(value, scalar)]) => {
                Some(HostValue::Int(value.wrapping_abs(), *scalar))
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
                a.float().zip(b.float()).map(|(a, b)| HostValue::Float(a.powf(b), Scalar::F64))
            }
            (
                "make_float2" | "make_float3" | "make_float4" | "make_int2" | "make_int3"
                | "make_int4" | "make_uint2" | "make_uint3" | "make_uint4" | "make_double2",
                _,
            ) => {
                let ty = Type::vector(&name["make_".len()..])?;
                let value = HostValue::List(values.to_vec());
                return Some(Ok(self.made(ty, value)));
            }
            ("move" | "ref" | "cref" | "forward" | "raw_pointer_cast", [value]) => {
                Some(value.clone())
            }
            _ => None,
        };
        known.map(Ok)
    }

    fn made(&mut self, ty: Type, value: HostValue) -> HostValue {
        let at = self.memory.add(MemorySide::Host, ty.bytes());
        self.store(at, &ty, value);
        let made = self.load(&HostPlace { at, ty });
        self.memory.drop(at);
        made
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
    pub(super) fn sized_vector(&mut self, at: u64, ty: &Type, value: HostValue) {
        let HostValue::List(values) = value else { return };
        let counted = matches!(values.last(), Some(HostValue::Nothing)) && values.len() >= 2;
        if !counted {
            self.make_vector(at, ty, HostValue::List(values));
            return;
        }
        let Some(of) = element_of(ty) else { return };
        if let (HostValue::Pointer(from, _), Some(HostValue::Pointer(to, _))) =
            (&values[0], values.get(1))
        {
            let bytes = to.wrapping_sub(*from).min(1 << 28);
            let data = self.memory.add(MemorySide::Host, bytes);
            self.move_bytes(data, *from, bytes);
            self.set_vector(at, data, bytes / of.bytes().max(1));
            return;
        }
        let Some(count) = values[0].whole().and_then(|count| u64::try_from(count).ok()) else {
            let reason = values[0].reason().unwrap_or(0);
            self.memory.forget(at, 24, reason);
            return;
        };
        let bytes = count.saturating_mul(of.bytes());
        let data = self.memory.add(MemorySide::Host, bytes);
        self.memory.mark(data, bytes, ByteState::Known);
        if values.len() > 2 && count > 0 {
            self.filled(data, &of, bytes, &values[1]);
        }
        self.set_vector(at, data, count);
    }

    pub(super) fn make_vector(&mut self, at: u64, ty: &Type, value: HostValue) {
        let (Some(of), HostValue::List(values)) = (element_of(ty), value) else { return };
        let (count, each) = (values.len() as u64, of.bytes());
        let data = self.memory.add(MemorySide::Host, count * each);
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
    pub(super) fn method(
        &mut self,
        of: &'m Expr,
        name: &str,
        given: &'m [Expr],
    ) -> Eval<HostValue> {
        let place = self.place(of)?;
        let Some(place) = place else {
            self.eval(of)?;
            self.values(given)?;
            return Ok(self.unknown(format!("`{name}` is not followed")));
        };
        if let Some(element) = element_of(&place.ty) {
            return self.of_vector(&place, &element, name, given);
        }
        let values = self.values(given)?;
        match (&place.ty, name) {
            (Type::Pointer(_), "get" | "release") => return Ok(self.load(&place)),
            (Type::Array(_, count), "size") => {
                return Ok(HostValue::Int((*count).into(), Scalar::U64));
            }
            _ => {}
        }
        match self.member_function(&place, name, values.clone())? {
            Some((HostValue::Pointer(at, ty), true)) => return Ok(self.load(&HostPlace { at, ty })),
            Some((value, _)) => return Ok(value),
            None => {}
        }
        let unknown = self.unknown(format!("`{name}` is not followed"));
        for given in &values {
            self.forget_behind(given, &unknown);
        }
        Ok(unknown)
    }

    /// Calls a member function of the file, if there is such a one; whether its result is a reference, to
    /// where the pointer points.
    pub(super) fn member_function(
        &mut self,
        of: &HostPlace,
        name: &str,
        values: Vec<HostValue>,
    ) -> Eval<Option<(HostValue, bool)>> {
        let Type::Struct(own) = &of.ty else { return Ok(None) };
        let whole = format!("{}::{name}", own.name);
        let methods = &self.module.methods;
        let takes = |one: &&std::rc::Rc<crate::ast::Function>| {
            *one.name == whole && one.parameters.len() >= values.len()
        };
        let Some(method) = methods.iter().find(takes) else { return Ok(None) };
        let value = self.call(method, Vec::new(), values, Some((of.at, of.ty.clone())))?;
        Ok(Some((value, method.by_reference)))
    }

    fn of_vector(
        &mut self,
        place: &HostPlace,
        element: &Type,
        name: &str,
        given: &'m [Expr],
    ) -> Eval<HostValue> {
        let values = self.values(given)?;
        let word =
            |this: &mut Self, at: u64| this.load(&HostPlace { at, ty: Type::Scalar(Scalar::U64) });
        let (data, count) = (word(self, place.at), word(self, place.at + 8));
        let (data, count) = match (data, count) {
            (HostValue::Int(data, _), HostValue::Int(count, _)) => (data as u64, count as u64),
            (HostValue::Unknown(reason), _) | (_, HostValue::Unknown(reason)) => {
                // One that was declared without a size is empty.
                let states = self.memory.load(place.at, 24).map(|(_, states)| states[0]);
                if states != Some(ByteState::NeverWritten) {
                    return Ok(HostValue::Unknown(reason));
                }
                (0, 0)
            }
            _ => (0, 0),
        };
        let each = element.bytes();
        Ok(match name {
            "data" | "begin" => HostValue::Pointer(data, element.clone()),
            "end" => HostValue::Pointer(data + count * each, element.clone()),
            "size" => HostValue::Int(count as i64, Scalar::U64),
            "empty" => HostValue::truth(count == 0),
            "front" => self.load(&HostPlace { at: data, ty: element.clone() }),
            "back" if count > 0 => {
                self.load(&HostPlace { at: data + (count - 1) * each, ty: element.clone() })
            }
            "reserve" | "clear" | "shrink_to_fit" => HostValue::Nothing,
            "resize" | "assign" => {
                let list = match (values.first(), values.get(1)) {
                    (Some(count), None) => vec![count.clone(), HostValue::Nothing],
                    (Some(count), Some(value)) => {
                        vec![count.clone(), value.clone(), HostValue::Nothing]
                    }
                    _ => Vec::new(),
                };
                self.sized_vector(place.at, &place.ty, HostValue::List(list));
                HostValue::Nothing
            }
            "push_back" | "emplace_back" => {
                let room = self.memory.region(data).map_or(0, |region| region.bytes / each.max(1));
                let data = if data == 0 || count >= room {
                    let more = self.memory.add(MemorySide::Host, (2 * count + 8) * each);
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
                HostValue::Nothing
            }
            _ => self.unknown(format!("`{name}` of a vector is not followed")),
        })
    }

    pub(super) fn variable_behind(&mut self, expr: &'m Expr) -> Eval<Option<(String, HostPlace)>> {
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
            HostValue::Pointer(at, ty) if at != 0 => Some((name, HostPlace { at, ty })),
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
