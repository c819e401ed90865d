//! Reads expressions.

use super::elsewhere::Elsewhere;
use super::reader::ExprReader;
use super::tree::{Argument, Binary, FunctionCall, QueryExpr, QueryFunction, QueryNode, Unary};
use crate::kernel;
use crate::lesson::answer::Value;
use crate::lesson::nearest::nearest;
use crate::lesson::query::functions::{FUNCTIONS, function};
use crate::lesson::query_error::QueryError;
use crate::lesson::target::Target;
use crate::matrix::Operand;

/// The operators between two operands: sign, strength, operator; of two that begin alike the longer
/// one first.
const OPERATORS: &[(&str, u32, Binary)] = &[
    ("||", 1, Binary::Or),
    ("&&", 2, Binary::And),
    ("==", 3, Binary::Equal),
    ("!=", 3, Binary::Unequal),
    ("<=", 4, Binary::AtMost),
    (">=", 4, Binary::AtLeast),
    ("<", 4, Binary::Less),
    (">", 4, Binary::More),
    ("+", 5, Binary::Plus),
    ("-", 5, Binary::Minus),
    ("*", 6, Binary::Times),
    ("/", 6, Binary::By),
    ("%", 6, Binary::Rest),
];

/// Reads a whole text as an expression.
pub(super) fn whole(text: &str) -> Result<QueryExpr, QueryError> {
    let mut reader = ExprReader::new(text)?;
    let expr = reader.expr()?;
    if reader.is_at_end() { Ok(expr) } else { Err(reader.unexpected("an operator, or the end")) }
}

