//! Tests expressions against Rust's own arithmetic, and their errors as a user sees them.

use super::error::LONGEST;
use super::variable::VARS;
use super::*;
use crate::launch::Dim3;
use insta::assert_snapshot;
use proptest::prelude::*;

const BLOCK: Dim3 = Dim3::new(32, 8, 2);

fn thread(number: u32) -> ExprThread {
    ExprThread { number, block: BLOCK, at: Dim3::new(3, 5, 7) }
}

fn value(text: &str, number: u32) -> i64 {
    let expr = IndexExpr::parse(text).unwrap_or_else(|error| panic!("{}", error.render(text)));
    expr.value(&thread(number)).unwrap_or_else(|error| panic!("{}", error.render(text)))
}

/// Returns the error of a text, when it is parsed or when it is evaluated as an index for thread
/// (3, 1, 0).
fn error(text: &str) -> String {
    let index = IndexExpr::parse(text).and_then(|expr| expr.index(&thread(35)));
    index.expect_err("the expression is wrong").render(text)
}

#[test]
fn every_variable_says_where_the_thread_is() {
    let number = 256 + 32 * 6 + 9;
    let expected: [(&str, i64); 12] = [
        ("tx", 9),
        ("ty", 6),
        ("tz", 1),
        ("bx", 3),
        ("by", 5),
        ("bz", 7),
        ("bdx", 32),
        ("bdy", 8),
        ("bdz", 2),
        ("tid", 457),
        ("lane", 9),
        ("warp", 14),
    ];
    assert_eq!(expected.map(|(name, _)| value(name, number)), expected.map(|(_, value)| value));
    for (_, short, cuda) in VARS {
        assert!(cuda.is_empty() || value(short, number) == value(cuda, number), "{short} {cuda}");
    }
}

#[test]
fn constants_are_decimal_or_hexadecimal() {
    let texts = ["0", "32u", "0x1F", "0Xffffffff", "9223372036854775807", "1ULL"];
    let values = [0, 32, 31, 0xffff_ffff, i64::MAX, 1];
    assert_eq!(texts.map(|text| value(text, 0)), values);
}

#[test]
fn comparisons_bind_as_in_c() {
    assert_eq!(value("1 & 2 == 2", 0), 1, "== binds tighter than &");
    assert_eq!(value("1 | 0 == 1", 0), 1, "== binds tighter than |");
    assert_eq!(value("3 > 2 > 1", 0), 0, "comparisons go from left to right");
    assert_eq!(value("1 || 1 && 0", 0), 1, "&& binds tighter than ||");
    assert_eq!(value("0 ? 1 : 0 ? 2 : 3", 0), 3, "?: goes from right to left");
    assert_eq!(value("1 ? 0 ? 4 : 5 : 6", 0), 5);
    assert_eq!(value("2 - - 3 + !0 + ~0", 0), 5);
}

#[test]
fn only_what_is_needed_is_evaluated() {
    assert_eq!(value("tx && 1 / tx", 0), 0);
    assert_eq!(value("1 || 1 / 0", 0), 1);
    assert_eq!(value("tx == 0 ? 7 : 100 / tx", 0), 7);
}

#[test]
fn the_deepest_nesting_is_no_danger() {
    let half = LONGEST / 2;
    assert_eq!(value(&("(".repeat(half - 1) + "1" + &")".repeat(half - 1)), 0), 1);
    assert_eq!(value(&("-".repeat(2 * half - 2) + "1"), 0), 1);
    assert_eq!(value(&("1+".repeat(half - 1) + "1"), 0), half as i64);
    assert!(error(&"(".repeat(100_000)).starts_with("an expression has at most 512 bytes"));
}

