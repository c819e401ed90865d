//! What a query consists of, and what it is asked in.

use super::access::{AccessQuery, RunPosition};
use super::elsewhere::Elsewhere;
use crate::lesson::answer::{Answer, Value};
use crate::lesson::query_error::QueryError;
use crate::lesson::setting::Setting;
use crate::lesson::setting_runs::SettingCache;
use crate::matrix::Element;
use std::ops::Range;

/// An expression, with its place in the text.
#[derive(Clone, Debug)]
pub struct QueryExpr {
    pub node: QueryNode,
    /// Where it stands, in bytes.
    pub span: Range<usize>,
}

#[derive(Clone, Debug)]
pub enum QueryNode {
    /// A number, `true`, a text in quotes, the name of a kernel, something on the picture (`lane 3`), or
    /// what a wrong idea puts in place of a call.
    Value(Value),
    /// `you`: the value that was answered, where one is given.
    You,
    /// An operator before its operand.
    Unary(Unary, Box<QueryExpr>),
    /// An operator between its operands.
    Binary(Binary, Box<[QueryExpr; 2]>),
    /// `a ? b : c`.
    Choice(Box<[QueryExpr; 3]>),
    /// A function of the table.
    Call(FunctionCall),
}

/// An operator before its operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unary {
    Minus,
    Not,
}

/// An operator between two operands, as in C.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Binary {
    Or,
    And,
    Equal,
    Unequal,
    AtMost,
    AtLeast,
    Less,
    More,
    Plus,
    Minus,
    Times,
    By,
    Rest,
}

#[derive(Clone, Debug)]
pub struct FunctionCall {
    pub function: &'static QueryFunction,
    /// Its arguments, as the function takes them.
    pub arguments: Vec<Argument>,
    /// The other setting that is asked, if one is.
    pub elsewhere: Vec<(Elsewhere, Range<usize>)>,
    /// Where it stands, in bytes.
    pub span: Range<usize>,
}

/// An argument of a function, of the kind that it takes.
#[derive(Clone, Debug)]
pub enum Argument {
    /// An access that is named.
    Access(AccessQuery),
    /// `a`: the access of the question that is replied to.
    Given(Range<usize>),
    /// A name: of a kernel, a matrix, a counter, a kind of finding.
    Name(String, Range<usize>),
    /// An element of a matrix.
    Element(Element, Range<usize>),
    /// A thread of the block: x and y.
    Thread((u32, u32), Range<usize>),
    Place(RunPosition, Range<usize>),
    Value(QueryExpr),
    /// A function of a kernel, by its name alone.
    Function(&'static QueryFunction, Range<usize>),
}

impl FunctionCall {
    /// A call that no text has.
    pub const fn new(function: &'static QueryFunction, arguments: Vec<Argument>) -> Self {
        Self { function, arguments, elsewhere: Vec::new(), span: 0..0 }
    }
}

impl From<FunctionCall> for QueryExpr {
    fn from(call: FunctionCall) -> Self {
        Self { span: call.span.clone(), node: QueryNode::Call(call) }
    }
}

impl From<f64> for QueryExpr {
    fn from(number: f64) -> Self {
        Self { node: QueryNode::Value(Value::Number(number)), span: 0..0 }
    }
}

/// A function of the query language.
#[derive(Clone, Copy, Debug)]
pub struct QueryFunction {
    pub name: &'static str,
    /// The arguments that it takes; the last may be repeated if `many`.
    pub takes: &'static [ArgumentKind],
    /// How many of them it needs.
    pub least: usize,
    /// Whether the last argument may be repeated.
    pub many: bool,
    /// What it tells, as `the number of ...`.
    pub tells: &'static str,
    /// What a question is about that asks it.
    pub topics: &'static [Topic],
    /// Whether its answer may take seconds, so that it is asked ahead.
    pub is_slow: bool,
    pub answer: fn(&QueryCall<'_>) -> Result<Answer, QueryError>,
}

/// What a function takes as an argument.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ArgumentKind {
    /// `load A`, `store sA #2`, or `a`.
    Access,
    /// A matrix, or an access to one: `A`, `load A`.
    Matrix,
    /// A name, or a text in quotes: `race`, `"global_load_sectors"`.
    Name,
    /// A kernel of the catalogue, or a library: `tiled`, `cublas`.
    Kernel,
    /// `A[5][33]`.
    Element,
    /// `thread 5,3`.
    Thread,
    /// A place in the run: `after barrier 1`.
    Place,
    Value,
    /// The name of a function of a kernel, or an expression.
    Query,
}

/// What a question is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Topic {
    /// What accesses cost: of one warp, or summed up.
    Cost,
    /// How long kernels take.
    Time,
    /// Whether C is right, or what is wrong with it.
    Outcome,
    /// What the warps of the block do together: their number is a part of the answer.
    Block,
    /// How a broken kernel is mended, or what is broken in it.
    Remedy,
}

