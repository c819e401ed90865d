//! A launch of any module: its entry point, its grid, its arguments.

use super::args::{self, DeclaredBuffers, ParsedArgs};
use super::args_error::{ArgsError, NumberedParameter};
use super::assumption::{Assumption, Assumptions, Chosen};
use super::buffer::{Buffer, Contents, usual_contents};
use super::call::Arg;
use super::called::Called;
use super::elements::{self, FoundElements};
use super::find;
use super::inferred::{Guess, element_type, grid_over};
use super::launch_error::LaunchError;
use super::numba::NumbaParameters;
use super::problem::{Goal, Problem, Source};
use super::roles::{Roles, accessed_as};
use super::signature::{self, Declaration};
use super::{entry, rounding};
use crate::launch::{Dim3, Launch};
use crate::matrix::{ElementType, Gemm, Layout, Major, Operand, Precision, SEED, Size};
use crate::sim::{self, Program};
use ptx::{self, ControlOp, Function, MemoryOp, Module, Op, Param, Statement, Threads};
use std::borrow::Cow;
use std::sync::Arc;

/// The requested launch of a module; what is not specified is inferred from the PTX and the size, if
/// possible.
#[derive(Clone, Debug)]
pub struct LaunchSpec {
    /// The entry point, by its name in the PTX or in the source.
    pub entry: Option<String>,
    pub grid: Option<Dim3>,
    /// The block, in threads.
    pub block: Dim3,
    /// Bytes of dynamic shared memory.
    pub shared: u32,
    /// The size of clusters in blocks.
    pub cluster: Option<Dim3>,
    /// The arguments as words.
    pub args: Option<String>,
    /// The source of the PTX.
    pub source: Option<Source>,
    /// The arguments that the host's code passes, which are taken where names and types leave a doubt.
    pub called: Called,
}

impl Default for LaunchSpec {
    fn default() -> Self {
        Self {
            entry: None,
            grid: None,
            block: Dim3::flat(1, 1),
            shared: 0,
            cluster: None,
            args: None,
            source: None,
            called: Called::default(),
        }
    }
}

/// The arguments of a launch as the host's program passes them.
#[derive(Clone, Debug)]
pub struct HostArguments {
    /// The same as words, as `--launch` has them.
    pub words: String,
    /// One for each parameter; their buffers are numbers of `buffers`.
    pub args: Vec<Arg>,
    pub buffers: Vec<Buffer>,
}

impl LaunchSpec {
    /// The launch of `module` with the arguments of the host's program: nothing is inferred.
    ///
    /// # Errors
    /// No such entry point; a block that it does not take; arguments that do not fit its
    /// parameters.
    pub fn as_the_host(
        self,
        module: &Module,
        ptx: impl Into<Cow<'static, str>>,
        host: HostArguments,
    ) -> Result<Problem, LaunchError> {
        let function = entry::find(module, self.entry.as_deref())?;
        fits(function.threads, self.block.volume())?;
        let widths = function.params.iter().map(|param| param.bytes as usize);
        if !host.args.iter().map(Arg::width).eq(widths) {
            let (given, parameters) = (host.args.len(), function.params.clone());
            return Err(ArgsError::Count { given, parameters }.into());
        }
        let prints = [function].into_iter().chain(&module.device_functions).any(prints);
        Ok(Problem {
            entry: function.name.clone(),
            size: Size::square(1),
            seed: SEED,
            ptx: ptx.into(),
            launch: Launch { grid: self.grid.unwrap_or(Dim3::flat(1, 1)), block: self.block },
            cluster: self.cluster,
            shared: self.shared,
            words: host.words,
            args: host.args,
            operands: &[],
            buffers: host.buffers,
            batch: None,
            symbols: Vec::new(),
            gemm: Gemm::default(),
            layouts: [Layout { of: ElementType::F32, major: Major::Row, lead: None }; 3],
            zeroed: false,
            rounding: 0.0,
            goal: Goal::Any,
            source: self.source.map(Arc::new),
            in_header: false,
            others: Vec::new(),
            unseen: Vec::new(),
            left_out: if prints { vec!["printf"] } else { Vec::new() },
            assumed: Assumptions::default(),
            otherwise: None,
            shared_tiles: Cow::Borrowed(&[]),
            known: None,
        })
    }

