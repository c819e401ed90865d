//! Numbers as they are written.

use crate::ast::{Expr, ExprKind};
use crate::error::Error;
use crate::source::expression::integer;
use crate::token::Token;
use crate::types::Scalar;

/// The number of a character, which a quote ends.
fn character(quoted: &str) -> i64 {
    let mut chars = quoted.chars();
    let first = chars.next().unwrap_or('\0');
    let meant = match (first, chars.next()) {
        ('\\', Some('n')) => '\n',
        ('\\', Some('t')) => '\t',
        ('\\', Some('r')) => '\r',
        ('\\', Some('0')) => '\0',
        ('\\', Some(other)) => other,
        _ => first,
    };
    i64::from(u32::from(meant) as u8 as i8)
}

pub(crate) fn number(token: &Token) -> Result<Expr, Error> {
    if let Some(quoted) = token.text.strip_prefix('\'') {
        return Ok(Expr::new(ExprKind::Int(character(quoted), Scalar::I8), token.at));
    }
    let text = token.text.to_ascii_lowercase().replace('\'', "");
    let wrong = || Error::at(token.at, format!("`{}` is no number", token.text));
    let made = |kind| Ok(Expr::new(kind, token.at));
    let hex = text.strip_prefix("0x");
    let binary = text.strip_prefix("0b");
    let is_decimal = hex.is_none() && binary.is_none();
    if is_decimal && (text.contains(['.', 'e']) || text.ends_with('f')) {
        let (digits, scalar) = match text.strip_suffix('f') {
            Some(digits) => (digits, Scalar::F32),
            None => (&*text, Scalar::F64),
        };
        if !digits.contains(['.', 'e']) {
            return Err(wrong().hint(format!("a float has a point: {digits}.0f")));
        }
        let value: f64 = digits.parse().ok().ok_or_else(wrong)?;
        let value = if scalar == Scalar::F32 {
            f64::from(digits.parse::<f32>().ok().ok_or_else(wrong)?)
        } else {
            value
        };
        return made(ExprKind::Float(value, scalar));
    }
    let digits = text.trim_end_matches(['u', 'l']);
    let suffix = &text[digits.len()..];
    let is_octal = is_decimal && digits.len() > 1 && digits.starts_with('0');
    let value = integer(&text).ok_or_else(wrong)?;
    let unsigned = suffix.contains('u');
    let long = suffix.contains('l')
        || value > u64::from(u32::MAX)
        || !unsigned && is_decimal && !is_octal && value > i32::MAX as u64;
    let scalar = match (long, unsigned || value > i64::MAX as u64) {
        (true, true) => Scalar::U64,
        (true, false) => Scalar::I64,
        (false, true) => Scalar::U32,
        (false, false) if value > i32::MAX as u64 => Scalar::U32,
        (false, false) => Scalar::I32,
    };
    made(ExprKind::Int(value as i64, scalar))
}
