//! The tree to PTX: one kernel at a time, each function inlined where it is called.

mod arith;
mod assembly;
mod call;
mod changed;
mod code;
mod contract;
mod convert;
mod copy;
mod declare;
mod expr;
mod group;
mod half;
mod indirect;
mod inline;
mod limits;
mod location;
mod lowering;
mod math;
mod operator;
mod place;
mod pointer;
mod printed;
mod refer;
mod stmt;
mod stop;
mod structure;
mod switch;
mod value;

use super::ast::{Expr, Function, Module, Owner, Parameter};
use super::at::Pos;
use super::compiled::{COMPILER, CompileOptions, Compiled, CompiledKernel};
use super::error::Error;
use super::skipped::SkippedDeclaration;
use super::template;
use super::types::{Scalar, Type};
use location::Lvalue;
use lowering::{Binding, Decisions, Lowering};
use std::collections::{BTreeSet, HashMap};
use std::fmt::Write;
use std::rc::Rc;
use stop::{Result, Stop};

/// The architecture of the PTX: the first whose lanes make progress independently, as the simulator's
/// do (CUDA C++ Programming Guide, "Independent Thread Scheduling"). A GPU runs PTX for an older one
/// without that, and a lane that waits for another of its warp never ends.
const TARGET: &str = "sm_70";

/// How often a kernel is begun again with more loops unrolled, or more arrays in local memory.
const MOST_ATTEMPTS: usize = 48;

/// The instructions of all attempts together.
const MOST_WORK: usize = 600_000;

const MOST_THREADS: u32 = 1024;

pub(super) enum Failure {
    Error(Error),
    /// A function calls this instance of a template, which is not made yet.
    Instance(String),
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        Self::Error(error)
    }
}

/// Lowers a module.
///
/// # Errors
/// The first thing that has no meaning or is not in the subset; an instance that is missing.
pub(super) fn lower(
    module: &Module,
    options: &CompileOptions,
    entry: Option<&str>,
) -> std::result::Result<Compiled, Failure> {
    let mut kernels = Vec::new();
    let (mut bodies, mut external, mut texts) = (String::new(), Vec::new(), String::new());
    let mut unlinked = BTreeSet::new();
    let mut work = 0;
    let all: Vec<_> = module.functions.iter().filter(|function| function.is_kernel).collect();
    let is_there = |entry: &str| {
        let skipped = module.skipped.iter().filter(|one| one.is_kernel);
        let mut names = skipped.flat_map(|one| &one.names);
        all.iter().any(|one| is_called(one, entry)) || names.any(|name| **name == *entry)
    };
    let entry = entry.filter(|entry| is_there(entry));
    let is_wanted = |one: &&SkippedDeclaration| {
        entry.is_none_or(|entry| one.names.iter().any(|name| **name == *entry))
    };
    if let Some(one) = module.skipped.iter().filter(|one| one.is_kernel).find(is_wanted) {
        return Err(with_others(one.error.clone(), None, &all).into());
    }
    for function in &all {
        let lowered = match kernel(module, function, options, &mut work) {
            Err(Failure::Error(error)) if error.outside => {
                if entry.is_some_and(|entry| !is_called(function, entry)) {
                    continue;
                }
                return Err(with_others(error, Some(function), &all).into());
            }
            lowered => lowered?,
        };
        let _ = write!(bodies, "\n{}", lowered.text);
        external.extend(lowered.external);
        unlinked.extend(lowered.unlinked);
        texts += &lowered.texts;
        kernels.push(lowered.kernel);
    }
    if kernels.is_empty() {
        let told = "there is no kernel in this source";
        let hint = "a kernel begins with: extern \"C\" __global__ void name(";
        return Err(Error::at(Pos::START, told).hint(hint).into());
    }
    external.sort();
    external.dedup();
    let (version, target) = needed(&bodies);
    let mut ptx = format!(
        "// Compiled by {COMPILER}\n\n.version {version}\n.target {target}\n.address_size 64\n\n"
    );
    let headers = options.headers.iter().map(|(name, _)| &**name);
    for (file, number) in [options.file].into_iter().chain(headers).zip(1..) {
        let _ = writeln!(ptx, ".file\t{number} \"{}\"", file.replace(['"', '\\', '\n'], "_"));
    }
    for name in unlinked {
        let _ = writeln!(ptx, ".extern .func {name};");
    }
    for name in external {
        let _ = writeln!(ptx, ".extern .shared .align 16 .b8 {name}[];");
    }
    for one in &module.globals {
        let space = match one.storage.owner {
            Owner::Module => "global",
            Owner::Constant => "const",
            Owner::Thread | Owner::Block => continue,
        };
        let (bytes, first) = declare::global_bytes(module, one, options)?;
        let first = first.map_or_else(String::new, |bytes| format!(" = {{{}}}", listed(&bytes)));
        let name = &one.name;
        let _ = writeln!(ptx, ".visible .{space} .align 16 .b8 {name}[{bytes}]{first};");
    }
    if !texts.is_empty() {
        ptx += printed::DECLARED;
        ptx += &texts;
    }
    Ok(Compiled { ptx: ptx + &bodies, kernels })
}