    /// The requested launch of `module`, whose text is `ptx`, for matrices of `size`.
    ///
    /// Without a grid, there is one thread for each element of C, columns along x; without
    /// arguments, they are inferred from the parameters' types, names and use, if these leave no
    /// doubt.
    ///
    /// # Errors
    /// No such entry point; a block that it does not take; arguments that do not fit its
    /// parameters.
    #[expect(clippy::too_many_lines, reason = "a value for each part of the problem")]
    pub fn problem(
        self,
        module: &Module,
        ptx: impl Into<Cow<'static, str>>,
        size: Size,
    ) -> Result<Problem, LaunchError> {
        let function = entry::find(module, self.entry.as_deref())?;
        fits(function.threads, self.block.volume())?;
        // The errors of a program that cannot run are reported where it is to run.
        let program = sim::lower_with(module, &function.name, self.shared).ok();
        let guess = guess(function, size, &self, program.as_ref());
        let roles = program.as_ref().map(Roles::of).unwrap_or_default();
        let mut assumed = Vec::new();
        let numba = NumbaParameters::of(function);
        let as_passed =
            |words: String| numba.as_ref().map_or(words.clone(), |all| all.words(&words));
        let otherwise = self.args.is_none().then(|| guess.buffers()).flatten();
        let otherwise = otherwise.map(|buffers| match &numba {
            Some(numba) => numba.buffers(buffers),
            None => buffers,
        });
        let words = if let Some(words) = self.args.clone() {
            words
        } else {
            match guess.arguments() {
                Ok((words, why)) => {
                    let (is_named, words) = (guess.is_named(&words), as_passed(words));
                    let is_choice = why.is_type_alone() || !is_named;
                    let choice = is_choice.then(|| Chosen::Parameters(words.clone()));
                    let args = Assumption::new(format!("({words})"), why);
                    assumed.push(args.choosing(choice));
                    words
                }
                Err(doubt) => {
                    let doubt = doubt.with_words(as_passed);
                    let of_host = otherwise.as_ref().filter(|buffers| buffers.is_complete);
                    let of_host = of_host.filter(|_| doubt.is_no_product());
                    let words = of_host.map(|buffers| buffers.words.clone()).ok_or(doubt)?;
                    let why = "as the host allocates and passes them, and it computes no A x B";
                    let sizes = guess.sizes();
                    let choice = (!sizes.is_empty()).then_some(Chosen::Sizes(sizes));
                    let args = Assumption::new(format!("(void)({words})"), why);
                    assumed.push(args.choosing(choice));
                    words
                }
            }
        };
        let gemm = args::gemm(&words)?;
        let own = DeclaredBuffers::of(&words, size).map_err(ArgsError::from)?;
        let has_matrices = own.has_matrices && !function.params.is_empty();
        let mut notes = Vec::new();
        let of_matrices = program.as_ref().filter(|_| has_matrices);
        let given = given(&words, function, size, &guess, of_matrices, &mut notes)?;
        let is_given = |operand: &Operand| given.args.iter().any(|arg| arg.has(*operand));
        let has_all = has_matrices && Operand::ALL.iter().all(is_given);
        if has_matrices {
            assumed.extend(notes);
            whole(gemm, &given.layouts)?;
            let is_c = |place: &usize| given.args[*place] == Arg::matrix(Operand::C);
            let mut of_c = (0..given.args.len()).filter(is_c);
            let says_zero = given.zeroed || gemm.reads_c();
            if !says_zero && of_c.any(|place| roles.is_added_to(place)) {
                let why =
                    "the kernel adds to C with atomics, so the host zeroes it before each launch";
                assumed.push(Assumption::new("C=0", why));
            }
        }
        let unsaid = integers_unsaid(&own, &given.args, &roles);
        assumed.extend(unsaid.map(Assumption::silent));
        let buffers = with_contents(own, &given.args, &roles);
        let grid = if let Some(grid) = self.grid {
            grid
        } else {
            let (grid, why) = if has_matrices {
                let (grid, why) = guess.grid(self.block);
                (grid, format!("C{why}"))
            } else if buffers.is_empty() && guess.roles.is_alone() {
                (Dim3::flat(1, 1), "nothing: it never asks which block it is".to_owned())
            } else {
                let (grid, longest) = grid_over(&buffers, self.block)?;
                (grid, format!("`{longest}`"))
            };
            let blocks = grid.spelt();
            let why = format!("a thread for each element of {why}");
            let it = Assumption::new(format!("<<<{blocks},>>>"), why);
            assumed.insert(0, it.choosing(Some(Chosen::Grid(grid))));
            grid
        };
        let launch = Launch { grid, block: self.block };
        let types = given.layouts.map(|layout| layout.of);
        let rounding = program.as_ref().map_or(0.0, |program| rounding::of(types, size.k, program));
        let prints = [function].into_iter().chain(&module.device_functions).any(prints);
        Ok(Problem {
            entry: function.name.clone(),
            size,
            seed: SEED,
            ptx: ptx.into(),
            launch,
            cluster: self.cluster,
            shared: self.shared,
            words,
            args: given.args,
            operands: if has_matrices { &Operand::ALL } else { &[] },
            buffers,
            batch: None,
            symbols: Vec::new(),
            gemm,
            layouts: given.layouts,
            zeroed: given.zeroed,
            rounding,
            goal: if has_all { Goal::Product } else { Goal::Any },
            source: self.source.map(Arc::new),
            in_header: false,
            others: Vec::new(),
            unseen: Vec::new(),
            left_out: if prints { vec!["printf"] } else { Vec::new() },
            assumed: Assumptions::from_iter(assumed),
            otherwise: otherwise.map(|buffers| buffers.words),
            shared_tiles: Cow::Borrowed(&[]),
            known: None,
        })
    }
}

