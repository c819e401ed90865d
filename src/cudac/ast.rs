//! A parsed source.

use super::at::Pos;
use super::skipped::SkippedDeclaration;
use super::template::Templates;
use super::token::Token;
use super::types::{Qualifiers, Scalar, Type};
use std::collections::HashMap;
use std::rc::Rc;

#[derive(Debug, Default)]
pub(super) struct Module {
    /// Constants and variables outside functions.
    pub globals: Vec<Declaration>,
    pub functions: Vec<Rc<Function>>,
    /// Functions of the device that are declared, and whose code may lie in other files.
    pub declared: Vec<Prototype>,
    /// The structures by their names: pointers may have been declared before them.
    pub structures: HashMap<Rc<str>, Type>,
    /// The templates of functions, by their names.
    pub templates: Templates,
    pub skipped: Vec<SkippedDeclaration>,
}

#[derive(Debug)]
pub(super) struct Prototype {
    pub name: Rc<str>,
    pub returns: Type,
}

/// A kernel or a `__device__` function.
#[derive(Debug)]
pub(super) struct Function {
    pub name: Rc<str>,
    pub at: Pos,
    pub is_kernel: bool,
    /// The structure whose member it is.
    pub owner: Option<Type>,
    pub returns: Type,
    /// Whether what it returns follows from its body: `auto`.
    pub deduced: bool,
    /// Whether a call of it stands for a variable that can be changed.
    pub by_reference: bool,
    pub parameters: Vec<Parameter>,
    /// The threads of `__launch_bounds__`.
    pub bounds: Option<Expr>,
    pub body: Stmt,
    /// The place of its last brace.
    pub end: Pos,
}

#[derive(Debug)]
pub(super) struct Parameter {
    /// Its number: no two declarations of a source have the same.
    pub id: u32,
    pub ty: Type,
    pub name: Rc<str>,
    pub at: Pos,
    /// Whose it is, and how it may be accessed.
    pub storage: Storage,
    /// Its value where a call gives none.
    pub default: Option<Expr>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "each is a word of a declaration")]
pub(super) struct Storage {
    pub owner: Owner,
    /// Its size is given elsewhere: by the launch, for shared memory.
    pub external: bool,
    pub qualifiers: Qualifiers,
    /// Its type follows from its first value: `auto`.
    pub deduced: bool,
    /// It stands for a variable that is elsewhere: `float& x`.
    pub by_reference: bool,
    /// Its address is that of the parameter itself: `__grid_constant__`.
    pub is_of_grid: bool,
    /// The least that its address is a multiple of, `alignas(16)`; 0 if that is not said.
    pub align: u64,
}

