//! What a query consists of.

use super::elsewhere::Elsewhere;
use super::function::Function;
use crate::lesson::thing::Thing;
use crate::matrix::Element;
use std::fmt;
use std::ops::Range;

/// An expression, with its place in the text.
#[derive(Clone, Debug)]
pub struct Expr {
    pub node: Node,
    /// Where it stands, in bytes.
    pub span: Range<usize>,
}

#[derive(Clone, Debug)]
pub enum Node {
    Number(f64),
    /// `true` or `false`.
    Truth(bool),
    /// A text in quotes, or the name of a kernel.
    Name(String),
    /// Something on the picture: `C[5][7]`, `lane 3`.
    Thing(Thing),
    /// `you`: the value that was answered, where one is given.
    You,
    /// An operator before its operand.
    Unary(Unary, Box<Expr>),
    /// An operator between its operands.
    Binary(Binary, Box<Expr>, Box<Expr>),
    /// `a ? b : c`.
    Choice(Box<[Expr; 3]>),
    /// A function of the table.
    Call(Call),
}

/// An operator before its operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unary {
    /// `-`.
    Minus,
    /// `!`.
    Not,
}

/// An operator between two operands, as in C.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Binary {
    /// `||`.
    Or,
    /// `&&`.
    And,
    /// `==`.
    Equal,
    /// `!=`.
    Unequal,
    /// `<=`.
    AtMost,
    /// `>=`.
    AtLeast,
    /// `<`.
    Less,
    /// `>`.
    More,
    /// `+`.
    Plus,
    /// `-`.
    Minus,
    /// `*`.
    Times,
    /// `/`.
    By,
    /// `%`.
    Rest,
}

/// A call of a function.
#[derive(Clone, Debug)]
pub struct Call {
    pub function: &'static Function,
    /// Its arguments, as the function takes them.
    pub arguments: Vec<Argument>,
    /// The other stage that is asked, if one is.
    pub elsewhere: Vec<(Elsewhere, Range<usize>)>,
    /// Where it stands, in bytes.
    pub span: Range<usize>,
}

/// An argument of a function, of the kind that it takes.
#[derive(Clone, Debug)]
pub enum Argument {
    /// An access that is named.
    Access(Access),
    /// `a`: the access of the question that is replied to.
    Given(Range<usize>),
    /// A name: of a kernel, a matrix, a counter, a kind of finding.
    Name(String, Range<usize>),
    /// An element of a matrix.
    Element(Element, Range<usize>),
    /// A thread of the block: x and y.
    Thread((u32, u32), Range<usize>),
    /// A place in the run.
    Place(Place, Range<usize>),
    Value(Expr),
    /// A function of a kernel, by its name alone.
    Function(&'static Function, Range<usize>),
}

/// A place in the run of a block.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Place {
    /// Before the first step.
    Start,
    /// After the last.
    End,
    /// After so many steps.
    Step(usize),
    /// At the last of some events, each searched from the one before.
    At {
        /// Whether the place is before that event.
        before: bool,
        /// The events, with their places in the text.
        events: Vec<(Event, Range<usize>)>,
    },
}

/// Something that happens in a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Event {
    /// An access to memory.
    Access(Access),
    /// A multiply-add.
    Fma,
    /// The block passes a barrier, for the n-th time.
    Barrier(u32),
    /// The block completes a tile, for the n-th time.
    Tile(u32),
    /// A bank conflict.
    Conflict,
    /// A finding shows.
    Finding,
    /// C is wrong, at the end.
    Wrong,
    /// An instruction of the line that contains a text.
    Line(String),
    /// A warp waits at a barrier.
    Waits,
}

/// An access of a warp to memory: `store sA #2 line "acc"`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Access {
    /// What is done.
    pub how: How,
    /// The matrix, or the shared array.
    pub array: String,
    /// Which of the warp's accesses, from 1.
    pub number: u32,
    /// A text that only its line of the source contains.
    pub line: Option<String>,
    /// Its place in the query's text, in bytes.
    pub span: Range<usize>,
}

/// What an access does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum How {
    /// Loads from global memory.
    Load,
    /// Reads from shared memory.
    Read,
    /// Stores to either.
    Store,
}

impl How {
    /// Every one.
    pub const ALL: [Self; 3] = [Self::Load, Self::Read, Self::Store];

    pub const fn word(self) -> &'static str {
        match self {
            Self::Load => "load",
            Self::Read => "read",
            Self::Store => "store",
        }
    }
}

impl Expr {
    /// The first access that it names, in the order of the text.
    pub fn access(&self) -> Option<&Access> {
        match &self.node {
            Node::Call(call) => call.arguments.iter().find_map(|argument| match argument {
                Argument::Access(access) => Some(access),
                Argument::Value(value) => value.access(),
                _ => None,
            }),
            Node::Unary(_, inner) => inner.access(),
            Node::Binary(_, left, right) => left.access().or_else(|| right.access()),
            Node::Choice(parts) => parts.iter().find_map(Self::access),
            _ => None,
        }
    }

    /// The calls in it, the outermost first.
    pub fn calls(&self) -> Vec<&Call> {
        match &self.node {
            Node::Call(call) => {
                let inner = call.arguments.iter().flat_map(|argument| match argument {
                    Argument::Value(value) => value.calls(),
                    _ => Vec::new(),
                });
                [call].into_iter().chain(inner).collect()
            }
            Node::Unary(_, inner) => inner.calls(),
            Node::Binary(_, left, right) => {
                [left, right].iter().flat_map(|it| it.calls()).collect()
            }
            Node::Choice(parts) => parts.iter().flat_map(Self::calls).collect(),
            _ => Vec::new(),
        }
    }
}

impl fmt::Display for Access {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.how.word(), self.array)?;
        if self.number > 1 {
            write!(f, " #{}", self.number)?;
        }
        self.line.iter().try_for_each(|text| write!(f, " line \"{text}\""))
    }
}