#[test]
fn what_cannot_be_read_is_shown_with_its_place() {
    assert_snapshot!(error("ty*33 + "), @"
    expected a number, a variable or `(`, found the end
      ty*33 + 
              ^
    ");
    assert_snapshot!(error("(ty*33 + tx"), @"
    expected an operator or `)`, found the end
      (ty*33 + tx
                 ^
    ");
    assert_snapshot!(error("ty*33 tx"), @"
    expected an operator or the end, found `tx`
      ty*33 tx
            ^
    ");
    assert_snapshot!(error("row*33 + tx"), @"
    there is no variable `row`: use tx ty tz bx by bz bdx bdy bdz tid lane warp
      row*33 + tx
      ^
    ");
    assert_snapshot!(error("tx = 3"), @"
    expected an operator or the end, found `=`
      tx = 3
         ^
    ");
    assert_snapshot!(error("tx ? 3"), @"
    expected an operator or `:`, found the end
      tx ? 3
            ^
    ");
    assert_snapshot!(error("tx + 010"), @"
    `010` is not a decimal or hexadecimal number below 2^63
      tx + 010
           ^
    ");
    assert_snapshot!(error("tx * 3.5"), @"
    `3.5` is not a decimal or hexadecimal number below 2^63
      tx * 3.5
           ^
    ");
    assert_snapshot!(error("99999999999999999999"), @"
    `99999999999999999999` is not a decimal or hexadecimal number below 2^63
      99999999999999999999
      ^
    ");
    assert_snapshot!(error("tx \u{d7} 33"), @"
    expected an expression, found `×`
      tx × 33
         ^
    ");
    assert_snapshot!(error(""), @"
    expected a number, a variable or `(`, found the end
      
      ^
    ");
}

#[test]
fn what_cannot_be_computed_names_the_thread() {
    assert_snapshot!(error("ty + 1 / (tx - 3)"), @"
    division by zero for tx = 3, ty = 1
      ty + 1 / (tx - 3)
             ^
    ");
    assert_snapshot!(error("tx % 0"), @"
    division by zero for tx = 3, ty = 1
      tx % 0
         ^
    ");
    assert_snapshot!(error("tx - 4"), @"
    the index -1 is negative for tx = 3, ty = 1
      tx - 4
         ^
    ");
    assert_snapshot!(error("tx << 64"), @"
    a shift by 64 bits, where 0 to 63 are possible, for tx = 3, ty = 1
      tx << 64
         ^
    ");
    assert_snapshot!(error("1 << 62 + ty"), @"
    the result does not fit in 64 bits for tx = 3, ty = 1
      1 << 62 + ty
        ^
    ");
    assert_snapshot!(error("tx * 0x7fffffffffffffff"), @"
    the result does not fit in 64 bits for tx = 3, ty = 1
      tx * 0x7fffffffffffffff
         ^
    ");
    assert_snapshot!(error("-(-0x7fffffffffffffff - ty)"), @"
    the result does not fit in 64 bits for tx = 3, ty = 1
      -(-0x7fffffffffffffff - ty)
      ^
    ");
}

/// Evaluates the same text here and by rustc, whose precedence of these operators is C's.
macro_rules! assert_like_rust {
    ($x:ident, $y:ident: $($text:expr),+ $(,)?) => {
        for number in 0..BLOCK.volume() as u32 {
            let place = thread(number).place();
            let ($x, $y) = (i64::from(place.x), i64::from(place.y));
            $(assert_eq!(value(stringify!($text), number), $text, "{}", stringify!($text));)+
        }
    };
}

#[test]
#[expect(clippy::precedence, reason = "the precedence is what is tested")]
fn precedence_is_that_of_rust() {
    assert_like_rust!(tx, ty:
        ty * 33 + tx,
        tx + ty * 33,
        tx - ty - 1,
        tx / 4 % 3 * 5,
        tx << 2 + 1,
        tx + 1 << 2,
        tx >> 1 & 3 | ty << 4,
        tx ^ ty & 7 | 8,
        (tx ^ ty) * 32 + (tx & ty | 1),
        -tx * 3 - -ty,
        tx % 7 - ty % 5 << 1 ^ 3,
    );
}

/// A fully parenthesised text, and the value that Rust computes for it, or `None` where that
/// overflows or divides by zero.
fn any_expression() -> impl Strategy<Value = (String, Option<i64>)> {
    let leaf = prop_oneof![
        (0..100i64).prop_map(|value| (value.to_string(), Some(value))),
        any::<u32>().prop_map(|value| (format!("{value:#x}"), Some(value.into()))),
        Just(("tx".to_owned(), Some(3))),
        Just(("ty".to_owned(), Some(1))),
    ];
    leaf.prop_recursive(4, 24, 2, |inner| {
        let op = prop::sample::select(vec![
            "+", "-", "*", "/", "%", "<<", ">>", "&", "|", "^", "==", "!=", "<", "<=", ">", ">=",
        ]);
        prop_oneof![
            (inner.clone(), op, inner.clone()).prop_map(|((a, x), op, (b, y))| {
                (format!("({a} {op} {b})"), x.zip(y).and_then(|(x, y)| by_rust(op, x, y)))
            }),
            inner.clone().prop_map(|(a, x)| (format!("(-{a})"), x.and_then(i64::checked_neg))),
            inner.prop_map(|(a, x)| (format!("~{a}"), x.map(|x| !x))),
        ]
    })
}

fn by_rust(op: &str, x: i64, y: i64) -> Option<i64> {
    let wide = |value: i128| i64::try_from(value).ok();
    let (a, b) = (i128::from(x), i128::from(y));
    let bits = u32::try_from(y).ok().filter(|bits| *bits < 64);
    match op {
        "+" => wide(a + b),
        "-" => wide(a - b),
        "*" => wide(a * b),
        "/" => (b != 0).then(|| a / b).and_then(wide),
        "%" => (b != 0).then(|| a % b).and_then(wide),
        "<<" => bits.and_then(|bits| wide(a << bits)),
        ">>" => bits.map(|bits| x >> bits),
        "&" => Some(x & y),
        "|" => Some(x | y),
        "^" => Some(x ^ y),
        "==" => Some((x == y).into()),
        "!=" => Some((x != y).into()),
        "<" => Some((x < y).into()),
        "<=" => Some((x <= y).into()),
        ">" => Some((x > y).into()),
        ">=" => Some((x >= y).into()),
        other => panic!("{other} is not generated"),
    }
}

proptest! {
    #[test]
    fn values_are_those_of_rust((text, expected) in any_expression()) {
        prop_assume!(text.len() <= LONGEST);
        let expr = IndexExpr::parse(&text).expect("the text is well formed");
        prop_assert_eq!(expr.value(&thread(35)).ok(), expected);
    }

    #[test]
    fn any_text_is_read_or_refused_at_a_place_inside_it(text in "[-+*/%<>&|^~!?:()=0-9a-z.x \u{e9}]{0,40}") {
        if let Err(error) = IndexExpr::parse(&text).and_then(|expr| expr.index(&thread(35))) {
            prop_assert!(error.at <= text.len());
            let shown = error.render(&text);
            let caret = shown.lines().last().unwrap_or_default();
            prop_assert!(caret.trim() == "^" && caret.len() <= text.len() + 3);
        }
    }
}