/// Whether a kernel, or the template of which it is an instance, has this name in the source or in the
/// PTX.
fn is_called(function: &Function, entry: &str) -> bool {
    let without_blanks = |text: &str| text.replace(' ', "");
    let plain = function.name.split('<').next();
    let symbol = template::symbol(&function.name, function.at);
    plain == Some(entry)
        || without_blanks(&function.name) == without_blanks(entry)
        || symbol.is_ok_and(|symbol| symbol == entry)
}

/// The error of a kernel, with the others of the source.
fn with_others(error: Error, function: Option<&Function>, all: &[&Rc<Function>]) -> Error {
    let is_other = |other: &&&Rc<Function>| function.is_none_or(|own| own.name != other.name);
    let others = all.iter().filter(is_other);
    let others: Vec<_> = others.map(|other| &*other.name).take(4).collect();
    match (&error.hint, &*others) {
        (_, []) | (None, _) => error,
        (Some(hint), _) => {
            let hint = format!("{hint}; --launch takes another kernel: {}", others.join(", "));
            error.hint(hint)
        }
    }
}

/// Instructions of later GPUs, by parts of their names: the version of PTX, the architecture, and they.
const LATER: [(&str, &str, &[&str]); 2] = [
    (
        "8.0",
        "sm_90a",
        &[
            "wgmma",
            "setmaxnreg",
            "cp.async.bulk",
            "try_wait",
            "fence.proxy",
            "griddepcontrol",
            "elect.sync",
            "mapa",
            "barrier.cluster",
            "st.async",
            "stmatrix",
        ],
    ),
    (
        "7.8",
        "sm_80",
        &[
            ".bf16",
            "max.f16",
            "min.f16",
            "cp.async",
            "mma.",
            "ldmatrix",
            "mbarrier",
            "redux",
            "createpolicy",
            ".L2::",
            "tanh.approx",
            "ex2.approx.f16",
        ],
    ),
];

/// The version of PTX and the architecture that these instructions need.
fn needed(bodies: &str) -> (&'static str, &'static str) {
    let mut later = LATER.iter();
    let found = later.find(|(.., names)| names.iter().any(|name| bodies.contains(name)));
    found.map_or(("6.0", TARGET), |(version, target, _)| (version, target))
}

fn listed(bytes: &[u8]) -> String {
    bytes.iter().map(u8::to_string).collect::<Vec<_>>().join(", ")
}

struct Lowered {
    text: String,
    external: Vec<String>,
    unlinked: BTreeSet<String>,
    /// The declarations of the texts that it prints.
    texts: String,
    kernel: CompiledKernel,
}

/// Lowers a kernel: again with each new decision, until its arrays have their places.
fn kernel(
    module: &Module,
    function: &Rc<Function>,
    options: &CompileOptions,
    work: &mut usize,
) -> std::result::Result<Lowered, Failure> {
    let mut decisions = Decisions::default();
    for _ in 0..MOST_ATTEMPTS {
        let mut lowering = Lowering::new(module, options, &decisions);
        let done = lowering.kernel(function);
        *work += lowering.code.emitted();
        if *work > MOST_WORK {
            break;
        }
        match done {
            Ok(lowered) => return Ok(lowered),
            Err(Stop::Error(error)) => return Err(Failure::Error(*error)),
            Err(Stop::Instance(name)) => return Err(Failure::Instance(name)),
            Err(Stop::Generic) => decisions.generic = true,
            Err(Stop::Again { array, loops }) => {
                let before = decisions.unrolled.len();
                decisions.unrolled.extend(loops);
                if decisions.unrolled.len() == before {
                    decisions.in_memory.insert(array);
                }
            }
        }
    }
    Err(Error::outside(function.at, &format!("a kernel as large as `{}`", function.name)).into())
}

