//! Exact fractions and their rounding: the rounded value is searched for among a format's numbers,
//! so that the search shares no arithmetic with the code under test.

use std::cmp::Ordering;

/// A natural number, lowest 32 bits first, without leading zeros.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Natural(Vec<u32>);

impl Natural {
    fn new(value: u64) -> Self {
        Self(vec![value as u32, (value >> 32) as u32]).trimmed()
    }

    fn power_of_two(exponent: u32) -> Self {
        let mut limbs = vec![0; exponent as usize / 32];
        limbs.push(1 << (exponent % 32));
        Self(limbs)
    }

    fn trimmed(mut self) -> Self {
        while self.0.last() == Some(&0) {
            self.0.pop();
        }
        self
    }

    fn limb(&self, index: usize) -> u64 {
        self.0.get(index).copied().unwrap_or(0).into()
    }

    fn plus(&self, b: &Self) -> Self {
        let mut carry = 0;
        let length = self.0.len().max(b.0.len()) + 1;
        let limbs = (0..length).map(|index| {
            carry += self.limb(index) + b.limb(index);
            let limb = carry as u32;
            carry >>= 32;
            limb
        });
        Self(limbs.collect()).trimmed()
    }

    /// The difference to a smaller number.
    fn minus(&self, b: &Self) -> Self {
        let mut borrow = 0;
        let limbs = (0..self.0.len()).map(|index| {
            let limb = (self.limb(index) as i64) - (b.limb(index) as i64) - borrow;
            borrow = i64::from(limb < 0);
            limb as u32
        });
        Self(limbs.collect()).trimmed()
    }

    fn times(&self, b: &Self) -> Self {
        let mut limbs = vec![0_u32; self.0.len() + b.0.len()];
        for (i, a) in self.0.iter().enumerate() {
            let mut carry = 0;
            for (j, b) in b.0.iter().enumerate() {
                carry += u64::from(limbs[i + j]) + u64::from(*a) * u64::from(*b);
                limbs[i + j] = carry as u32;
                carry >>= 32;
            }
            limbs[i + b.0.len()] = carry as u32;
        }
        Self(limbs).trimmed()
    }

    fn order(&self, b: &Self) -> Ordering {
        let length = self.0.len().cmp(&b.0.len());
        length.then_with(|| self.0.iter().rev().cmp(b.0.iter().rev()))
    }
}

/// An exact number.
#[derive(Clone, Debug)]
pub(crate) struct Fraction {
    pub(crate) negative: bool,
    over: Natural,
    under: Natural,
}

impl Fraction {
    pub(crate) fn is_zero(&self) -> bool {
        self.over.0.is_empty()
    }

    pub(crate) fn negated(self) -> Self {
        Self { negative: !self.negative, ..self }
    }

    pub(crate) fn plus(&self, b: &Self) -> Self {
        let (x, y) = (self.over.times(&b.under), b.over.times(&self.under));
        let under = self.under.times(&b.under);
        if self.negative == b.negative {
            return Self { negative: self.negative, over: x.plus(&y), under };
        }
        match x.order(&y) {
            Ordering::Less => Self { negative: b.negative, over: y.minus(&x), under },
            _ => Self { negative: self.negative, over: x.minus(&y), under },
        }
    }

    pub(crate) fn times(&self, b: &Self) -> Self {
        let negative = self.negative != b.negative;
        Self { negative, over: self.over.times(&b.over), under: self.under.times(&b.under) }
    }

    pub(crate) fn over(&self, b: &Self) -> Self {
        let negative = self.negative != b.negative;
        Self { negative, over: self.over.times(&b.under), under: self.under.times(&b.over) }
    }

    /// Compares the magnitudes.
    pub(crate) fn order(&self, b: &Self) -> Ordering {
        self.over.times(&b.under).order(&b.over.times(&self.under))
    }
}

/// The rounding mode.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Mode {
    Nearest,
    NearestAway,
    Zero,
    Down,
    Up,
}

/// A floating-point format: bits of a number, and of its fraction as stored.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Format {
    pub(crate) bits: u32,
    pub(crate) fraction: u32,
}

pub(crate) const F16: Format = Format { bits: 16, fraction: 10 };
pub(crate) const BF16: Format = Format { bits: 16, fraction: 7 };
pub(crate) const TF32: Format = Format { bits: 19, fraction: 10 };
pub(crate) const F32: Format = Format { bits: 32, fraction: 23 };
pub(crate) const F64: Format = Format { bits: 64, fraction: 52 };

impl Format {
    pub(crate) fn sign(self) -> u64 {
        1 << (self.bits - 1)
    }

    pub(crate) fn infinity(self) -> u64 {
        self.sign() - (1 << self.fraction)
    }

    /// All bits except the sign.
    pub(crate) fn nan(self) -> u64 {
        self.sign() - 1
    }

    pub(crate) fn is_nan(self, bits: u64) -> bool {
        bits & self.nan() > self.infinity()
    }

    pub(crate) fn is_infinite(self, bits: u64) -> bool {
        bits & self.nan() == self.infinity()
    }

    pub(crate) fn is_negative(self, bits: u64) -> bool {
        bits & self.sign() != 0
    }

    /// The number that finite bits represent; for infinity, the number that would follow the
    /// largest.
    pub(crate) fn value(self, bits: u64) -> Fraction {
        let magnitude = bits & self.nan();
        let (field, fraction) =
            (magnitude >> self.fraction, magnitude & ((1 << self.fraction) - 1));
        let significand = if field == 0 { fraction } else { fraction + (1 << self.fraction) };
        let middle = (1_i32 << (self.bits - self.fraction - 2)) - 1;
        let exponent = field.max(1) as i32 - middle - self.fraction as i32;
        let power = Natural::power_of_two(exponent.unsigned_abs());
        let whole = Natural::new(significand);
        let (over, under) =
            if exponent < 0 { (whole, power) } else { (whole.times(&power), Natural::new(1)) };
        Fraction { negative: self.is_negative(bits), over, under }
    }

    /// The bits that an exact number rounds to; `order` compares a number's magnitude with the
    /// exact one's.
    pub(crate) fn search(
        self,
        negative: bool,
        mode: Mode,
        order: impl Fn(&Fraction) -> Ordering,
    ) -> u64 {
        let (mut low, mut high) = (0, self.infinity() + 1);
        while high - low > 1 {
            let middle = low.midpoint(high);
            if order(&self.value(middle)) == Ordering::Greater {
                high = middle;
            } else {
                low = middle;
            }
        }
        let sign = if negative { self.sign() } else { 0 };
        let outwards = match mode {
            Mode::Zero => false,
            Mode::Down => negative,
            Mode::Up => !negative,
            Mode::Nearest | Mode::NearestAway => true,
        };
        if low == self.infinity() {
            return sign | if outwards { low } else { low - 1 };
        }
        if order(&self.value(low)) == Ordering::Equal {
            return sign | low;
        }
        let sum = self.value(low).plus(&self.value(low + 1));
        let two = Fraction { negative: false, over: Natural::new(2), under: Natural::new(1) };
        let up = match mode {
            Mode::Zero | Mode::Down | Mode::Up => outwards,
            Mode::Nearest | Mode::NearestAway => match order(&sum.over(&two)) {
                Ordering::Less => true,
                Ordering::Greater => false,
                Ordering::Equal => mode == Mode::NearestAway || low & 1 == 1,
            },
        };
        sign | (low + u64::from(up))
    }

    pub(crate) fn round(self, exact: &Fraction, mode: Mode) -> u64 {
        self.search(exact.negative, mode, |number| number.order(exact))
    }
}
