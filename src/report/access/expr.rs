//! An index expression in C's notation, evaluated for one thread of a block.

mod error;
mod variable;

pub use error::ExprError;
pub(super) use error::ExprErrorKind;
pub use variable::ExprThread;

use cudac::expression::{Expression, Misread, Undefined, Wanted, apply, integer};
use cudac::{Lexeme, LexemeKind, lexemes};
use error::LONGEST;
use std::cell::Cell;
use variable::Var;

/// Every symbol of more than one character.
const SYMBOLS: [&str; 8] = ["<<", ">>", "<=", ">=", "==", "!=", "&&", "||"];

/// A parsed expression.
///
/// The operators are C's without assignment, with C's precedence; all arithmetic is in signed 64
/// bits, and what does not fit is an error. `&&`, `||` and `?:` evaluate only what they need.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IndexExpr<'t> {
    root: Expression<'t>,
}

impl<'t> IndexExpr<'t> {
    /// Reads an expression.
    ///
    /// # Errors
    /// The first place that cannot be read, and what was expected there.
    pub fn parse(text: &'t str) -> Result<Self, ExprError> {
        let error = |at, what| ExprError { what, at, thread: None };
        if text.len() > LONGEST {
            return Err(error(LONGEST, ExprErrorKind::TooLong(text.len())));
        }
        let lexemes: Vec<_> = lexemes(text).into_iter().flat_map(symbols).collect();
        if let Some((at, what)) = lexemes.iter().find_map(refused) {
            return Err(error(at, what));
        }
        let parsed = Expression::parse(&lexemes);
        let read = parsed.as_ref().err().map_or(lexemes.len(), |misread| misread.at);
        if let Some((at, name)) = unknown_name(&lexemes[..read]) {
            return Err(error(at, ExprErrorKind::UnknownName(name)));
        }
        let place = |at: usize| lexemes.get(at).map_or(text.len(), |lexeme| lexeme.start);
        let misread = |Misread { at, wanted }| {
            let found = text[place(at)..place(at + 1)].trim_end();
            let found = if found.is_empty() { "the end".to_owned() } else { format!("`{found}`") };
            error(place(at), ExprErrorKind::Unexpected { expected: expected(wanted), found })
        };
        parsed.map(|root| Self { root }).map_err(misread)
    }

    /// Its value for one thread.
    ///
    /// # Errors
    /// Division by zero, a shift by more than 63 bits, a result beyond 64 bits.
    pub fn value(&self, thread: &ExprThread) -> Result<i64, ExprError> {
        let error = Cell::new(None);
        let leaf = |one: &Expression<'_>| match one.number() {
            Some(number) => number.map(i128::from),
            None => Var::named(&one.name()).map(|var| thread.value(var).into()),
        };
        let value = self.root.fold(&leaf, &|one, values| {
            let exact = apply(one.lexeme.text, values);
            let fits = exact.and_then(|exact| match i64::try_from(exact) {
                Ok(_) => Ok(exact),
                Err(_too_large) => Err(Undefined::Overflow),
            });
            let wrong = |what| error_at(one, what, thread);
            fits.map_err(|why| error.set(Some(wrong(undefined(why))))).ok()
        });
        let value = value.and_then(|value| i64::try_from(value).ok());
        value.ok_or_else(|| {
            error.take().unwrap_or_else(|| self.error(ExprErrorKind::Overflow, thread))
        })
    }

    /// Its value as an index.
    ///
    /// # Errors
    /// Those of [`value`](Self::value), and a negative value.
    pub fn index(&self, thread: &ExprThread) -> Result<u64, ExprError> {
        let value = self.value(thread)?;
        u64::try_from(value).map_err(|_negative| self.error(ExprErrorKind::Negative(value), thread))
    }

    /// Reports an error in the value of the whole expression for one thread.
    pub fn error(&self, what: ExprErrorKind, thread: &ExprThread) -> ExprError {
        error_at(&self.root, what, thread)
    }
}