impl<'a> Lowering<'a> {
    fn kernel(&mut self, function: &'a Rc<Function>) -> Result<Lowered> {
        for one in &self.module.globals {
            self.global(one)?;
        }
        self.scopes.push(HashMap::new());
        let (mut header, entry) = (Vec::new(), template::symbol(&function.name, function.at)?);
        self.entry.clone_from(&entry);
        self.changed.push(changed::changed(&function.body, self.module));
        for (index, parameter) in function.parameters.iter().enumerate() {
            let symbol = format!("{entry}_param_{index}");
            header.push(self.parameter(parameter, &symbol)?);
        }
        self.labels.push(HashMap::new());
        self.statement(&function.body)?;
        self.all_placed()?;
        self.code.emit(Some(function.end), "ret")?;
        let bounds = function.bounds.as_ref().map(|bounds| self.launch_bounds(bounds));
        let bounds = bounds.transpose()?;
        contract::contract(&mut self.code);
        let mut text = format!(".visible .entry {entry}(\n{}\n)\n", header.join(",\n"));
        if let Some(threads) = bounds {
            let _ = writeln!(text, ".maxntid {threads}, 1, 1");
        }
        text += "{\n";
        for line in self.code.registers() {
            let _ = writeln!(text, "\t{line}");
        }
        for array in self.shared.iter().filter(|array| !self.external.contains(&array.symbol)) {
            let bytes = array
                .shape
                .iter()
                .fold(u64::from(array.element), |bytes, side| bytes * u64::from(*side));
            let _ = writeln!(text, "\t.shared .align 16 .b8 {}[{bytes}];", array.symbol);
        }
        for (name, bytes) in &self.local {
            let _ = writeln!(text, "\t.local .align 16 .b8 {name}[{bytes}];");
        }
        text += &self.code.text();
        text += "}\n";
        let texts = printed::declared(&self.texts, &entry);
        let kernel = CompiledKernel {
            name: entry,
            parameters: function.parameters.iter().map(|one| one.name.to_string()).collect(),
            shared: std::mem::take(&mut self.shared),
            launch_bounds: bounds,
        };
        let external = std::mem::take(&mut self.external);
        let unlinked = std::mem::take(&mut self.unlinked);
        Ok(Lowered { text, external, unlinked, texts, kernel })
    }

    /// A parameter of the kernel: loads it, and returns its line in the header.
    fn parameter(&mut self, parameter: &Parameter, symbol: &str) -> Result<String> {
        let at = Some(parameter.at);
        let (name, place) = match &parameter.ty {
            Type::Pointer(pointer) => {
                let generic = self.code.register(&parameter.ty);
                self.code.emit(at, format!("ld.param.u64 {generic}, [{symbol}]"))?;
                ("u64", self.global_pointer(parameter.at, pointer, generic)?)
            }
            Type::Scalar(Scalar::Bool) => {
                let place = self.passed_at(parameter.at, (symbol, 0), &parameter.ty)?;
                ("u8", place)
            }
            Type::Scalar(scalar) => {
                let name = scalar.stored();
                let register = self.code.register(&parameter.ty);
                self.code.emit(at, format!("ld.param.{name} {register}, [{symbol}]"))?;
                (name, Lvalue::Register(parameter.ty.clone(), register))
            }
            Type::Struct(of) => {
                let place = self.passed(parameter, symbol, of)?;
                self.bind_passed(parameter, place)?;
                return Ok(format!("\t.param .align {} .b8 {symbol}[{}]", of.align, of.bytes));
            }
            other => {
                let told = format!("a parameter of the type `{other}`");
                return Err(Error::outside(parameter.at, &told).into());
            }
        };
        self.bind_passed(parameter, place)?;
        Ok(format!("\t.param .{} {symbol}", name.replace('s', "u")))
    }

    /// Names a parameter of the kernel: in the registers into which it was loaded, or as a variable whose
    /// address is used.
    fn bind_passed(&mut self, parameter: &Parameter, place: Lvalue) -> Result<()> {
        let at = parameter.at;
        let own = if self.decisions.in_memory.contains(&parameter.id) {
            let value = self.load(at, place)?;
            let own = self.own_variable(at, (&parameter.name, parameter.id), &value.ty)?;
            self.store(at, own.clone(), value)?;
            own
        } else {
            self.owned(parameter.id, &place);
            place
        };
        self.bind(&parameter.name, Binding::Place(own), at)
    }

    /// The most threads that a block may have.
    fn launch_bounds(&mut self, threads: &'a Expr) -> Result<u32> {
        let count = self.constant(threads, "the number of threads")?;
        u32::try_from(count).ok().filter(|count| (1..=MOST_THREADS).contains(count)).ok_or_else(
            || {
                let told = format!("a block has 1 to {MOST_THREADS} threads, not {count}");
                Error::at(threads.at, told).into()
            },
        )
    }

    /// A whole number that is known now.
    pub(super) fn constant(&mut self, expr: &'a Expr, what: &str) -> Result<i64> {
        let mark = self.mark();
        let value = self.value(expr)?;
        self.back(mark);
        value.whole().ok_or_else(|| {
            Error::at(expr.at, format!("{what} must be constant: known before the kernel runs"))
                .hint("give it by a #define or a constexpr int")
                .into()
        })
    }
}
