//! ptxas's knowledge of a register used as an address: a sum, and its trailing zeros.

use crate::sim::Reg;
use std::collections::{BTreeMap, HashMap};

/// Trailing zeros of the value 0, more than any address has.
const ALL: u8 = 64;

/// A value that is not known before the kernel runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) enum Atom {
    /// The initial value of a register: a parameter, a special register.
    Initial(u32),
    /// The start of a shared array, by its offset in the block's shared memory.
    Symbol(u32),
    /// The result of an instruction: its number, and the index of the result.
    Written(u32, u32),
    /// A register at the start of a block that paths reach with different values: block, register.
    Met(usize, u32),
    /// A value of 32 bits as one of 64: its unknown part, its constant, and whether by its sign.
    Widened(Base, i64, bool),
}

/// A sum of atoms, each with a factor, as an index into [`Bases`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct Base(u32);

impl Base {
    /// The empty sum.
    pub(super) const ZERO: Self = Self(0);
}

/// A register's value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct SymbolicValue {
    /// The unknown part.
    pub(super) base: Base,
    /// A constant inside the sum, which stays in the register.
    pub(super) inner: i64,
    /// A constant added last, which ptxas moves into the displacement of the memory instruction.
    pub(super) outer: i64,
    /// Whether ptxas does so even after more was added: true for a constant added by an `or`.
    pub(super) loose: bool,
    /// Trailing zero bits that `base + inner` is known to have.
    pub(super) zeros: u8,
}

impl SymbolicValue {
    pub(super) const fn constant(value: i64) -> Self {
        Self { base: Base::ZERO, inner: 0, outer: value, loose: false, zeros: ALL }
    }

    /// The value, if it is known.
    pub(super) fn known(self) -> Option<i64> {
        (self.base == Base::ZERO).then_some(self.inner.wrapping_add(self.outer))
    }

    /// Trailing zero bits of the whole value.
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

/// Every sum met so far.
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

    /// The atoms of a sum if no value of 32 bits wrapped before it was widened.
    pub(super) fn unwrapped(&self, base: Base) -> BTreeMap<Atom, i64> {
        let mut atoms = BTreeMap::new();
        for (atom, factor) in self.sum(base) {
            let inner = match atom {
                Atom::Widened(inner, ..) => self.unwrapped(*inner),
                atom => BTreeMap::from([(*atom, 1)]),
            };
            for (atom, of) in inner {
                let sum: &mut i64 = atoms.entry(atom).or_default();
                *sum = sum.wrapping_add(of.wrapping_mul(*factor));
            }
        }
        atoms.retain(|_, factor| *factor != 0);
        atoms
    }

    /// Returns the offset of the shared array whose address the sum is, if it is nothing else.
    pub(super) fn symbol(&self, base: Base) -> Option<u32> {
        match self.sum(base) {
            [(Atom::Symbol(offset), 1)] => Some(*offset),
            _ => None,
        }
    }

    /// Returns an unknown value with `zeros` trailing zeros.
    pub(super) fn unknown(&mut self, atom: Atom, zeros: u8) -> SymbolicValue {
        SymbolicValue {
            base: self.number(vec![(atom, 1)]),
            inner: 0,
            outer: 0,
            loose: false,
            zeros,
        }
    }

    /// Returns the sum, or `atom` where ptxas sees it as a new value: see [`Self::sum_of`].
    pub(super) fn add(&mut self, a: SymbolicValue, b: SymbolicValue, atom: Atom) -> SymbolicValue {
        match (a.known(), b.known()) {
            (_, Some(b)) => a.plus(b),
            (Some(a), None) => b.plus(a),
            (None, None) => self.sum_of(a, b, atom),
        }
    }

    /// ptxas loses track of the zeros of a difference unless it involves a constant or starts from
    /// an array's address.
    pub(super) fn subtract(
        &mut self,
        a: SymbolicValue,
        b: SymbolicValue,
        atom: Atom,
    ) -> SymbolicValue {
        let minus_b = self.scale(b, -1);
        let known = a.known().or(b.known()).is_some() || self.symbol(a.base).is_some();
        let difference = self.add(a, minus_b, atom);
        if known { difference } else { SymbolicValue { zeros: 0, ..difference } }
    }

    pub(super) fn scale(&mut self, a: SymbolicValue, factor: i64) -> SymbolicValue {
        if let Some(known) = a.known() {
            return SymbolicValue::constant(known.wrapping_mul(factor));
        }
        if factor == 0 {
            return SymbolicValue::constant(0);
        }
        let scaled = |(atom, of): &(Atom, i64)| (*atom, of.wrapping_mul(factor));
        let sum = self.sum(a.base).iter().map(scaled).filter(|(_, factor)| *factor != 0).collect();
        let inner = a.inner.wrapping_add(a.outer).wrapping_mul(factor);
        let zeros = a.all_zeros().saturating_add(zeros(factor)).min(ALL);
        SymbolicValue { base: self.number(sum), inner, outer: 0, loose: false, zeros }
    }

    /// A value of 32 bits as one of 64. Measured: ptxas moves no constant out of it, as the sum may
    /// have wrapped, so that indices which are widened each by itself are not neighbours
    /// (tests/data/analysis/joins/widened.ptx; ptxas 12.9 and 13.5, `mul.wide` and `cvt` alike); nor is one
    /// that is widened by its sign equal to one that is widened by zeros.
    pub(super) fn widened(&mut self, a: SymbolicValue, signed: bool) -> SymbolicValue {
        if a.known().is_some() {
            return a;
        }
        let inner = a.inner.wrapping_add(a.outer);
        SymbolicValue { inner, ..self.unknown(Atom::Widened(a.base, inner, signed), a.all_zeros()) }
    }

    /// Moves the outer constant inside, unless it was added to an array's address or is loose.
    fn settled(&self, a: SymbolicValue) -> SymbolicValue {
        if a.loose || self.symbol(a.base).is_some() {
            return a;
        }
        SymbolicValue { inner: a.inner.wrapping_add(a.outer), outer: 0, zeros: a.all_zeros(), ..a }
    }

    /// The sum of two unknown values. Measured: ptxas does not see that `x + 8 t` plus `24 t` is
    /// `x + 32 t`, so a sum of values that have an atom in common is a new value.
    fn sum_of(&mut self, a: SymbolicValue, b: SymbolicValue, atom: Atom) -> SymbolicValue {
        let (a, b) = (self.settled(a), self.settled(b));
        let (outer, loose) = (a.outer.wrapping_add(b.outer), a.loose || b.loose);
        let zeros = a.zeros.min(b.zeros);
        let mut sum = [self.sum(a.base), self.sum(b.base)].concat();
        sum.sort_unstable();
        if sum.windows(2).any(|pair| pair[0].0 == pair[1].0) {
            return SymbolicValue { outer, loose, ..self.unknown(atom, zeros) };
        }
        let inner = a.inner.wrapping_add(b.inner);
        SymbolicValue { base: self.number(sum), inner, outer, loose, zeros }
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
pub(super) struct RegisterNumbers(HashMap<Reg, u32>);

impl RegisterNumbers {
    pub(super) fn number(&mut self, reg: Reg) -> u32 {
        let next = self.0.len() as u32;
        *self.0.entry(reg).or_insert(next)
    }

    pub(super) fn known(&self, reg: Reg) -> Option<u32> {
        self.0.get(&reg).copied()
    }

    pub(super) fn len(&self) -> usize {
        self.0.len()
    }
}