/// Returns the buffers of a list, filled before the launch as the list says, or else as the kernel
/// uses them.
fn with_contents(own: DeclaredBuffers, args: &[Arg], roles: &Roles) -> Vec<Buffer> {
    let first = own.first();
    let filled = |(place, (buffer, said)): (usize, (Buffer, Option<_>))| {
        let pointers = (0..args.len()).filter(|arg| args[*arg] == Arg::Buffer(first + place));
        let contents = said.unwrap_or_else(|| usual_contents(roles, pointers));
        Buffer { contents, ..buffer }
    };
    own.buffers.into_iter().enumerate().map(filled).collect()
}

/// The buffers of integers that a kernel reads and of which nobody says what they hold: indices, counts
/// and flags.
fn integers_unsaid(own: &DeclaredBuffers, args: &[Arg], roles: &Roles) -> Option<Chosen> {
    let first = own.first();
    let is_it = |(place, (buffer, said)): &(usize, &(Buffer, Option<Contents>))| {
        let pointers = (0..args.len()).filter(|arg| args[*arg] == Arg::Buffer(first + place));
        let is_read = usual_contents(roles, pointers) != Contents::Unfilled;
        said.is_none() && buffer.of.is_integer() && is_read
    };
    let all = own.buffers.iter().enumerate().filter(is_it);
    let names: Vec<_> = all.map(|(_, (buffer, _))| buffer.name.clone()).collect();
    (!names.is_empty()).then_some(Chosen::Contents(names))
}

/// Collects what the PTX and its source reveal about a launch.
fn guess<'m>(
    function: &'m Function,
    size: Size,
    wanted: &'m LaunchSpec,
    program: Option<&Program>,
) -> Guess<'m> {
    let text = wanted.source.as_ref().map(Source::declarations);
    let parameters = text.map(|text| signature::parameters(text, &function.name));
    let parameters = parameters.unwrap_or_default();
    let each = |of: fn(&Declaration) -> String| parameters.iter().map(of).collect::<Vec<_>>();
    let mut names = each(|one| one.name.clone());
    names.retain(|name| !name.is_empty());
    let names = if names.is_empty() { own_names(function) } else { names };
    let source = text.map(|text| (text, each(|one| one.type_name.clone())));
    let params = &function.params;
    let known = program.map(|program| (Roles::of(program), element_types(program, params)));
    let (mut roles, mut types) = known.unwrap_or_default();
    let mut params = Cow::Borrowed(&params[..]);
    let mut places: Vec<_> = (0..params.len()).collect();
    if let Some(numba) = NumbaParameters::of(function) {
        places = numba.places();
        roles = roles.among(&places);
        types = places.iter().map(|place| types.get(*place).copied().flatten()).collect();
        params = Cow::Owned(numba.among(&params));
    }
    let mut declared: Vec<_> = parameters.iter().map(|one| one.elements).collect();
    // A type that the source names by a macro or a typedef stands in the mangled name.
    let mangled = signature::mangled_elements(&function.name);
    declared.resize(declared.len().max(mangled.len()), None);
    declared.iter_mut().zip(mangled).for_each(|(known, of)| *known = known.or(of));
    let LaunchSpec { grid, block, .. } = *wanted;
    let defaults = parameters.into_iter().map(|one| one.default).collect();
    Guess {
        params,
        places,
        names,
        source,
        roles,
        types,
        declared,
        grid,
        block,
        size,
        called: &wanted.called,
        defaults,
    }
}

