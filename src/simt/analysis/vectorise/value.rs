//! What ptxas knows of a register that is used as an address: a sum, and its trailing zeros.

use crate::sim::Reg;
use std::collections::HashMap;

/// Trailing zeros of 0, more than any address has.
const ALL: u8 = 64;

/// Something that is not known before the kernel runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) enum Atom {
    /// What a register holds at the start: a parameter, a special register.
    Initial(u32),
    /// Where a shared array begins, by its place in the block's shared memory.
    Symbol(u32),
    /// What an instruction writes: its number, and which of its results.
    Written(u32, u32),
    /// What a register holds where ways meet that bring different values: block, register.
    Met(usize, u32),
}

/// A sum of atoms, each with a factor, by its number in [`Bases`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Base(u32);

impl Base {
    /// The empty sum.
    pub(super) const ZERO: Self = Self(0);
}

/// A register's value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Value {
    /// The unknown part.
    pub(super) base: Base,
    /// A constant in the midst of the sum, which stays in the register.
    pub(super) inner: i64,
    /// A constant added last, which ptxas moves into the displacement of the memory instruction.
    pub(super) outer: i64,
    /// Whether it still does so after more was added: of a constant that came by an `or`.
    pub(super) loose: bool,
    /// Trailing zero bits that `base + inner` is known to have.
    pub(super) zeros: u8,
}

impl Value {
    pub(super) const fn constant(value: i64) -> Self {
        Self { base: Base::ZERO, inner: 0, outer: value, loose: false, zeros: ALL }
    }

    /// The value, if it is known.
    pub(super) fn known(self) -> Option<i64> {
        (self.base == Base::ZERO).then_some(self.inner.wrapping_add(self.outer))
    }

    /// Trailing zero bits of the whole.
    pub(super) fn all_zeros(self) -> u8 {
        self.zeros.min(zeros(self.outer))
    }

    fn plus(self, value: i64) -> Self {
        Self { outer: self.outer.wrapping_add(value), loose: false, ..self }
    }

    /// The value with `bits` set, all of which are known to be clear.
    pub(super) fn with_bits(self, bits: i64) -> Self {
        Self { loose: true, ..self.plus(bits) }
    }
}

/// Trailing zero bits.
pub(super) const fn zeros(value: i64) -> u8 {
    value.trailing_zeros() as u8
}

/// Every sum that was met.
#[derive(Debug)]
pub(super) struct Bases {
    sums: Vec<Sum>,
    numbers: HashMap<Sum, Base>,
}

/// Atoms, ascending, with their factors, none of which is 0.
type Sum = Vec<(Atom, i64)>;

impl Default for Bases {
    fn default() -> Self {
        Self { sums: vec![Vec::new()], numbers: HashMap::from([(Vec::new(), Base::ZERO)]) }
    }
}

impl Bases {
    /// The atoms of a sum, and their factors.
    pub(super) fn sum(&self, base: Base) -> &[(Atom, i64)] {
        &self.sums[base.0 as usize]
    }

    /// The array that a sum is the address of, if it is nothing else.
    pub(super) fn symbol(&self, base: Base) -> Option<u32> {
        match self.sum(base) {
            [(Atom::Symbol(offset), 1)] => Some(*offset),
            _ => None,
        }
    }

    /// An unknown value with so many trailing zeros.
    pub(super) fn unknown(&mut self, atom: Atom, zeros: u8) -> Value {
        Value { base: self.number(vec![(atom, 1)]), inner: 0, outer: 0, loose: false, zeros }
    }

    /// The sum, which is `atom` where it is something of its own: see [`Self::sum_of`].
    pub(super) fn add(&mut self, a: Value, b: Value, atom: Atom) -> Value {
        match (a.known(), b.known()) {
            (_, Some(b)) => a.plus(b),
            (Some(a), None) => b.plus(a),
            (None, None) => self.sum_of(a, b, atom),
        }
    }

    /// ptxas loses sight of the zeros of a difference, unless it starts from a constant.
    pub(super) fn subtract(&mut self, a: Value, b: Value, atom: Atom) -> Value {
        let minus_b = self.scale(b, -1);
        let known = a.known().or(b.known()).is_some() || self.symbol(a.base).is_some();
        let difference = self.add(a, minus_b, atom);
        if known { difference } else { Value { zeros: 0, ..difference } }
    }

    pub(super) fn scale(&mut self, a: Value, factor: i64) -> Value {
        if let Some(known) = a.known() {
            return Value::constant(known.wrapping_mul(factor));
        }
        if factor == 0 {
            return Value::constant(0);
        }
        let scaled = |(atom, of): &(Atom, i64)| (*atom, of.wrapping_mul(factor));
        let sum = self.sum(a.base).iter().map(scaled).filter(|(_, factor)| *factor != 0).collect();
        let inner = a.inner.wrapping_add(a.outer).wrapping_mul(factor);
        let zeros = a.all_zeros().saturating_add(zeros(factor)).min(ALL);
        Value { base: self.number(sum), inner, outer: 0, loose: false, zeros }
    }

    /// The constant stays outside that was added to an array's address, or is loose.
    fn settled(&self, a: Value) -> Value {
        if a.loose || self.symbol(a.base).is_some() {
            return a;
        }
        Value { inner: a.inner.wrapping_add(a.outer), outer: 0, zeros: a.all_zeros(), ..a }
    }

    /// The sum of two unknown values. Measured: that `x + 8 t` and 24 `t` are `x + 32 t` ptxas does
    /// not see, so a sum of values that have something in common is something new.
    fn sum_of(&mut self, a: Value, b: Value, atom: Atom) -> Value {
        let (a, b) = (self.settled(a), self.settled(b));
        let (outer, loose) = (a.outer.wrapping_add(b.outer), a.loose || b.loose);
        let zeros = a.zeros.min(b.zeros);
        let mut sum = [self.sum(a.base), self.sum(b.base)].concat();
        sum.sort_unstable();
        if sum.windows(2).any(|pair| pair[0].0 == pair[1].0) {
            return Value { outer, loose, ..self.unknown(atom, zeros) };
        }
        let inner = a.inner.wrapping_add(b.inner);
        Value { base: self.number(sum), inner, outer, loose, zeros }
    }

    fn number(&mut self, sum: Sum) -> Base {
        if let Some(base) = self.numbers.get(&sum) {
            return *base;
        }
        let base = Base(self.sums.len() as u32);
        self.sums.push(sum.clone());
        self.numbers.insert(sum, base);
        base
    }
}

/// The registers of a program, numbered from 0.
#[derive(Debug, Default)]
pub(super) struct Numbers(HashMap<Reg, u32>);

impl Numbers {
    pub(super) fn of(&mut self, reg: Reg) -> u32 {
        let next = self.0.len() as u32;
        *self.0.entry(reg).or_insert(next)
    }

    pub(super) fn len(&self) -> usize {
        self.0.len()
    }
}
