//! Memory layout: shared arrays in the block's memory, the module's variables at fixed addresses.

use crate::sim::local::MAX_LOCAL;
use crate::sim::memory::{CONSTANTS, VARIABLES};
use crate::sim::program::{GlobalVariable, LocalFrame, LocalVariable, RowInit, SharedArray};
use ptx::{
    Function, InitialImage, Module, Op, Operand, Param, ParseError, Space, Span, Statement,
    Variable,
};
use std::collections::{HashMap, HashSet};
use std::convert::Infallible;
use std::sync::Arc;

/// Maximum shared memory of a block in bytes on any GPU so far (compute capability 9.0).
const MAX_SHARED: u32 = 227 * 1024;

/// Alignment of dynamic shared memory, sufficient for vectors of 16 bytes.
const DYNAMIC_ALIGN: u32 = 16;

/// Shared memory of a block that the system reserves from compute capability 8.0 on, in bytes (CUDA
/// C++ Programming Guide, "Shared Memory" of each compute capability).
const RESERVED: u32 = 1024;

/// The registers of which each holds a place in the reserved part.
const RESERVED_OFFSET: &str = "%reserved_smem_offset_";

/// Number of bytes between the local variables of two functions.
const FRAMES_APART: u32 = 16;

/// Maximum total size of a module's variables in one space, in bytes.
const MAX_VARIABLES: u64 = 64 << 20;

/// Maximum distance between two variables of one space, in bytes: with the largest alignment they
/// lie 2 GiB apart.
const MAX_SPREAD: u64 = 1 << 36;

/// Minimum gap between two variables in bytes, so that an out-of-bounds address of one does not
/// fall into the next.
const APART: u64 = 256;

/// The location of every variable that the functions of a launch name.
#[derive(Default)]
pub(super) struct VariableLayout<'a> {
    pub(super) shared: Vec<SharedArray>,
    pub(super) shared_bytes: u32,
    pub(super) variables: Vec<GlobalVariable>,
    /// For each device function, the offsets of its parameters and results in local memory.
    formals: Vec<HashMap<String, u32>>,
    /// The local memory of each function.
    pub(super) frames: Vec<LocalFrame>,
    /// The values of the module's names.
    symbols: HashMap<&'a str, RowInit>,
    /// For each function, the values of its body's variables, in order.
    own: Vec<Vec<RowInit>>,
    /// The reserved part of shared memory: it lies before all arrays, as on a GPU, but only if the
    /// launch names its place.
    reserved: u32,
    /// The end of the shared arrays placed so far whose size the module declares.
    sized: u32,
    /// The start and size of dynamic shared memory.
    dynamic: (u32, u32),
}