/// The types of the elements behind the parameters: what the kernel does with their values tells, or
/// else the width of its accesses.
fn element_types(program: &Program, params: &[Param]) -> Vec<Option<ElementType>> {
    let by_access = accessed_as(program).into_iter().map(|ty| ty.and_then(element_type));
    let places: Vec<_> = (0..params.len()).collect();
    let by_use = places.chunks(Operand::ALL.len()).flat_map(|places| {
        let pointers = places.iter().zip(Operand::ALL);
        let pointers: Vec<_> = pointers.map(|(at, of)| (params[*at].offset, of)).collect();
        elements::types(program, &pointers)
    });
    // An access of 16 or 32 bits does not say whether it is of halves.
    let known = |(by_access, by_use): (Option<ElementType>, FoundElements)| match by_use {
        FoundElements::Type(of @ (ElementType::F16 | ElementType::Bf16)) => by_access.map(|_| of),
        FoundElements::Type(_) | FoundElements::Words | FoundElements::Doubtful => by_access,
    };
    by_access.zip(by_use).map(known).collect()
}

/// The parameters' names in the PTX, if they are more than numbers.
fn own_names(function: &Function) -> Vec<String> {
    let prefix = format!("{}_param_", function.name);
    let own = |param: &Param| {
        let name = param.name.strip_prefix(&prefix).unwrap_or(&param.name);
        let is_number = name.chars().all(|c| c.is_ascii_digit());
        (!is_number && !name.contains("param")).then(|| name.to_owned())
    };
    function.params.iter().map(own).collect::<Option<_>>().unwrap_or_default()
}

/// Whether the source declares without a sign what is computed with as if it had one, or either of
/// both for 8 bits, which compilers load alike.
fn differ_in_sign(declared: ElementType, of: ElementType) -> bool {
    let bytes = [ElementType::I8, ElementType::U8];
    declared == of.without_sign() || bytes.contains(&declared) && bytes.contains(&of)
}

/// Whether an integer of one access is several of what the source declares.
fn is_several(declared: ElementType, of: ElementType) -> bool {
    declared.is_integer() && of.is_integer() && declared.bytes() < of.bytes()
}

/// Returns what the words give; the types that they do not say are those of the kernel's accesses,
/// without a sign where the source says so of a pointer, of which `notes` tells.
fn given(
    words: &str,
    function: &Function,
    size: Size,
    guess: &Guess<'_>,
    program: Option<&Program>,
    notes: &mut Vec<Assumption>,
) -> Result<ParsedArgs, ArgsError> {
    let known = find(&function.name).map_or(Precision::Single, |kernel| kernel.precision);
    let mut types = known.layouts().map(|layout| layout.of);
    let mut given = args::typed(words, &function.params, size, types)?;
    read_as_given(function, &given.args)?;
    let Some(program) = program else { return Ok(given) };
    let pointers = function.params.iter().zip(&given.args).flat_map(|(param, arg)| {
        arg.pointers().into_iter().map(|(at, operand)| (param.offset + at, operand))
    });
    let found = elements::types(program, &pointers.collect::<Vec<_>>());
    for (operand, found) in Operand::ALL.into_iter().zip(found) {
        let is_stated = given.stated[operand as usize].is_some();
        match found {
            FoundElements::Type(of) => {
                let declared = guess.declared_as(&given.args, operand);
                let sign = declared.filter(|declared| differ_in_sign(*declared, of));
                let wide = declared.filter(|declared| is_several(*declared, of));
                types[operand as usize] = sign.or(wide).unwrap_or(of);
                notes.extend(wide.filter(|_| !is_stated).map(|declared| {
                    let name = operand.name();
                    let why =
                        format!("as the source declares it, although the kernel accesses {of}");
                    Assumption::new(format!("{name}:{declared}"), why)
                }));
                let stated = given.stated[operand as usize].filter(|stated| is_other(*stated, of));
                notes.extend(stated.map(|stated| {
                    let name = operand.name();
                    let why = format!(", as --launch says, although the kernel uses it as {of}");
                    Assumption::sentence(format!("{name}:{stated}"), why)
                }));
            }
            FoundElements::Doubtful if !is_stated => {
                let Some(of) = guess.declared_as(&given.args, operand) else {
                    let example = with_type(words, operand.name(), ElementType::F16);
                    return Err(ArgsError::Elements { matrix: operand.name(), example });
                };
                given.stated[operand as usize] = Some(of);
                let what = format!("{}:{of}", operand.name());
                notes.push(Assumption::new(what, "as the source declares it"));
            }
            FoundElements::Words | FoundElements::Doubtful => {}
        }
    }
    let [a, b, c] = [0, 1, 2].map(|at| given.stated[at].unwrap_or(types[at]));
    if given.stated[2].is_none() && c.is_integer() && !(a.is_integer() && b.is_integer()) {
        // It is no product of A and B: it is checked like any other, and its C is told wrong.
        types[2] = ElementType::F32;
        let is_said = found[..2].iter().any(|found| matches!(found, FoundElements::Type(_)));
        notes.extend(is_said.then(|| {
            let why = format!(", although the kernel stores {c}: A and B are of {a} and {b}");
            Assumption::sentence("C:f32", why)
        }));
    }
    let stated = given.stated;
    for (of, stated) in types.iter_mut().zip(stated) {
        *of = stated.unwrap_or(*of);
    }
    let given = args::typed(words, &function.params, size, types)?;
    notes.extend(given.summary());
    Ok(given)
}