/// What a query may refer to besides its own text.
#[derive(Clone, Debug, Default)]
pub struct Bindings {
    /// The steps done where the run stands: accesses are searched from there. 0 if it is not known.
    pub from: usize,
    /// The access that `a` means: that of the question that is replied to.
    pub access: Option<AccessQuery>,
    /// The value of `you`: what was answered.
    pub you: Option<Value>,
    /// The value of `right`: what is right.
    pub right: Option<Value>,
}

/// What an expression is evaluated in.
#[derive(Clone, Copy, Debug)]
pub struct EvalContext<'c> {
    /// The runs that were recorded.
    pub cache: &'c SettingCache,
    /// The run that is asked.
    pub setting: &'c Setting,
    pub given: &'c Bindings,
}

/// A call that is being answered.
pub struct QueryCall<'c> {
    pub(in crate::lesson) cache: &'c SettingCache,
    /// The setting that the call asks.
    pub(in crate::lesson) setting: Setting,
    pub(in crate::lesson) call: &'c FunctionCall,
    pub(in crate::lesson) given: &'c Bindings,
    /// Whether the run is the one that stands, so that places of it mean something here.
    pub(in crate::lesson) here: bool,
}

impl QueryExpr {
    /// Two expressions with an operator between them.
    #[must_use]
    pub fn joined(self, operator: Binary, other: Self) -> Self {
        Self { node: QueryNode::Binary(operator, Box::new([self, other])), span: 0..0 }
    }

    /// The first access that it names, in the order of the text.
    pub fn access(&self) -> Option<&AccessQuery> {
        match &self.node {
            QueryNode::Call(call) => call.arguments.iter().find_map(|argument| match argument {
                Argument::Access(access) => Some(access),
                Argument::Value(value) => value.access(),
                _ => None,
            }),
            QueryNode::Unary(_, inner) => inner.access(),
            QueryNode::Binary(_, parts) => parts.iter().find_map(Self::access),
            QueryNode::Choice(parts) => parts.iter().find_map(Self::access),
            _ => None,
        }
    }

    /// The calls in it, the outermost first.
    pub fn calls(&self) -> Vec<&FunctionCall> {
        match &self.node {
            QueryNode::Call(call) => {
                let inner = call.arguments.iter().flat_map(|argument| match argument {
                    Argument::Value(value) => value.calls(),
                    _ => Vec::new(),
                });
                [call].into_iter().chain(inner).collect()
            }
            QueryNode::Unary(_, inner) => inner.calls(),
            QueryNode::Binary(_, parts) => parts.iter().flat_map(Self::calls).collect(),
            QueryNode::Choice(parts) => parts.iter().flat_map(Self::calls).collect(),
            _ => Vec::new(),
        }
    }
}

impl QueryFunction {
    /// What it takes as argument number `index`.
    pub fn takes_at(&self, index: usize) -> Option<ArgumentKind> {
        let last = self.takes.last().filter(|_| self.many);
        self.takes.get(index).or(last).copied()
    }

    /// Whether it is asked of a kernel.
    pub fn is_of_kernels(&self) -> bool {
        self.takes.first() == Some(&ArgumentKind::Kernel)
    }

    /// How it is written, and what it tells: ``sectors(ACCESS)` tells the sectors ..``.
    pub fn usage(&self) -> String {
        format!("`{}` tells {}", self.signature(), self.tells)
    }

    /// How it is written: `faster(KERNEL, KERNEL [, VALUE])`.
    pub fn signature(&self) -> String {
        let mut text = self.name.to_owned();
        for (index, takes) in self.takes.iter().enumerate() {
            text.push_str(match (index, index < self.least) {
                (0, true) => "(",
                (0, false) => "([",
                (_, true) => ", ",
                (_, false) => " [, ",
            });
            text.push_str(takes.word());
            text.push_str(if index < self.least { "" } else { "]" });
        }
        text.push_str(if self.many {
            ", ..)"
        } else if self.takes.is_empty() {
            ""
        } else {
            ")"
        });
        text
    }
}

impl ArgumentKind {
    /// The word for it in a signature.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Access => "ACCESS",
            Self::Matrix => "MATRIX",
            Self::Name => "NAME",
            Self::Kernel => "KERNEL",
            Self::Element => "ELEMENT",
            Self::Thread => "THREAD",
            Self::Place => "PLACE",
            Self::Value => "VALUE",
            Self::Query => "QUERY",
        }
    }
}