fn error_at(part: &Expression<'_>, what: ExprErrorKind, thread: &ExprThread) -> ExprError {
    ExprError { what, at: part.lexeme.start, thread: Some(thread.place()) }
}

fn undefined(why: Undefined) -> ExprErrorKind {
    match why {
        Undefined::DivisionByZero => ExprErrorKind::DivisionByZero,
        Undefined::Shift(bits) => ExprErrorKind::Shift(bits as i64),
        Undefined::Overflow | Undefined::Operator => ExprErrorKind::Overflow,
    }
}

const fn expected(wanted: Wanted) -> &'static str {
    match wanted {
        Wanted::Value | Wanted::Shallower => "a number, a variable or `(`",
        Wanted::Operator => "an operator or the end",
        Wanted::Colon(_) => "an operator or `:`",
        Wanted::Bracket(_) => "an operator or `)`",
    }
}

/// The symbols of which a punctuator consists: nothing is counted up or assigned here.
fn symbols(lexeme: Lexeme<'_>) -> Vec<Lexeme<'_>> {
    let (mut lexeme, mut symbols) = (lexeme, Vec::new());
    let is_pair = |text: &str| SYMBOLS.iter().any(|symbol| text.starts_with(symbol));
    while lexeme.kind == LexemeKind::Punctuator && lexeme.text.len() > 1 {
        let (text, rest) = lexeme.text.split_at(if is_pair(lexeme.text) { 2 } else { 1 });
        symbols.push(Lexeme { text, ..lexeme });
        lexeme = Lexeme { text: rest, start: lexeme.start + text.len(), ..lexeme };
    }
    symbols.extend((!lexeme.text.is_empty()).then_some(lexeme));
    symbols
}

/// Why a lexeme can stand in no expression. A leading zero means octal in C: it is refused rather than
/// guessed.
fn refused(lexeme: &Lexeme<'_>) -> Option<(usize, ExprErrorKind)> {
    let text = lexeme.text;
    let is_fine = match lexeme.kind {
        LexemeKind::Number => {
            let digits = text.trim_end_matches(['u', 'U', 'l', 'L']);
            let is_octal = digits.len() > 1 && digits.bytes().all(|digit| digit.is_ascii_digit());
            let is_octal = is_octal && digits.starts_with('0');
            let value = integer(text).filter(|value| i64::try_from(*value).is_ok());
            if is_octal || value.is_none() {
                return Some((lexeme.start, ExprErrorKind::Number(text.to_owned())));
            }
            true
        }
        LexemeKind::Word => true,
        LexemeKind::Punctuator => SYMBOLS.contains(&text) || "<>+-*/%&|^~!?:()=.".contains(text),
        LexemeKind::Comment | LexemeKind::Quoted | LexemeKind::Stray => false,
    };
    let found = format!("`{}`", text.chars().next().unwrap_or(' ').escape_debug());
    let wrong = ExprErrorKind::Unexpected { expected: "an expression", found };
    (!is_fine).then_some((lexeme.start, wrong))
}

/// The first name that is no variable.
fn unknown_name(lexemes: &[Lexeme<'_>]) -> Option<(usize, String)> {
    let is_point = |at: usize| lexemes.get(at).is_some_and(|lexeme| lexeme.text == ".");
    let words = (0..lexemes.len()).filter(|at| lexemes[*at].is_word());
    let mut names = words.filter(|at| *at == 0 || !is_point(at - 1)).map(|at| {
        let name = lexemes[at].text.to_owned();
        let member = lexemes.get(at + 2).filter(|_| is_point(at + 1));
        let member = member.map(|member| format!(".{}", member.text));
        (lexemes[at].start, name + &member.unwrap_or_default())
    });
    names.find(|(_, name)| Var::named(name).is_none())
}

#[cfg(test)]
mod tests;