/// The words with a type after a matrix.
fn with_type(words: &str, matrix: &str, of: ElementType) -> String {
    let typed = |word: &str| match word.trim() {
        word if word == matrix => format!("{word}:{of}"),
        _ => word.to_owned(),
    };
    words.split(',').map(typed).collect::<Vec<_>>().join(",")
}

/// Whether elements of one type cannot be used as of the other: a sign alone makes no difference
/// that compilers show.
fn is_other(stated: ElementType, used: ElementType) -> bool {
    stated.bytes() != used.bytes() || stated.is_integer() != used.is_integer()
}

/// Checks that the kernel reads members of structures where the words have some.
fn read_as_given(function: &Function, args: &[Arg]) -> Result<(), ArgsError> {
    for (name, at, bytes) in function.body.iter().flat_map(reads) {
        let mut params = function.params.iter().zip(args).enumerate();
        let Some((place, (param, arg))) = params.find(|(_, (param, _))| param.name == name) else {
            continue;
        };
        let Arg::Members { members, .. } = arg else { continue };
        let is_there = |(start, member): &(u32, Arg)| {
            i64::from(*start) == at && member.width() >= bytes as usize
        };
        if !members.iter().any(is_there) {
            let parameter = Box::new(NumberedParameter { place: place + 1, param: param.clone() });
            return Err(ArgsError::Read { bytes, at, parameter });
        }
    }
    Ok(())
}

/// The parts of parameters that an instruction loads: the parameter, the offset, the bytes.
fn reads(statement: &Statement) -> Vec<(&str, i64, u32)> {
    let Statement::Instruction { op: Op::Memory(MemoryOp::Ld { ty, dst, addr, .. }), .. } =
        statement
    else {
        return Vec::new();
    };
    let ptx::Operand::Name(name, _) = &addr.base else { return Vec::new() };
    let bytes = ty.bytes();
    (0..dst.len()).map(|at| (&**name, addr.offset + at as i64 * i64::from(bytes), bytes)).collect()
}

/// Checks that what becomes of C is known where its elements are integers.
fn whole(gemm: Gemm, layouts: &[Layout; 3]) -> Result<(), ArgsError> {
    let [a, b, c] = layouts.map(|layout| layout.of);
    let is_factor = |factor: f64| factor.fract() == 0.0 && factor.abs() < 65536.0;
    match c.is_integer() {
        true if !a.is_integer() || !b.is_integer() => Err(ArgsError::Mixed { a, b, c }),
        true if ![gemm.alpha, gemm.beta].into_iter().all(is_factor) => Err(ArgsError::Factor),
        _ => Ok(()),
    }
}

/// Checks that the kernel takes a block of this number of threads, if it declares that.
fn fits(kernel: Option<Threads>, threads: u64) -> Result<(), LaunchError> {
    match kernel {
        Some(Threads::AtMost(most)) if threads > most => Err(LaunchError::TooLarge(threads, most)),
        Some(Threads::Exactly(count)) if threads != count => {
            Err(LaunchError::NotExactly(threads, count))
        }
        _ => Ok(()),
    }
}

/// Whether a function calls `vprintf`, to which `printf` is compiled.
fn prints(function: &Function) -> bool {
    let calls = |statement: &Statement| match statement {
        Statement::Instruction { op: Op::Control(ControlOp::Call { target, .. }), .. } => {
            target == "vprintf"
        }
        _ => false,
    };
    function.body.iter().any(calls)
}
