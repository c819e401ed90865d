//! Evaluates expressions: C's operators, and calls.

use crate::lesson::answer::{Answer, AnsweredFrom, Value};
use crate::lesson::expr::{
    Binary, EvalContext, FunctionCall, QueryCall, QueryExpr, QueryNode, Unary,
};
use crate::lesson::query_error::QueryError;

impl EvalContext<'_> {
    /// The value of an expression, with its evidence.
    ///
    /// # Errors
    /// It has none here: the message says what is missing.
    pub fn evaluate(&self, expr: &QueryExpr) -> Result<Answer, QueryError> {
        let answer = match &expr.node {
            QueryNode::Value(value) => Ok(Answer::simulated(value.clone())),
            QueryNode::You => {
                let none = || QueryError::new("`you` means what was answered: nothing was");
                self.given.you.clone().map(Answer::simulated).ok_or_else(none)
            }
            QueryNode::Unary(operator, inner) => self.unary(*operator, inner),
            QueryNode::Binary(operator, both) => {
                let [left, right] = &**both;
                self.binary(*operator, left, right)
            }
            QueryNode::Choice(parts) => {
                let [condition, yes, no] = &**parts;
                self.evaluate(if self.truth(condition)?.0 { yes } else { no })
            }
            QueryNode::Call(call) => self.call(call),
        };
        answer.map_err(|why| why.within(&expr.span))
    }

    /// The value of a call, with its evidence.
    ///
    /// # Errors
    /// As for [`Self::evaluate`].
    pub fn call(&self, call: &FunctionCall) -> Result<Answer, QueryError> {
        let asked = QueryCall::new(self, call);
        (call.function.answer)(&asked).map_err(|why| why.within(&call.span))
    }

    /// The number of an expression, and its answer.
    fn number(&self, expr: &QueryExpr) -> Result<(f64, Answer), QueryError> {
        let answer = self.evaluate(expr)?;
        let told = || QueryError::at(expr.span.clone(), "this is not a number");
        Ok((answer.value.number().ok_or_else(told)?, answer))
    }

    /// Whether an expression holds, and its answer.
    fn truth(&self, expr: &QueryExpr) -> Result<(bool, Answer), QueryError> {
        let (number, answer) = self.number(expr)?;
        Ok((number != 0.0, answer))
    }

    fn unary(&self, operator: Unary, inner: &QueryExpr) -> Result<Answer, QueryError> {
        match operator {
            Unary::Minus => {
                let (number, answer) = self.number(inner)?;
                Ok(Answer { value: Value::Number(-number), ..answer })
            }
            Unary::Not => {
                let (truth, answer) = self.truth(inner)?;
                Ok(Answer { value: Value::Truth(!truth), ..answer })
            }
        }
    }

    fn binary(
        &self,
        operator: Binary,
        left: &QueryExpr,
        right: &QueryExpr,
    ) -> Result<Answer, QueryError> {
        if let Binary::And | Binary::Or = operator {
            let (first, answer) = self.truth(left)?;
            let is_decided = first == (operator == Binary::Or);
            let (value, answer) = if is_decided {
                (first, answer)
            } else {
                let (second, other) = self.truth(right)?;
                (second, joined(answer, other))
            };
            return Ok(Answer { value: Value::Truth(value), ..answer });
        }
        if let Binary::Equal | Binary::Unequal = operator {
            let (one, other) = (self.evaluate(left)?, self.evaluate(right)?);
            let equal = equal(&one.value, &other.value).ok_or_else(|| {
                QueryError::new(format!("{} and {} cannot be equal", one.value, other.value))
            })?;
            let value = Value::Truth(equal == (operator == Binary::Equal));
            return Ok(Answer { value, ..joined(one, other) });
        }
        let ((one, answer), (two, other)) = (self.number(left)?, self.number(right)?);
        let value = match operator {
            Binary::AtMost => Value::Truth(one <= two),
            Binary::AtLeast => Value::Truth(one >= two),
            Binary::Less => Value::Truth(one < two),
            Binary::More => Value::Truth(one > two),
            Binary::Plus => Value::Number(one + two),
            Binary::Minus => Value::Number(one - two),
            Binary::Times => Value::Number(one * two),
            Binary::By | Binary::Rest if two == 0.0 => {
                return Err(QueryError::at(right.span.clone(), "this is 0: nothing divides by it"));
            }
            Binary::By => Value::Number(one / two),
            _ => Value::Number(one % two),
        };
        Ok(Answer { value, ..joined(answer, other) })
    }
}

/// Whether two values are equal, if they are of one kind.
fn equal(one: &Value, other: &Value) -> Option<bool> {
    match (one, other) {
        (Value::Name(one), Value::Name(other)) => Some(one == other),
        (Value::Things(one), Value::Things(other)) => Some(one == other),
        _ => {
            let (one, other) = one.number().zip(other.number())?;
            Some((one - other).abs() <= f64::EPSILON * one.abs().max(other.abs()))
        }
    }
}

/// The evidence of two answers: that of the first that has any. What is less certain is where both
/// are from.
fn joined(one: Answer, other: Answer) -> Answer {
    let rank = |answer: &Answer| match answer.origin {
        AnsweredFrom::Simulated => 0,
        AnsweredFrom::Model => 1,
        AnsweredFrom::Measured(_) => 2,
        AnsweredFrom::Recorded(_) => 3,
    };
    let origin = if rank(&one) >= rank(&other) { &one.origin } else { &other.origin };
    let origin = origin.clone();
    let is_seen = one.step.is_some() || one.view.is_some();
    Answer { origin, ..if is_seen { one } else { other } }
}