impl ExprReader<'_> {
    pub(super) fn expr(&mut self) -> Result<QueryExpr, QueryError> {
        self.deeper(|reader| {
            let start = reader.start();
            let condition = reader.operation(1)?;
            if !reader.takes("?") {
                return Ok(condition);
            }
            let yes = reader.expr()?;
            reader.expect(":")?;
            let parts = Box::new([condition, yes, reader.expr()?]);
            Ok(QueryExpr { node: QueryNode::Choice(parts), span: reader.since(start) })
        })
    }

    /// Operands joined by operators of at least this strength.
    fn operation(&mut self, least: u32) -> Result<QueryExpr, QueryError> {
        let start = self.start();
        let mut left = self.operand()?;
        loop {
            let rest = self.rest();
            let next = OPERATORS.iter().find(|(sign, ..)| rest.starts_with(sign));
            let Some((sign, strength, operator)) = next.filter(|(_, of, _)| *of >= least) else {
                return Ok(left);
            };
            self.takes(sign);
            let right = self.operation(strength + 1)?;
            let node = QueryNode::Binary(*operator, Box::new([left, right]));
            left = QueryExpr { node, span: self.since(start) };
        }
    }

    fn operand(&mut self) -> Result<QueryExpr, QueryError> {
        let start = self.start();
        for (sign, operator) in [("-", Unary::Minus), ("!", Unary::Not)] {
            if self.takes(sign) {
                let inner = self.deeper(Self::operand)?;
                let node = QueryNode::Unary(operator, Box::new(inner));
                return Ok(QueryExpr { node, span: self.since(start) });
            }
        }
        if self.takes("(") {
            let inner = self.expr()?;
            self.expect(")")?;
            return Ok(inner);
        }
        let node = if let Some(text) = self.quoted()? {
            QueryNode::Value(Value::Name(text.to_owned()))
        } else if self.rest().starts_with(|first: char| first.is_ascii_digit()) {
            self.number()?
        } else if self.word().is_empty() {
            return Err(self.unexpected("a number, a text in quotes or a function"));
        } else {
            self.named()?
        };
        Ok(QueryExpr { node, span: self.since(start) })
    }

    fn number(&mut self) -> Result<QueryNode, QueryError> {
        let start = self.start();
        let digits = self.run(|letter| letter.is_ascii_digit() || letter == '.');
        let number = digits.parse().ok().map(|number| QueryNode::Value(Value::Number(number)));
        number.ok_or_else(|| QueryError::at(self.since(start), "this is not a number"))
    }

    /// What begins with a word.
    fn named(&mut self) -> Result<QueryNode, QueryError> {
        let word = self.word();
        let truth = |truth| QueryNode::Value(Value::Truth(truth));
        for (name, node) in
            [("true", truth(true)), ("false", truth(false)), ("you", QueryNode::You)]
        {
            if self.takes_word(name) {
                return Ok(node);
            }
        }
        if Operand::ALL.iter().any(|operand| operand.name() == word) {
            let (element, _) = self.element()?;
            return Ok(QueryNode::Value(Value::Things([Target::Element(element)].into())));
        }
        if let Some(target) = self.thing() {
            return Ok(QueryNode::Value(Value::Things([target].into())));
        }
        if let Some(function) = function(word) {
            return self.call(function).map(QueryNode::Call);
        }
        if kernel::find(word).is_some() {
            self.takes_word(word);
            return Ok(QueryNode::Value(Value::Name(word.to_owned())));
        }
        Err(self.unknown(word))
    }

    /// `lane 3`, `thread 5,3`: a word for a thing, and its number.
    fn thing(&mut self) -> Option<Target> {
        let (mut ahead, word) = (self.clone(), self.word());
        ahead.takes_word(word);
        let number = ahead.whole()?;
        let target = match word {
            "thread" => {
                ahead.takes(",");
                Target::Thread { x: number, y: ahead.whole()? }
            }
            "warp" => Target::Warp(number),
            "lane" => Target::Lane(number),
            "bank" => Target::Bank(number),
            "sector" => Target::Sector(number),
            "line" => Target::Line(number),
            _ => return None,
        };
        *self = ahead;
        Some(target)
    }

    /// A call of a function whose name is next.
    pub(super) fn call(
        &mut self,
        function: &'static QueryFunction,
    ) -> Result<FunctionCall, QueryError> {
        let start = self.start();
        self.takes_word(function.name);
        let (mut arguments, mut elsewhere) = (Vec::new(), Vec::new());
        if self.takes("(") {
            self.deeper(|reader| reader.inside(function, &mut arguments, &mut elsewhere))?;
        }
        if arguments.len() < function.least {
            let told = format!("`{}` is missing an argument: {}", function.name, function.usage());
            return Err(QueryError::at(self.since(start), told));
        }
        Ok(FunctionCall { function, arguments, elsewhere, span: self.since(start) })
    }

    /// What stands between a function's brackets, and the closing one.
    fn inside(
        &mut self,
        function: &'static QueryFunction,
        arguments: &mut Vec<Argument>,
        elsewhere: &mut Vec<(Elsewhere, std::ops::Range<usize>)>,
    ) -> Result<(), QueryError> {
        if self.takes(")") {
            return Ok(());
        }
        loop {
            if let Some(other) = self.elsewhere()? {
                elsewhere.push(other);
            } else if let Some(takes) = function.takes_at(arguments.len()) {
                let argument = self.argument(takes, function)?;
                arguments.push(argument);
            } else {
                let usage = format!("the end: {}", function.usage());
                return Err(self.unexpected(&usage));
            }
            if self.takes(")") {
                return Ok(());
            }
            if !self.takes(",") && !self.is_elsewhere() {
                return Err(self.unexpected("`,` or `)`"));
            }
        }
    }

    /// A word that means nothing.
    fn unknown(&mut self, word: &str) -> QueryError {
        let start = self.start();
        let known = FUNCTIONS.iter().map(|function| function.name);
        let known = known.chain(kernel::all().map(|kernel| kernel.name));
        let meant = nearest(word, known);
        let hint = meant.map_or(String::new(), |near| format!("; did you mean `{near}`?"));
        let told = format!("`{word}` is neither a function nor a kernel{hint}");
        QueryError::at(start..start + word.len(), told)
    }
}