impl Storage {
    /// Whether it stands for a variable that can be changed through it.
    pub(super) const fn changes_another(self) -> bool {
        self.by_reference && !self.qualifiers.constant
    }
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Owner {
    #[default]
    Thread,
    /// The block's: in shared memory.
    Block,
    /// The module's: in global memory.
    Module,
    /// The module's: in constant memory.
    Constant,
}

#[derive(Debug)]
pub(super) struct Declaration {
    /// Its number: no two declarations of a source have the same.
    pub id: u32,
    pub at: Pos,
    pub ty: Type,
    pub name: Rc<str>,
    /// Its sides, the outermost first; `None` for `[]`.
    pub sides: Vec<Option<Expr>>,
    pub init: Option<Init>,
    pub storage: Storage,
}

#[derive(Clone, Debug)]
pub(super) struct GenericParameter {
    pub name: Rc<str>,
    pub default: Option<Expr>,
}

/// A template of a structure, read where the arguments are known.
#[derive(Clone, Debug)]
pub(super) struct StructureTemplate {
    pub name: Rc<str>,
    pub generic: Vec<GenericParameter>,
    pub tokens: Vec<Token>,
    /// The names for types and for numbers that are known around it.
    pub types: HashMap<Rc<str>, Type>,
    pub numbers: HashMap<Rc<str>, i64>,
}

#[derive(Debug)]
pub(super) enum Init {
    Value(Expr),
    List(Vec<Init>),
}

#[derive(Debug)]
pub(super) struct Stmt {
    pub kind: StmtKind,
    pub at: Pos,
}

#[derive(Debug)]
pub(super) enum StmtKind {
    /// `{ ... }`
    Block(Vec<Stmt>),
    Declare(Vec<Declaration>),
    Value(Expr),
    If(Expr, Box<Stmt>, Option<Box<Stmt>>),
    Loop(Box<Loop>),
    Switch(Expr, Vec<Case>),
    Assert(Expr),
    Assembly(Box<Assembly>),
    Return(Option<Expr>),
    Break,
    Continue,
    /// A name for this place, and the way there.
    Label(Rc<str>),
    Goto(Rc<str>),
    Empty,
}

#[derive(Debug)]
pub(super) struct Assembly {
    pub text: Rc<str>,
    /// What it writes: the constraint, and the address of the variable.
    pub outputs: Vec<(Rc<str>, Expr)>,
    /// What it reads: the constraint, and the value.
    pub inputs: Vec<(Rc<str>, Expr)>,
}

/// The statements of a `switch` from some labels on, up to the next ones.
#[derive(Debug)]
pub(super) struct Case {
    /// The values of the labels; `None` for `default`.
    pub labels: Vec<Option<Expr>>,
    pub body: Vec<Stmt>,
}

#[derive(Debug)]
pub(super) struct Loop {
    /// Its number: no two loops of a source have the same.
    pub id: u32,
    pub init: Option<Stmt>,
    pub condition: Option<Expr>,
    /// Whether that is asked after each round, `do ... while`, and not before it.
    pub asks_after: bool,
    /// What is done after each round.
    pub step: Option<Expr>,
    pub body: Stmt,
    /// Whether `#pragma unroll` stands before it: wholly unrolled, unless its factor is 1.
    pub unroll: Option<bool>,
}

#[derive(Clone, Debug)]
pub(super) struct Expr {
    pub kind: ExprKind,
    /// Its place: that of its operator.
    pub at: Pos,
    /// How many expressions stand in one another.
    pub depth: u32,
}

#[derive(Clone, Debug)]
pub(super) enum ExprKind {
    Int(i64, Scalar),
    Float(f64, Scalar),
    /// A text in quotes, as it is written between them.
    Text(Rc<str>),
    Name(Rc<str>),
    /// `a.x`
    Member(Box<Expr>, Rc<str>),
    /// `a[i]`
    Index(Box<Expr>, Box<Expr>),
    /// `f(a, b)`
    Call(Rc<str>, Vec<Expr>),
    /// `a.f(b, c)`
    Method(Box<Expr>, Rc<str>, Vec<Expr>),
    /// `{a, b}` after `=` or `return`.
    List(Vec<Expr>),
    /// `Pair(a, b)` or `Pair{a, b}`: a structure.
    Construct(Type, Vec<Expr>),
    /// `-a`, `!a`, `~a`, `*a`, `&a`
    Unary(char, Box<Expr>),
    /// `a + b`, by its operator.
    Binary(Rc<str>, Box<Expr>, Box<Expr>),
    /// `a = b`, `a += b`: by the operator before `=`, empty for none.
    Assign(Rc<str>, Box<Expr>, Box<Expr>),
    /// `a++`, `a--`: `+` or `-`.
    Postfix(Rc<str>, Box<Expr>),
    /// `a ? b : c`
    Choice(Box<Expr>, Box<Expr>, Box<Expr>),
    /// `(float)a`
    Cast(Type, Box<Expr>),
    /// `a, b`
    Comma(Box<Expr>, Box<Expr>),
    /// What code of the device seldom has, or never.
    Host(Box<HostExpr>),
}

#[derive(Clone, Debug)]
pub(super) enum HostExpr {
    /// A type in the place of a value: of the list of a template, or of `sizeof`.
    Type(Type),
    /// `f<float, 16>`
    Instance(Rc<str>, Vec<Expr>),
    /// `f<float>(a)`: a call of something else than a name.
    Apply(Expr, Vec<Expr>),
    /// `kernel<<<grid, block, shared, stream>>>(a, b)`
    Launch(Expr, Vec<Expr>, Vec<Expr>),
    /// `new float[n]`, or of one element, `new Pair(a, b)`.
    New(Type, Option<Expr>, Vec<Expr>),
    SizeOf(Expr),
    Lambda(Rc<Function>),
    /// What the parser does not read.
    Unread,
}

impl Expr {
    pub(super) fn new(kind: ExprKind, at: Pos) -> Self {
        let mut depth = 0;
        kind.each(&mut |inner| depth = depth.max(inner.depth));
        Self { kind, at, depth: depth + 1 }
    }

