//! What the user of a program gives it: numbers that it reads, and its arguments.

use super::interpreter::{Eval, Interpreter};
use super::memory::MemorySide;
use super::value::HostValue;
use super::{ByteState, HostAssumption};
use crate::ast::{Expr, ExprKind, Function};
use crate::types::{Qualifiers, Scalar, Type};

/// The number that is given for one that nobody gives.
const USUAL: i64 = 64;

/// The largest element that is given.
const LARGEST: u64 = 100;

impl<'m> Interpreter<'m> {
    /// `cin >> n`: reads a number, if the left side is what is read from; whether it is.
    pub(super) fn reads(&mut self, from: &'m Expr, to: &'m Expr) -> Eval<bool> {
        let is_input = match &from.kind {
            ExprKind::Name(name) => name.trim_start_matches("std::") == "cin",
            ExprKind::Binary(operator, left, right) if &**operator == ">>" => {
                self.reads(left, right)?
            }
            _ => false,
        };
        if is_input {
            self.read(to)?;
        }
        Ok(is_input)
    }

    /// `scanf("%d", &n, ..)`
    pub(super) fn scans(&mut self, all: &'m [Expr]) -> Eval<HostValue> {
        for one in all {
            if let ExprKind::Unary('&', of) = &one.kind {
                self.read(of)?;
                continue;
            }
            let why = self.unknown("what is read here");
            let to = self.eval(one)?;
            self.forget_behind(&to, &why);
        }
        Ok(HostValue::int(all.len() as i64))
    }

    /// Gives a variable the usual number, and an element one that differs from others.
    fn read(&mut self, to: &'m Expr) -> Eval<()> {
        let Some(place) = self.place(to)? else { return Ok(()) };
        let Type::Scalar(_) = place.ty else {
            let why = self.unknown("what is read here");
            self.memory.forget(place.at, place.ty.bytes(), why.reason().unwrap_or(0));
            return Ok(());
        };
        let line = self.line;
        let (number, told) = if let ExprKind::Name(name) = &to.kind {
            (USUAL, format!("{name} = {USUAL}"))
        } else {
            self.random = self.random.wrapping_mul(1_103_515_245).wrapping_add(12_345);
            let number = (self.random >> 16) % LARGEST;
            (number as i64, format!("numbers below {LARGEST}"))
        };
        self.assume(told, format!("the program reads it in line {line}"));
        let value = HostValue::Int(number, Scalar::I64);
        self.store(place.at, &place.ty, value);
        Ok(())
    }

    /// Notes what is taken for what is not known.
    pub(super) fn assume(&mut self, what: String, why: String) {
        let assumed = HostAssumption { what, why };
        if !self.run.assumed.contains(&assumed) {
            self.run.assumed.push(assumed);
        }
    }

    /// `argc` and `argv` of a program that is given as many arguments as it names, each the usual number;
    /// `None` if it names none.
    pub(super) fn arguments_of_main(&mut self, main: &'m Function) -> Option<Vec<HostValue>> {
        let name = &main.parameters.get(1)?.name;
        let mut last = None;
        main.body.visit(&mut |kind| {
            if let ExprKind::Index(of, at) = kind
                && let (ExprKind::Name(own), ExprKind::Int(at, _)) = (&of.kind, &at.kind)
                && own == name
            {
                last = last.max(Some(*at));
            }
        });
        let last = u64::try_from(last.filter(|last| (1..16).contains(last))?).ok()?;
        let text = format!("{USUAL}\0");
        let number = self.memory.add(MemorySide::Host, text.len() as u64);
        self.memory.store(number, text.as_bytes(), &vec![ByteState::Known; text.len()]);
        let all = self.memory.add(MemorySide::Host, 8 * (last + 1));
        for place in 0..=last {
            self.memory.store(all + 8 * place, &number.to_le_bytes(), &[ByteState::Known; 8]);
        }
        let pointer = Type::Scalar(Scalar::I8).pointer(None, Qualifiers::default());
        let why = "its `main` takes them, and none are given".to_owned();
        self.assume(format!("{USUAL} for each argument of the program"), why);
        Some(vec![HostValue::int(last as i64 + 1), HostValue::Pointer(all, pointer)])
    }

    /// The text that a value is, or points to.
    pub(super) fn text_of(&self, value: &HostValue) -> Option<String> {
        match value {
            HostValue::Text(text) => Some(text.to_string()),
            HostValue::Pointer(at, _) => {
                let length = self.memory.region(*at)?.bytes;
                let (bytes, _) = self.memory.load(*at, length)?;
                let text = bytes.split(|byte| *byte == 0).next()?;
                Some(String::from_utf8_lossy(text).into_owned())
            }
            _ => None,
        }
    }
}
