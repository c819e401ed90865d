//! The kernel with the greatest value.

use crate::kernel;
use crate::lesson::answer::{Answer, Value};
use crate::lesson::expr::{Argument, Elsewhere, FunctionCall, QueryCall, QueryExpr, QueryNode};
use crate::lesson::query_error::QueryError;

type Result<T> = std::result::Result<T, QueryError>;

/// The kernel whose value is greater than all others': of equal ones the first.
pub(super) fn most(asked: &QueryCall<'_>) -> Result<Answer> {
    let (kernels, size) = kernels(asked)?;
    let mut best: Option<(f64, &str, Answer)> = None;
    for (name, span) in kernels {
        let answer = of_kernel(asked, name, size).map_err(|why| why.within(&span))?;
        let told = || QueryError::new("only numbers can be compared");
        let value = answer.value.number().ok_or_else(told)?;
        if best.as_ref().is_none_or(|(found, ..)| value > *found) {
            best = Some((value, name, answer));
        }
    }
    let none = || QueryError::new(asked.call.function.usage());
    let (_, name, answer) = best.ok_or_else(none)?;
    Ok(Answer { value: Value::Name(name.to_owned()), ..answer })
}

type Named<'c> = (&'c str, std::ops::Range<usize>);

/// The kernels that are compared, and the size if the last argument is one.
fn kernels<'c>(asked: &QueryCall<'c>) -> Result<(Vec<Named<'c>>, Option<u32>)> {
    let mut all: Vec<_> = (1..asked.len()).filter_map(|index| asked.name(index)).collect();
    let size = all.last().and_then(|(name, _)| name.parse().ok());
    all.truncate(all.len() - usize::from(size.is_some()));
    match all.iter().find(|(name, _)| kernel::find(name).is_none()) {
        Some((name, span)) => {
            Err(QueryError::at(span.clone(), format!("there is no kernel `{name}`")))
        }
        None => Ok((all, size)),
    }
}

/// The value of a kernel.
fn of_kernel(asked: &QueryCall<'_>, name: &str, size: Option<u32>) -> Result<Answer> {
    let span = asked.call.span.clone();
    let other = (Elsewhere::Of(name.to_owned()), span.clone());
    let size = size.map(|size| QueryExpr {
        node: QueryNode::Value(Value::Number(size.into())),
        span: span.clone(),
    });
    match asked.call.arguments.first() {
        Some(Argument::Function(function, _)) => {
            let kernel = Argument::Name(name.to_owned(), span.clone());
            let size = size.filter(|_| function.takes.len() > 1).map(Argument::Value);
            let arguments = [kernel].into_iter().chain(size).collect();
            let elsewhere = Vec::new();
            asked.call(&FunctionCall { function, arguments, elsewhere, span })
        }
        Some(Argument::Value(value)) => asked.elsewhere(value, &other.0),
        _ => Err(QueryError::new(asked.call.function.usage())),
    }
}