    pub(super) fn host(kind: HostExpr, at: Pos) -> Self {
        Self::new(ExprKind::Host(Box::new(kind)), at)
    }

    /// Whether it or one inside it is of this sort.
    pub(super) fn has(&self, is: &impl Fn(&ExprKind) -> bool) -> bool {
        let mut found = is(&self.kind);
        self.kind.each(&mut |inner| found = found || inner.has(is));
        found
    }

    /// Shows it, and each one inside it.
    pub(super) fn visit<'a>(&'a self, see: &mut dyn FnMut(&'a ExprKind)) {
        see(&self.kind);
        self.kind.each(&mut |inner| inner.visit(see));
    }

    /// Whether computing it only reads registers, so that it may be computed without need.
    pub(super) fn is_plain(&self) -> bool {
        !self.has(&|kind| {
            matches!(
                kind,
                ExprKind::Index(..)
                    | ExprKind::Assign(..)
                    | ExprKind::Postfix(..)
                    | ExprKind::Call(..)
                    | ExprKind::Method(..)
                    | ExprKind::Construct(..)
                    | ExprKind::List(_)
                    | ExprKind::Unary('*' | '&', _)
            )
        })
    }

    /// Whether computing it may change a variable.
    pub(super) fn changes(&self) -> bool {
        self.has(&|kind| {
            matches!(
                kind,
                ExprKind::Assign(..)
                    | ExprKind::Postfix(..)
                    | ExprKind::Call(..)
                    | ExprKind::Method(..)
                    | ExprKind::Construct(..)
            )
        })
    }

    pub(super) fn names(&self, variable: &str) -> bool {
        self.has(&|kind| matches!(kind, ExprKind::Name(name) if &**name == variable))
    }
}

impl ExprKind {
    /// Shows each expression directly inside this one.
    pub(super) fn each<'a>(&'a self, see: &mut impl FnMut(&'a Expr)) {
        match self {
            Self::Int(..) | Self::Float(..) | Self::Text(_) | Self::Name(_) => {}
            Self::Member(a, _) | Self::Unary(_, a) | Self::Postfix(_, a) | Self::Cast(_, a) => {
                see(a);
            }
            Self::Index(a, b)
            | Self::Binary(_, a, b)
            | Self::Assign(_, a, b)
            | Self::Comma(a, b) => {
                see(a);
                see(b);
            }
            Self::Choice(a, b, c) => {
                see(a);
                see(b);
                see(c);
            }
            Self::Call(_, all) | Self::Construct(_, all) | Self::List(all) => {
                all.iter().for_each(see);
            }
            Self::Method(of, _, all) => {
                see(of);
                all.iter().for_each(see);
            }
            Self::Host(host) => host.each(see),
        }
    }
}

impl HostExpr {
    fn each<'a>(&'a self, see: &mut impl FnMut(&'a Expr)) {
        match self {
            Self::Type(_) | Self::Lambda(_) | Self::Unread => {}
            Self::Instance(_, all) => all.iter().for_each(see),
            Self::Apply(of, all) => {
                see(of);
                all.iter().for_each(see);
            }
            Self::Launch(kernel, shape, arguments) => {
                see(kernel);
                shape.iter().chain(arguments).for_each(see);
            }
            Self::New(_, count, given) => count.iter().chain(given).for_each(see),
            Self::SizeOf(of) => see(of),
        }
    }
}

impl Stmt {
    /// Shows each expression in it, and those inside these.
    pub(super) fn visit<'a>(&'a self, see: &mut dyn FnMut(&'a ExprKind)) {
        match &self.kind {
            StmtKind::Block(all) => all.iter().for_each(|stmt| stmt.visit(see)),
            StmtKind::Declare(all) => {
                for one in all {
                    one.sides.iter().flatten().for_each(|side| side.visit(see));
                    one.init.iter().for_each(|init| init.visit(see));
                }
            }
            StmtKind::Value(expr) | StmtKind::Assert(expr) => expr.visit(see),
            StmtKind::Assembly(of) => {
                of.outputs.iter().chain(&of.inputs).for_each(|(_, expr)| expr.visit(see));
            }
            StmtKind::Switch(of, all) => {
                of.visit(see);
                for case in all {
                    case.labels.iter().flatten().for_each(|label| label.visit(see));
                    case.body.iter().for_each(|stmt| stmt.visit(see));
                }
            }
            StmtKind::If(condition, yes, no) => {
                condition.visit(see);
                yes.visit(see);
                if let Some(no) = no {
                    no.visit(see);
                }
            }
            StmtKind::Loop(each) => {
                each.init.iter().for_each(|init| init.visit(see));
                each.condition.iter().chain(&each.step).for_each(|expr| expr.visit(see));
                each.body.visit(see);
            }
            StmtKind::Return(expr) => expr.iter().for_each(|expr| expr.visit(see)),
            StmtKind::Break
            | StmtKind::Continue
            | StmtKind::Label(_)
            | StmtKind::Goto(_)
            | StmtKind::Empty => {}
        }
    }

