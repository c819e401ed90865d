//! Tokens to a tree: declarations and functions here, statements and expressions in their files.

mod alias;
mod enumeration;
mod expr;
mod generic;
mod host;
mod number;
mod parameters;
mod pointed;
mod skipped;
mod stmt;
mod structure;
mod words;

use super::ast::{
    Declaration, Expr, Function, Init, Module, Owner, Parameter, Prototype, Stmt, StmtKind,
    Storage, StructureTemplate,
};
use super::at::Pos;
use super::error::Error;
use super::hint;
use super::skipped::SkippedDeclaration;
use super::subset::excluded;
use super::token::{Token, TokenClass};
use super::types::{Qualifiers, Type};
use std::collections::HashMap;
use std::rc::Rc;
use words::{STORAGE, TYPE_NAMES, WORDS};

pub(super) use host::{HostModule, KernelHead, host};
pub(super) use number::number;
pub(super) use words::{is_type, scalar};

/// The number of the first parameter: declarations have those before it.
const PARAMETERS: u32 = 3 << 30;

/// How deep statements, brackets and operators may stand in one another.
const DEEPEST: u32 = 64;

/// Parses a source.
///
/// # Errors
/// The first thing that is wrong or not in the subset.
pub(super) fn parse(tokens: &[Token]) -> Result<Module, Error> {
    hint::unequal_brackets(tokens)?;
    let mut parser = Parser::new(tokens);
    let module = parser.module()?;
    let is_kernel = |function: &Rc<Function>| function.is_kernel;
    match module.skipped.first().filter(|_| !module.functions.iter().any(is_kernel)) {
        Some(skipped) => Err(skipped.error.clone()),
        None => Ok(module),
    }
}

/// Parses the source of a library, whose declarations have numbers that no source's have.
///
/// # Errors
/// As for a source.
pub(super) fn library(tokens: &[Token]) -> Result<Module, Error> {
    let (numbers, parameters) = (u32::MAX / 2, PARAMETERS + (u32::MAX - PARAMETERS) / 2);
    let mut parser = Parser { numbers, parameters, ..Parser::new(tokens) };
    let module = parser.module()?;
    match module.skipped.first() {
        Some(skipped) => Err(skipped.error.clone()),
        None => Ok(module),
    }
}

/// A position in the tokens, of which the last is always the end.
struct Parser<'a> {
    tokens: &'a [Token],
    index: usize,
    depth: u32,
    numbers: u32,
    parameters: u32,
    /// Names for types, by the blocks around this place.
    aliases: Vec<HashMap<Rc<str>, Type>>,
    /// Member functions of the structures so far.
    methods: Vec<Rc<Function>>,
    statics: Vec<Declaration>,
    /// The structures so far, by their names.
    structures: HashMap<Rc<str>, Type>,
    /// Whole numbers that are known by a name.
    known: HashMap<Rc<str>, i64>,
    skipped: Vec<SkippedDeclaration>,
    /// The templates of structures in the host's code, and those of their instances that are being read.
    templates: Vec<StructureTemplate>,
    reading: Vec<Rc<str>>,
    /// Whether it is the host's code: types that are not known have a name alone, and what cannot be
    /// read is one statement that is not.
    is_host: bool,
    /// Whether a `>` ends what is read.
    in_angles: bool,
}

/// The type at the beginning of a declaration, and what else the words there say.
struct DeclSpecifiers {
    ty: Type,
    storage: Storage,
    is_kernel: bool,
    is_device: bool,
    bounds: Option<Expr>,
}

impl<'a> Parser<'a> {
    fn new(tokens: &'a [Token]) -> Self {
        Self {
            tokens,
            index: 0,
            depth: 0,
            numbers: 0,
            parameters: PARAMETERS,
            aliases: vec![HashMap::new()],
            methods: Vec::new(),
            statics: Vec::new(),
            structures: HashMap::new(),
            known: HashMap::new(),
            skipped: Vec::new(),
            templates: Vec::new(),
            reading: Vec::new(),
            is_host: false,
            in_angles: false,
        }
    }