impl<'a> VariableLayout<'a> {
    /// Places only the module's variables that `functions` use, as a linker does.
    pub(super) fn new(
        module: &'a Module,
        functions: &[&'a Function],
        dynamic_shared: u32,
    ) -> Result<Self, ParseError> {
        let used = used(module, functions);
        let bodies = functions.iter().flat_map(|function| &function.variables);
        // Like ptxas, place a function's own arrays before the module's.
        let all: Vec<_> = bodies.chain(used.iter().copied()).collect();
        let names_reserved = |name: &str| name.starts_with(RESERVED_OFFSET);
        let named =
            functions.iter().any(|function| named(function).into_iter().any(names_reserved));
        let reserved = if named { RESERVED } else { 0 };
        let dynamic = dynamic_part(&all, reserved, dynamic_shared);
        let mut layout =
            Self { dynamic, reserved, sized: reserved, shared_bytes: reserved, ..Self::default() };
        for function in functions {
            layout.open_frame(function)?;
            let places = function.variables.iter().map(|variable| layout.place(variable));
            let places = places.collect::<Result<_, _>>()?;
            layout.own.push(places);
        }
        for variable in &used {
            let init = layout.place(variable)?;
            layout.symbols.insert(&variable.name, init);
        }
        let globals = all.iter().filter(|variable| is_global(variable));
        for (index, variable) in globals.enumerate() {
            let words = layout.words(variable)?;
            layout.variables[index].words = words;
        }
        layout.variables.sort_by_key(|variable| variable.base);
        Ok(layout)
    }

    /// Total shared memory of a block as allocated (PTX ISA, `%total_smem_size`: a multiple of 128
    /// bytes from compute capability 8.0 on).
    fn total_shared(&self) -> u32 {
        let end = self.dynamic.0.saturating_add(self.dynamic.1) - self.reserved;
        end.checked_next_multiple_of(128).unwrap_or(end)
    }

    /// The value of a special register about shared memory (PTX ISA, "Special Registers").
    ///
    /// The offsets in the reserved part are the driver's choice; here both are its start.
    pub(super) fn special(&self, name: &str) -> Option<u32> {
        Some(match name {
            "%dynamic_smem_size" => self.dynamic.1,
            "%total_smem_size" => self.total_shared(),
            "%aggr_smem_size" => self.total_shared().saturating_add(RESERVED),
            _ => match name.strip_prefix(RESERVED_OFFSET)? {
                "begin" | "0" | "1" => 0,
                "end" | "cap" => RESERVED,
                _ => return None,
            },
        })
    }

    /// The value of the module's variable `name`.
    pub(super) fn symbol(&self, name: &str) -> Option<RowInit> {
        self.symbols.get(name).copied()
    }

    /// The value of variable `index` in the body of function number `function`.
    pub(super) fn own(&self, function: usize, index: usize) -> RowInit {
        self.own[function][index]
    }

    fn place(&mut self, variable: &Variable) -> Result<RowInit, ParseError> {
        match variable.space {
            Space::Shared => self.place_shared(variable).map(RowInit::Shared),
            Space::Global | Space::Const => self.place_global(variable).map(RowInit::Constant),
            Space::Distributed | Space::Local | Space::Param | Space::Generic => {
                self.place_local(variable).map(RowInit::Local)
            }
        }
    }

    /// Places an array at the next suitably aligned address, or a dynamic array after all others.
    fn place_shared(&mut self, variable: &Variable) -> Result<u32, ParseError> {
        let (offset, bytes) = match variable.bytes {
            0 => self.dynamic,
            bytes => {
                let offset = self.sized.checked_next_multiple_of(variable.align);
                let offset = offset.unwrap_or(u32::MAX);
                self.sized = offset.saturating_add(bytes);
                (offset, bytes)
            }
        };
        let end = offset.saturating_add(bytes);
        let name = variable.source_name().to_owned();
        if end - self.reserved > MAX_SHARED {
            let message = format!("`{name}` needs more shared memory than a block can have");
            return Err(ParseError::new(variable.span, message));
        }
        self.shared_bytes = self.shared_bytes.max(end);
        self.shared.push(SharedArray { name, offset, bytes, extents: Vec::new(), of: None });
        Ok(offset)
    }

    fn place_global(&mut self, variable: &Variable) -> Result<u64, ParseError> {
        let name = variable.source_name().to_owned();
        if variable.external {
            let message = format!("`{name}` lies in another module, which is not supported");
            return Err(ParseError::new(variable.span, message));
        }
        let window = if variable.space == Space::Const { CONSTANTS } else { VARIABLES };
        let inside = |other: &&GlobalVariable| other.base.wrapping_sub(window) < MAX_SPREAD;
        let others: u64 = self.variables.iter().filter(inside).map(|other| other.bytes).sum();
        let last = self.variables.iter().rfind(inside);
        let end = last.map_or(window, |last| last.base + last.bytes);
        let base = (end + APART).next_multiple_of(variable.align.into());
        let bytes = u64::from(variable.bytes);
        if others + bytes > MAX_VARIABLES || base + bytes > window + MAX_SPREAD {
            return Err(ParseError::new(
                variable.span,
                format!("`{name}` is larger than is supported"),
            ));
        }
        self.variables.push(GlobalVariable { name, base, bytes, words: Arc::default() });
        Ok(base)
    }

    /// Places a variable in the frame of the current function.
    fn place_local(&mut self, variable: &Variable) -> Result<u32, ParseError> {
        self.in_frame((variable.source_name(), variable.span), variable.align, variable.bytes)
    }

    /// Appends a frame for a function, with its parameters and results.
    fn open_frame(&mut self, function: &Function) -> Result<(), ParseError> {
        let end = self.frames.last().map_or(0, |last| last.base + last.bytes + FRAMES_APART);
        let base = end.next_multiple_of(DYNAMIC_ALIGN);
        let name = function.name.clone();
        self.frames.push(LocalFrame { function: name, base, ..LocalFrame::default() });
        let mut formals = HashMap::new();
        if self.frames.len() > 1 {
            for param in function.params.iter().chain(&function.returns) {
                if !param.in_register {
                    let name = (&*param.name, Span::default());
                    let place = self.in_frame(name, param.align, param.bytes)?;
                    formals.insert(param.name.clone(), place);
                }
            }
        }
        self.formals.push(formals);
        Ok(())
    }

    /// Allocates the next slot in the last frame.
    fn in_frame(
        &mut self,
        (name, span): (&str, Span),
        align: u32,
        bytes: u32,
    ) -> Result<u32, ParseError> {
        let name = in_source(name).to_owned();
        let failed = |message| ParseError::new(span, message);
        let Some(frame) = self.frames.last_mut() else {
            return Err(failed(format!("`{name}` is of no function")));
        };
        // Align to whole words, so that calls can copy word by word.
        let offset = (frame.base + frame.bytes).next_multiple_of(align.max(4));
        let end = offset.saturating_add(bytes);
        if end > MAX_LOCAL {
            return Err(failed(format!("`{name}` needs more local memory than a thread can have")));
        }
        frame.bytes = end - frame.base;
        frame.variables.push(LocalVariable { name, offset, bytes });
        Ok(offset)
    }

    /// The offset in local memory of a parameter or result of function number `number`, if it has
    /// one.
    pub(super) fn formal(&self, number: usize, param: &Param) -> Option<u32> {
        self.formals.get(number)?.get(&param.name).copied()
    }

    /// The value of the name of a parameter or result of function number `number`.
    pub(super) fn formal_named(&self, number: usize, name: &str) -> Option<RowInit> {
        self.formals.get(number)?.get(name).copied().map(RowInit::Local)
    }

    /// A variable's initial value in 4-byte words.
    fn words(&self, variable: &Variable) -> Result<Arc<[u32]>, ParseError> {
        let InitialImage { bytes, pointers } = &variable.image;
        let mut bytes = bytes.clone();
        bytes.resize(variable.bytes.next_multiple_of(4) as usize, 0);
        for pointer in pointers {
            let Some(RowInit::Constant(base)) = self.symbol(&pointer.name) else {
                let message = format!("the address of `{}` is not supported here", pointer.name);
                return Err(ParseError::new(variable.span, message));
            };
            let addr = base.wrapping_add(pointer.offset as u64).to_le_bytes();
            let at = pointer.at as usize;
            bytes[at..][..pointer.bytes as usize].copy_from_slice(&addr[..pointer.bytes as usize]);
        }
        let words = bytes
            .chunks_exact(4)
            .map(|word| word.iter().rev().fold(0, |word, byte| word << 8 | u32::from(*byte)));
        Ok(words.collect())
    }
}

fn is_global(variable: &Variable) -> bool {
    matches!(variable.space, Space::Global | Space::Const)
}

/// The start and size of dynamic shared memory: all dynamic arrays start at the same address, after
/// the others (CUDA C++ Programming Guide, "`__shared__`").
fn dynamic_part(all: &[&Variable], reserved: u32, bytes: u32) -> (u32, u32) {
    let shared = || all.iter().filter(|variable| variable.space == Space::Shared);
    let sized = shared().filter(|variable| variable.bytes > 0);
    let end = sized.fold(reserved, |end, variable| {
        end.checked_next_multiple_of(variable.align).unwrap_or(end).saturating_add(variable.bytes)
    });
    let open = shared().filter(|variable| variable.bytes == 0);
    let align = open.map(|variable| variable.align).fold(DYNAMIC_ALIGN, u32::max);
    (end.checked_next_multiple_of(align).unwrap_or(end), bytes)
}

/// The module's variables that `functions` name, and those that their initial values point to.
fn used<'a>(module: &'a Module, functions: &[&'a Function]) -> Vec<&'a Variable> {
    let mut names: Vec<_> = functions.iter().flat_map(|function| named(function)).collect();
    let mut seen: HashSet<&str> = HashSet::new();
    let variable = |name: &str| module.variables.iter().find(|v| v.name == name);
    while let Some(name) = names.pop() {
        if seen.insert(name)
            && let Some(variable) = variable(name)
        {
            names.extend(variable.image.pointers.iter().map(|pointer| pointer.name.as_str()));
        }
    }
    module.variables.iter().filter(|variable| seen.contains(variable.name.as_str())).collect()
}

/// All names among the operands of a function's instructions.
fn named(function: &Function) -> HashSet<&str> {
    let mut names = HashSet::new();
    for statement in &function.body {
        let Statement::Instruction { op, .. } = statement else { continue };
        let read: Result<Op<(), ()>, Infallible> = op.map(
            |operand, _, _| {
                if let Operand::Name(name, _) = operand {
                    names.insert(name.as_str());
                }
                Ok(())
            },
            |_| Ok(()),
        );
        let Ok(_) = read;
    }
    names
}

/// The name in the source of a variable in local memory: matviz's compiler calls the array `a`
/// `local_a_1`.
fn in_source(name: &str) -> &str {
    let own = name.strip_prefix("local_").and_then(|rest| rest.rsplit_once('_'));
    let is_number = |id: &str| !id.is_empty() && id.chars().all(|c| c.is_ascii_digit());
    own.filter(|(_, id)| is_number(id)).map_or(name, |(own, _)| own)
}