    pub(super) fn declared<'a>(&'a self, see: &mut dyn FnMut(&'a Declaration)) {
        match &self.kind {
            StmtKind::Block(all) => all.iter().for_each(|stmt| stmt.declared(see)),
            StmtKind::Declare(all) => all.iter().for_each(see),
            StmtKind::If(_, yes, no) => {
                yes.declared(see);
                if let Some(no) = no {
                    no.declared(see);
                }
            }
            StmtKind::Loop(each) => {
                each.init.iter().for_each(|init| init.declared(see));
                each.body.declared(see);
            }
            StmtKind::Switch(_, all) => {
                all.iter().flat_map(|case| &case.body).for_each(|stmt| stmt.declared(see));
            }
            StmtKind::Value(_)
            | StmtKind::Assert(_)
            | StmtKind::Assembly(_)
            | StmtKind::Return(_)
            | StmtKind::Break
            | StmtKind::Continue
            | StmtKind::Label(_)
            | StmtKind::Goto(_)
            | StmtKind::Empty => {}
        }
    }

    /// Whether a `goto` may lead into it.
    pub(super) fn has_label(&self) -> bool {
        self.any(&|kind| matches!(kind, StmtKind::Label(_)))
    }

    /// Whether the function or the program may end in it.
    pub(super) fn may_end(&self) -> bool {
        let ends = |of: &Expr| matches!(&of.kind, ExprKind::Call(name, _) if matches!(&**name, "exit" | "abort"));
        self.any(&|kind| match kind {
            StmtKind::Return(_) | StmtKind::Goto(_) => true,
            StmtKind::Value(of) => ends(of),
            _ => false,
        })
    }

    /// Whether this holds for it or for a statement in it.
    fn any(&self, holds: &dyn Fn(&StmtKind) -> bool) -> bool {
        let inner = |stmt: &Self| stmt.any(holds);
        holds(&self.kind)
            || match &self.kind {
                StmtKind::Block(all) => all.iter().any(inner),
                StmtKind::If(_, yes, no) => inner(yes) || no.as_deref().is_some_and(inner),
                StmtKind::Loop(each) => inner(&each.body),
                StmtKind::Switch(_, all) => all.iter().flat_map(|case| &case.body).any(inner),
                _ => false,
            }
    }

    /// Whether it is `return;`, in braces or not.
    pub(super) fn only_returns(&self) -> bool {
        match &self.kind {
            StmtKind::Return(None) => true,
            StmtKind::Block(all) => all.len() == 1 && all.iter().all(Self::only_returns),
            _ => false,
        }
    }
}

impl Init {
    pub(super) fn visit<'a>(&'a self, see: &mut dyn FnMut(&'a ExprKind)) {
        match self {
            Self::Value(expr) => expr.visit(see),
            Self::List(all) => all.iter().for_each(|init| init.visit(see)),
        }
    }
}
