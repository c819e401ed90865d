//! The algorithms of C++ and C that take a range of elements, some of them with a function.

use super::call::MOST_FILLED;
use super::expression::HostPlace;
use super::interpreter::{Eval, Interpreter};
use super::memory::MemorySide;
use super::value::{HostValue, binary};
use crate::ast::Expr;
use crate::types::Type;

/// The most elements that are sorted, computed or counted.
const MOST: u64 = 1 << 20;

/// The elements of an array, in their order.
#[derive(Clone, Debug)]
struct ElementRange {
    from: u64,
    of: Type,
    count: u64,
}

impl ElementRange {
    fn new(from: u64, of: &Type, to: u64) -> Self {
        let count = to.saturating_sub(from) / of.bytes().max(1);
        Self { from, of: of.clone(), count }
    }

    fn place(&self, number: u64) -> HostPlace {
        HostPlace { at: self.from + number * self.of.bytes(), ty: self.of.clone() }
    }

    fn places(&self) -> impl Iterator<Item = HostPlace> + '_ {
        (0..self.count).map(|number| self.place(number))
    }
}

impl<'m> Interpreter<'m> {
    /// Calls an algorithm with these values; `None` if it is none that is followed.
    pub(super) fn algorithm(
        &mut self,
        name: &str,
        values: &[HostValue],
    ) -> Eval<Option<HostValue>> {
        use HostValue::Pointer;
        match (name, values) {
            ("fill", [Pointer(from, ty), Pointer(to, _), value]) => {
                self.filled(*from, ty, to.wrapping_sub(*from), value);
            }
            ("fill_n", [Pointer(from, ty), count, value]) => match count.whole() {
                Some(count) => {
                    let bytes = (count.max(0) as u64).saturating_mul(ty.bytes());
                    self.filled(*from, ty, bytes, value);
                }
                None => self.memory.forget_all(*from, count.reason().unwrap_or(0)),
            },
            ("iota", [Pointer(from, ty), Pointer(to, _), first]) => {
                let mut value = first.clone();
                return self.computed(&ElementRange::new(*from, ty, *to), |own| {
                    let next = own.operate("+", value.clone(), HostValue::int(1));
                    Ok(std::mem::replace(&mut value, next))
                });
            }
            ("generate", [Pointer(from, ty), Pointer(to, _), by]) => {
                let range = ElementRange::new(*from, ty, *to);
                return self.computed(&range, |own| own.applied(by, Vec::new()));
            }
            ("accumulate", [Pointer(from, ty), Pointer(to, _), first, by @ ..]) => {
                return self.accumulated(&ElementRange::new(*from, ty, *to), first, by.first());
            }
            ("sort" | "stable_sort", [Pointer(from, ty), Pointer(to, _), by @ ..]) => {
                let range = ElementRange::new(*from, ty, *to);
                self.sort(&range, |own, one, other| match by.first() {
                    Some(by) => Ok(own.applied(by, vec![one.clone(), other.clone()])?.holds()),
                    None => Ok(binary("<", one, other).and_then(|less| less.holds())),
                })?;
            }
            ("qsort", [Pointer(from, ty), count, _, by]) => {
                let count = count.whole().map_or(u64::MAX, |count| count.max(0) as u64);
                let range = ElementRange { from: *from, of: ty.clone(), count };
                let places = [(); 2].map(|()| self.memory.add(MemorySide::Host, ty.bytes()));
                let pointers = places.map(|at| Pointer(at, Type::Void)).to_vec();
                self.sort(&range, |own, one, other| {
                    own.store(places[0], ty, one.clone());
                    own.store(places[1], ty, other.clone());
                    let order = own.applied(by, pointers.clone())?;
                    Ok(order.whole().map(|order| order < 0))
                })?;
            }
            _ => return Ok(None),
        }
        Ok(Some(HostValue::Nothing))
    }

