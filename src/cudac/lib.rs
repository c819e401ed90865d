//! Compiles the CUDA C of the course to PTX.
//!
//! ```text
//! text --preprocess--> tokens --namespace--> tokens --template--> tokens --parse--> ast
//!
//! ast, functions of CUDA --library--> ast --lower--> PTX, the names and shapes of shared arrays
//! ```
//!
//! The meaning is nvcc's by default: a product and a sum become one FMA where NVVM fuses them
//! (`lower::contract`), and are left to ptxas elsewhere; indices are 32 bits wide, operands are
//! evaluated from left to right, and of an assignment the right side first. Nothing else is optimised
//! but constants, loops that `#pragma unroll` asks for, and arrays whose indices are then constant,
//! which live in registers. So an instruction of the source is one on the screen. What is in the
//! language, and what is not, is the table [`SUBSET`]; everything outside is an error that names it.

mod ast;
mod at;
mod compiled;
mod error;
mod file;
mod functions;
mod hint;
mod host;
mod library;
mod linked;
mod lower;
mod namespace;
mod parse;
mod preprocess;
mod skipped;
mod source;
mod subset;
mod template;
mod token;
mod types;

use ast::Module;
use lower::Failure;

pub use compiled::{COMPILER, CompileOptions, Compiled, CompiledKernel, SharedArray};
pub use error::{Error, Header};
pub use file::{CudaFile, DeviceCode, KernelTemplate, fenced};
pub use host::{
    ByteState, DeviceLaunch, DevicePlace, HostArgument, HostAssumption, HostBuffer, HostData,
    HostPatience, HostRun, HostStep, HostTensorMap, HostTransfer, NamedNumbers, StreamOrder,
    Unknown,
};
pub use source::expression;
pub use source::{
    ASSIGN, CudaSource, KernelText, Lexeme, LexemeKind, NamedValue, closing, declared_name,
    indices, lexemes, listed, until,
};
pub use subset::{Feature, SUBSET};

pub const LARGEST: usize = 256 << 10;

/// Compiles a source.
///
/// # Errors
/// The first thing that is wrong, or that is not in the subset, with its line.
pub fn compile(source: &str, options: &CompileOptions) -> Result<Compiled, Error> {
    compile_for(source, options, None)
}

/// Compiles a source for a launch of the kernel `entry`: other kernels that are outside the subset are
/// left out.
///
/// # Errors
/// As for [`compile`].
pub fn compile_for(
    source: &str,
    options: &CompileOptions,
    entry: Option<&str>,
) -> Result<Compiled, Error> {
    if source.len() > LARGEST {
        let told = format!("the source has more than {} KiB", LARGEST >> 10);
        return Err(Error::at(at::Pos::START, told));
    }
    let mut instances = options.instances.to_vec();
    loop {
        match lowered(source, &CompileOptions { instances: &instances, ..*options }, entry) {
            Ok(compiled) => return Ok(compiled),
            // A call means one more instance of a template.
            Err(Failure::Instance(name)) if instances.len() < MOST_INSTANCES => {
                instances.push(name);
            }
            Err(Failure::Instance(name)) => {
                let told = format!("`{name}`, one more instance of so many templates,");
                return Err(Error::outside(at::Pos::START, &told));
            }
            Err(Failure::Error(error)) => return Err(error.within(options.headers)),
        }
    }
}

/// The most instances of templates that calls ask for, one after the other.
const MOST_INSTANCES: usize = 64;

fn lowered(
    source: &str,
    options: &CompileOptions,
    entry: Option<&str>,
) -> Result<Compiled, Failure> {
    let tokens = namespace::flattened(preprocess::preprocess(source, options)?);
    let (tokens, templates, skipped) = template::instantiated(tokens, options.instances)?;
    let mut module = Module { templates, ..parse::parse(&tokens)? };
    module.skipped.extend(skipped);
    let module = linked::added(module, &tokens)?;
    lower::lower(&module, options, entry)
}

#[cfg(test)]
mod tests;