    /// What the subset leaves out, by a word of it.
    fn left_out(&self, token: &Token) -> Option<&'static str> {
        let is_name = token.kind == TokenClass::Name && !self.is_host;
        is_name.then(|| excluded(&token.text)).flatten()
    }

    fn token(&self) -> &'a Token {
        &self.tokens[self.index.min(self.tokens.len() - 1)]
    }

    fn ahead(&self, count: usize) -> &'a Token {
        &self.tokens[(self.index + count).min(self.tokens.len() - 1)]
    }

    fn before(&self) -> Option<&'a Token> {
        self.tokens.get(self.index.checked_sub(1)?)
    }

    fn at(&self) -> Pos {
        self.token().at
    }

    fn next(&mut self) -> &'a Token {
        let token = self.token();
        self.index += 1;
        token
    }

    fn is(&self, text: &str) -> bool {
        self.token().is(text)
    }

    fn accept(&mut self, text: &str) -> bool {
        let is = self.is(text);
        self.index += usize::from(is);
        is
    }

    fn expect(&mut self, text: &str) -> Result<Pos, Error> {
        if self.is(text) {
            return Ok(self.next().at);
        }
        // `Matrix m;` of a type that was passed over begins like a product.
        let before = self.before().filter(|before| before.kind == TokenClass::Name);
        if let Some(error) = before.and_then(|before| self.passed_over(&before.text)) {
            return Err(error);
        }
        if let Some(before) = before.filter(|before| before.is("dim3")) {
            return Err(Error::outside(before.at, "a variable of the type `dim3`"));
        }
        if self.token().kind == TokenClass::Name
            && before.is_some_and(|before| is_type(&before.text))
        {
            let told = "a declaration stands where a value is expected";
            return Err(hint::if_it_is_cuda(Error::at(self.at(), told)));
        }
        Err(hint::expected(text, self.before(), self.token()))
    }

    fn name(&mut self, what: &str) -> Result<&'a Token, Error> {
        let token = self.token();
        if token.kind != TokenClass::Name {
            return Err(Error::at(token.at, format!("expected {what}, found {}", token.shown())));
        }
        if let Some(outside) = self.left_out(token) {
            return Err(Error::outside(token.at, outside));
        }
        Ok(self.next())
    }

    /// A number for a declaration or a loop.
    fn number(&mut self) -> u32 {
        self.numbers += 1;
        self.numbers
    }

    fn deeper<T>(&mut self, inner: impl FnOnce(&mut Self) -> Result<T, Error>) -> Result<T, Error> {
        self.depth += 1;
        if self.depth > DEEPEST {
            return Err(Error::at(self.at(), "this is nested too deep"));
        }
        let result = inner(self);
        self.depth -= 1;
        result
    }

    fn module(&mut self) -> Result<Module, Error> {
        let mut module = Module::default();
        let mut open = 0;
        while self.token().kind != TokenClass::End {
            self.any_item(&mut module, &mut open)?;
        }
        module.functions.append(&mut self.methods);
        module.globals.splice(..0, self.statics.drain(..));
        module.structures = std::mem::take(&mut self.structures);
        module.skipped.append(&mut self.skipped);
        Ok(module)
    }

    /// What stands next outside functions; `open` are the braces of `extern "C"`.
    fn item(&mut self, module: &mut Module, open: &mut u32) -> Result<(), Error> {
        if self.is("extern") && self.ahead(1).kind == TokenClass::Text {
            self.index += 2;
            *open += u32::from(self.accept("{"));
        } else if self.names_a_type() {
            self.named_type()?;
        } else if self.is("enum") && self.defines_an_enumeration() {
            let constants = self.enumeration()?;
            module.globals.extend(constants);
            self.expect(";")?;
        } else if self.is("static_assert") {
            self.asserted()?;
        } else if self.defines_a_structure() {
            self.structure()?;
            self.expect(";")?;
        } else if (self.is("struct") || self.is("class")) && self.ahead(2).is(";") {
            self.announce(&self.ahead(1).text.clone());
            self.index += 3;
        } else if self.accept(";") || *open > 0 && self.accept("}") {
            // The end of `extern "C" { ... }`, or nothing.
        } else {
            self.top(module)?;
        }
        Ok(())
    }

    /// A function, or declarations outside functions.
    fn top(&mut self, module: &mut Module) -> Result<(), Error> {
        let mut base = self.base()?;
        let ty = self.pointers_of(base.ty.clone(), base.storage.qualifiers);
        let bounds = base.bounds.take().or(self.bounds()?);
        // What is only read through a reference is as good as its value.
        let by_reference = self.accept("&") && !base.storage.qualifiers.constant;
        let result = FunctionResult { ty, deduced: base.storage.deduced, by_reference };
        let ty = result.ty.clone();
        let name = match self.rows(&ty, base.storage.qualifiers, true)? {
            Some((Some(name), ty)) => return self.global(module, &base, ty, name),
            _ => self.name("a name")?,
        };
        if name.is("operator") {
            let own = Token { text: self.operator().into(), ..name.clone() };
            return self.own_operator(module, &own, result, base.is_device);
        }
        let is_function =
            self.is("(") && !(base.storage.qualifiers.constant && self.begins_value());
        if is_function {
            if !base.is_kernel && !base.is_device {
                let refused =
                    Error::outside(name.at, &format!("`{}`, a function of the host,", name.text));
                return Err(refused.hint(
                    "write __global__ before a kernel, __device__ before a function \
                                      that kernels call; leave out main and launches",
                ));
            }
            return self.function(module, name, result, base.is_kernel, bounds);
        }
        self.global(module, &base, ty, name)
    }

    /// Variables outside functions; the first name has been read.
    fn global(
        &mut self,
        module: &mut Module,
        base: &DeclSpecifiers,
        ty: Type,
        name: &'a Token,
    ) -> Result<(), Error> {
        let mut storage = base.storage;
        if base.is_device && storage.owner == Owner::Thread {
            storage.owner = Owner::Module;
        }
        if storage.owner == Owner::Thread && !storage.qualifiers.constant {
            let told = "a variable outside kernels needs __device__ or const";
            return Err(Error::at(name.at, told));
        }
        let declared = self.declarations(&base.ty, storage, ty, name)?;
        self.learn(&declared);
        module.globals.extend(declared);
        Ok(())
    }

    /// An operator for structures or vectors.
    fn own_operator(
        &mut self,
        module: &mut Module,
        name: &Token,
        result: FunctionResult,
        is_device: bool,
    ) -> Result<(), Error> {
        if is_device {
            return self.function(module, name, result, false, None);
        }
        Err(Error::outside(name.at, "an operator of the host"))
    }

    fn function(
        &mut self,
        module: &mut Module,
        name: &Token,
        result: FunctionResult,
        is_kernel: bool,
        bounds: Option<Expr>,
    ) -> Result<(), Error> {
        let Some(parameters) = self.parameters(is_kernel)? else {
            module.declared.push(Prototype { name: name.text.clone(), returns: result.ty });
            return Ok(());
        };
        let is_same = |other: &Rc<Function>| {
            let types =
                |all: &[Parameter]| all.iter().map(|one| one.ty.clone()).collect::<Vec<_>>();
            other.name == name.text && types(&other.parameters) == types(&parameters)
        };
        if module.functions.iter().any(is_same) {
            let told = format!("`{}`, another function with these parameters,", name.text);
            return Err(Error::outside(name.at, &told));
        }
        let FunctionResult { ty: returns, deduced, by_reference } = result;
        if is_kernel && returns != Type::Void {
            return Err(Error::at(name.at, "a kernel returns nothing: its type is void"));
        }
        let body = self.block()?;
        let end = self.before().map_or(name.at, |brace| brace.at);
        let (name, at, owner) = (name.text.clone(), name.at, None);
        module.functions.push(Rc::new(Function {
            name,
            at,
            is_kernel,
            owner,
            returns,
            deduced,
            by_reference,
            parameters,
            bounds,
            body,
            end,
        }));
        Ok(())
    }

    /// `__launch_bounds__(threads, ...)`, if it stands here: the threads.
    fn bounds(&mut self) -> Result<Option<Expr>, Error> {
        if !self.accept("__launch_bounds__") {
            return Ok(None);
        }
        self.expect("(")?;
        let threads = self.assignment()?;
        while self.accept(",") {
            self.assignment()?;
        }
        self.expect(")")?;
        Ok(Some(threads))
    }

    fn block(&mut self) -> Result<Stmt, Error> {
        let at = self.expect("{")?;
        let mut all = Vec::new();
        self.aliases.push(HashMap::new());
        while !self.accept("}") {
            all.push(self.statement()?);
        }
        self.aliases.pop();
        Ok(Stmt { kind: StmtKind::Block(all), at })
    }

    fn declares(&self) -> bool {
        let token = self.token();
        if self.is_host && self.declares_on_host() {
            return true;
        }
        token.kind == TokenClass::Name
            && (STORAGE.contains(&&*token.text) || self.begins_type(&token.text))
            // `float4(...)` and `int(x)` are values, `int (&x)[4]` is a reference.
            && (!self.ahead(1).is("(")
                || self.ahead(2).is("*")
                || self.ahead(2).is("&") && self.ahead(4).is(")") && self.ahead(5).is("[")
                || token.is("__align__"))
    }

    /// The words before a name: a type, and where the variable lives.
    fn base(&mut self) -> Result<DeclSpecifiers, Error> {
        let (mut words, mut storage) = (Vec::new(), Storage::default());
        let (mut is_kernel, mut is_device, mut is_signed) = (false, false, false);
        let first = self.token();
        let (mut vector, mut bounds) = (None, None);
        loop {
            let token = self.token();
            if let Some(outside) = self.left_out(token) {
                return Err(Error::outside(token.at, outside));
            }
            match &*token.text {
                _ if token.kind != TokenClass::Name => break,
                "__global__" => is_kernel = true,
                "__device__" => is_device = true,
                "__shared__" => storage.owner = Owner::Block,
                "__constant__" => storage.owner = Owner::Constant,
                "struct" | "class" | "enum" | "typename"
                    if self.alias(&self.ahead(1).text).is_some() => {}
                "extern" => storage.external = true,
                "const" | "constexpr" => storage.qualifiers.constant = true,
                "volatile" => storage.qualifiers.volatile = true,
                "auto" => storage.deduced = true,
                word @ ("__align__" | "alignas" | "__attribute__") => {
                    self.index += 1;
                    self.expect("(")?;
                    let value = self.assignment()?;
                    self.expect(")")?;
                    let known = self.whole(&value).filter(|_| word != "__attribute__");
                    let known = known.and_then(|value| u64::try_from(value).ok());
                    let known = known.filter(|value| value.is_power_of_two());
                    storage.align = storage.align.max(known.unwrap_or(0));
                    continue;
                }
                "__launch_bounds__" => {
                    bounds = self.bounds()?;
                    continue;
                }
                "__grid_constant__" => storage.is_of_grid = true,
                "static" | "inline" | "__inline__" | "__forceinline__" | "__noinline__"
                | "__host__" => {}
                "signed" => is_signed = true,
                text if WORDS.contains(&text) => words.push(text),
                text if words.is_empty() && vector.is_none() && !storage.deduced => {
                    match Type::vector(text).or_else(|| self.alias(text).cloned()) {
                        Some(ty) => vector = Some(ty),
                        None if self.is_host => {
                            vector = Some(self.named_by_host()?);
                            continue;
                        }
                        None => break,
                    }
                }
                _ => break,
            }
            self.index += 1;
        }
        if is_signed && words.is_empty() {
            words.push("int");
        }
        let ty = match vector {
            Some(ty) => ty,
            // It follows from the first value.
            None if storage.deduced && words.is_empty() => Type::Void,
            None => scalar(&words).ok_or_else(|| self.no_type(first, &words))?,
        };
        Ok(DeclSpecifiers { ty, storage, is_kernel, is_device, bounds })
    }

    fn no_type(&self, first: &Token, words: &[&str]) -> Error {
        if words.is_empty() {
            let token = self.token();
            if let Some(error) = self.passed_over(&token.text) {
                return error;
            }
            if let Some(header) = hint::header_of(&token.text) {
                return hint::unknown_type(token, header);
            }
            let error = Error::at(token.at, format!("expected a type, found {}", token.shown()));
            return hint::similar(error, &token.text, TYPE_NAMES);
        }
        Error::at(first.at, format!("there is no type `{}`", words.join(" ")))
    }

    /// The stars after a type; the qualifiers are of what the first one points at.
    fn pointers_of(&mut self, mut ty: Type, mut qualifiers: Qualifiers) -> Type {
        loop {
            if self.accept("*") {
                ty = ty.pointer(None, std::mem::take(&mut qualifiers));
                continue;
            }
            let mut words = ["const", "volatile", "__restrict__", "__restrict", "restrict"].iter();
            if !words.any(|word| self.accept(word)) {
                return ty;
            }
        }
    }

    /// The declarations of a statement, up to its semicolon; the first name has been read.
    fn declarations(
        &mut self,
        base: &Type,
        mut storage: Storage,
        mut ty: Type,
        mut name: &'a Token,
    ) -> Result<Vec<Declaration>, Error> {
        let mut all = Vec::new();
        loop {
            let mut sides = Vec::new();
            while self.accept("[") {
                sides.push(if self.is("]") { None } else { Some(self.expression()?) });
                self.expect("]")?;
            }
            if sides.len() > 6 {
                return Err(Error::outside(name.at, "an array of more than six dimensions"));
            }
            let is_constructed =
                matches!(ty, Type::Struct(_)) || self.is_host && matches!(ty, Type::Vector(..));
            let init = if self.is("(") && is_constructed {
                let at = self.at();
                Some(Init::Value(self.constructed(ty.clone(), at)?))
            } else if self.is("(") && matches!(ty, Type::Scalar(_) | Type::Pointer(_)) {
                Some(Init::Value(self.in_parentheses(&ty)?))
            } else if self.accept("=") || self.is("{") {
                Some(self.init()?)
            } else {
                None
            };
            let (id, at) = (self.number(), name.at);
            // What a pointer that is const points at may change, and `const float*` may move.
            let mut own = storage;
            own.qualifiers.constant &= !matches!(ty, Type::Pointer(_));
            all.push(Declaration {
                id,
                at,
                ty,
                name: name.text.clone(),
                sides,
                init,
                storage: own,
            });
            if !self.accept(",") {
                break;
            }
            let next = self.pointers_of(base.clone(), storage.qualifiers);
            let next = self.declared(next, storage.qualifiers, "a name")?;
            (name, ty, storage.by_reference) = (next.name, next.ty, next.by_reference);
        }
        self.expect(";")?;
        Ok(all)
    }

    fn init(&mut self) -> Result<Init, Error> {
        if !self.accept("{") {
            return self.assignment().map(Init::Value);
        }
        self.deeper(|parser| {
            let mut all = Vec::new();
            while !parser.accept("}") {
                all.push(parser.init()?);
                if !parser.is("}") {
                    parser.expect(",")?;
                }
            }
            Ok(Init::List(all))
        })
    }
}

impl DeclSpecifiers {
    fn of(ty: Type) -> Self {
        let storage = Storage::default();
        Self { ty, storage, is_kernel: false, is_device: false, bounds: None }
    }
}

/// What a function returns.
struct FunctionResult {
    ty: Type,
    /// Whether it follows from the body.
    deduced: bool,
    by_reference: bool,
}

/// A name with its type, as a declaration has it.
struct Declarator<'a> {
    name: &'a Token,
    ty: Type,
    /// Whether it stands for a variable that is elsewhere.
    by_reference: bool,
}