    /// Calls a function that is a value.
    fn applied(&mut self, function: &HostValue, values: Vec<HostValue>) -> Eval<HostValue> {
        let HostValue::Function(name, list) = function else {
            return Ok(self.unknown("what is called here is not known"));
        };
        if let Some(lambda) = self.lambdas.get(name).copied() {
            return self.call_lambda(lambda, values);
        }
        let operator = match name.trim_start_matches("std::") {
            "greater" => ">",
            _ => "<",
        };
        let mut own = self.module.functions.iter().filter(|one| one.own.name == *name);
        let own = own.find(|one| one.own.parameters.len() == values.len());
        let value = match (own, &values[..]) {
            (Some(own), _) => {
                let given = (&own.own.parameters[..], &values[..]);
                let bound = self.bound(&own.generic, list.clone(), given)?;
                return self.call(&own.own, bound, values, None);
            }
            (None, [one, other]) => binary(operator, one, other),
            (None, _) => self.of_c(name, &values).transpose()?,
        };
        Ok(value.unwrap_or_else(|| self.unknown(format!("`{name}` is not followed"))))
    }

    /// Gives each element what is computed for it.
    fn computed(
        &mut self,
        range: &ElementRange,
        mut by: impl FnMut(&mut Self) -> Eval<HostValue>,
    ) -> Eval<Option<HostValue>> {
        if range.count > MOST {
            let why = self.unknown("so many elements are not computed here");
            self.memory.forget_all(range.from, why.reason().unwrap_or(0));
        } else {
            for place in range.places() {
                let value = by(self)?;
                self.store(place.at, &place.ty, value);
            }
        }
        Ok(Some(HostValue::Nothing))
    }

    fn accumulated(
        &mut self,
        range: &ElementRange,
        first: &HostValue,
        by: Option<&HostValue>,
    ) -> Eval<Option<HostValue>> {
        let mut sum = first.clone();
        for place in range.places() {
            self.step()?;
            let value = self.load(&place);
            sum = match by {
                Some(by) => self.applied(by, vec![sum, value])?,
                None => self.operate("+", sum, value),
            };
            if sum.reason().is_some() {
                break;
            }
        }
        let ty = first.ty().unwrap_or(Type::INT);
        Ok(Some(self.converted(sum, &ty)))
    }

    pub(super) fn filled(&mut self, from: u64, ty: &Type, bytes: u64, value: &HostValue) {
        let each = ty.bytes().max(1);
        self.store(from, ty, value.clone());
        let one =
            self.memory.load(from, each).map(|(bytes, states)| (bytes.to_vec(), states.to_vec()));
        if let Some((one, states)) = one {
            let count = (bytes.min(MOST_FILLED) / each) as usize;
            self.memory.store(from, &one.repeat(count), &states.repeat(count));
        }
    }

    /// Sorts the elements by what says that one comes before another; where that is not known, none is
    /// known after it.
    fn sort(
        &mut self,
        range: &ElementRange,
        mut before: impl FnMut(&mut Self, &HostValue, &HostValue) -> Eval<Option<bool>>,
    ) -> Eval<()> {
        let mut all = Vec::new();
        if range.count <= MOST {
            all.extend(range.places().map(|place| self.load(&place)));
        }
        let mut is_known = range.count <= MOST;
        let mut width = 1;
        while is_known && width < all.len() {
            let mut merged = Vec::with_capacity(all.len());
            for runs in all.chunks(2 * width) {
                let (mut one, mut other) = runs.split_at(width.min(runs.len()));
                while let ([a, one_rest @ ..], [b, other_rest @ ..]) = (one, other) {
                    self.step()?;
                    // An equal element stays behind those that stood before it.
                    let is_first = before(self, b, a)?;
                    is_known &= is_first.is_some();
                    if is_first == Some(true) {
                        merged.push(b.clone());
                        other = other_rest;
                    } else {
                        merged.push(a.clone());
                        one = one_rest;
                    }
                }
                merged.extend(one.iter().chain(other).cloned());
            }
            all = merged;
            width *= 2;
        }
        if !is_known {
            let why = self.unknown("some of what is sorted");
            self.memory.forget_all(range.from, why.reason().unwrap_or(0));
            return Ok(());
        }
        for (place, value) in range.places().zip(all) {
            self.store(place.at, &place.ty, value);
        }
        Ok(())
    }

    pub(super) fn swap(&mut self, one: &'m Expr, other: &'m Expr) -> Eval<HostValue> {
        if let (Some(one), Some(other)) = (self.place(one)?, self.place(other)?) {
            let (first, second) = (self.load(&one), self.load(&other));
            self.store(one.at, &one.ty, second);
            self.store(other.at, &other.ty, first);
        }
        Ok(HostValue::Nothing)
    }
}
