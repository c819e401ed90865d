//! What a Python file says of its kernel's launch.

use super::called::{HostLaunch, LaunchNumber};
use super::launch::StatedLaunch;
use crate::compile::python::{
    NumbaKernel, PythonArgument, PythonLaunch, PythonParameter, SignatureFrom,
};
use crate::kernel::{Assumption, SizeName, operand_of};
use crate::launch::Dim3;
use crate::matrix::{ElementType, Operand, Size};

/// The largest side of a file's own matrices that are taken as they are.
const SMALL: u32 = 256;

/// The size of the matrices that the file multiplies, if its launch is of a product of A and B.
pub(super) fn size_in(kernel: &NumbaKernel) -> Option<Size> {
    let launch = kernel.launches.first()?;
    let arrays = kernel.parameters.iter().zip(&launch.args);
    let arrays = arrays.filter_map(|(parameter, arg)| Some((parameter, arg.shape.as_ref()?)));
    let arrays: Vec<_> = arrays.collect();
    let &[first, second, third] = &arrays[..] else { return None };
    let named = |operand: Operand| {
        arrays.iter().find(|(parameter, _)| operand_of(&parameter.name) == Some(operand))
    };
    let by_name = Operand::ALL.map(|operand| named(operand).map(|(_, shape)| &***shape));
    let in_order = [first, second, third].map(|(_, shape)| Some(&**shape));
    product(by_name).or_else(|| product(in_order)).or_else(|| square(launch, &arrays))
}

/// The size of the product of arrays of these shapes.
fn product(shapes: [Option<&[u64]>; 3]) -> Option<Size> {
    let [Some(&[m, k]), Some(&[inner, n]), Some(&[rows, columns])] = shapes else { return None };
    let side = |side: u64| u32::try_from(side).ok().filter(|side| *side > 0);
    let size = Size { m: side(m)?, n: side(n)?, k: side(k)? };
    ((inner, rows, columns) == (k, m, n)).then_some(size)
}

/// The size of three square matrices in arrays of one dimension, if the launch passes their side.
fn square(launch: &PythonLaunch, arrays: &[(&PythonParameter, &Vec<u64>)]) -> Option<Size> {
    let numbers = launch.args.iter().filter_map(|arg| arg.number);
    let mut sides =
        numbers.filter(|number| number.fract() == 0.0 && (1.0..65536.0).contains(number));
    let is_side = |side: &f64| {
        let side = *side as u64;
        side > 1 && arrays.iter().all(|(_, shape)| shape[..] == [side * side])
    };
    sides.find(is_side).map(|side| Size::square(side as u32))
}

/// The size at which the file is run where nobody gives one: its own, unless that takes long.
pub(super) fn suited(kernel: &NumbaKernel) -> Option<Size> {
    size_in(kernel).filter(|size| size.m.max(size.n).max(size.k) <= SMALL)
}

/// The file's launch, as one of a host's code. The grid of a product follows from the size.
pub(super) fn call(kernel: &NumbaKernel) -> Option<HostLaunch> {
    let launch = kernel.launches.first()?;
    let size = size_in(kernel);
    let arguments = || kernel.parameters.iter().zip(&launch.args);
    let text = |(parameter, arg): (&PythonParameter, &PythonArgument)| {
        let of_size = size.filter(|_| arg.number.is_some());
        of_size.and_then(|size| word(parameter, arg, size)).unwrap_or_default()
    };
    let value = |arg: &PythonArgument| {
        let number = arg.number?;
        let is_whole = number.fract() == 0.0 && number.abs() < 9e15;
        Some(if is_whole { LaunchNumber::Int(number as i64) } else { LaunchNumber::Float(number) })
    };
    let bytes = |(parameter, arg): (&PythonParameter, &PythonArgument)| {
        let of: ElementType = parameter.of.parse().ok()?;
        let count: u64 = arg.shape.as_ref().filter(|_| size.is_none())?.iter().product();
        Some(count * of.bytes() as u64)
    };
    Some(HostLaunch {
        kernel: kernel.name.clone(),
        instance: None,
        arguments: Vec::new(),
        line: launch.line,
        grid: Some(launch.grid).filter(|_| size.is_none()),
        block: Some(launch.block),
        shared: Some(launch.shared),
        cluster: None,
        parameters: kernel.parameters.iter().map(|one| one.name.clone()).collect(),
        args: arguments().map(text).collect(),
        values: launch.args.iter().map(value).collect(),
        maps: vec![None; launch.args.len()],
        bytes: arguments().map(bytes).collect(),
    })
}

/// The name of the side that a number is: the only one of this length, or what the parameter's name says.
fn word(parameter: &PythonParameter, arg: &PythonArgument, size: Size) -> Option<String> {
    let number = arg.number?;
    let sides = [(SizeName::M, size.m), (SizeName::N, size.n), (SizeName::K, size.k)];
    let equal: Vec<_> =
        sides.iter().filter(|(_, side)| f64::from(*side).total_cmp(&number).is_eq()).collect();
    match equal[..] {
        [(name, _)] => Some(name.word().to_owned()),
        [] => None,
        _ => SizeName::of(&parameter.name).map(|name| name.word().to_owned()),
    }
}

/// The grid of a product at a size, in proportion to the one that the file launches, where that has not
/// a thread for each element of C.
pub(super) fn grid(kernel: &NumbaKernel, size: Size) -> Option<Dim3> {
    let (launch, own) = (kernel.launches.first()?, size_in(kernel)?);
    let [grid, block] = [launch.grid, launch.block].map(|[x, y, z]| Dim3::new(x, y, z));
    let covers = |across: u32, down: u32| {
        grid == Dim3::flat(across.div_ceil(block.x), down.div_ceil(block.y))
    };
    let is_each = covers(own.n, own.m) || covers(own.m, own.n);
    let given = StatedLaunch { grid: Some(grid), ..StatedLaunch::default() };
    if is_each { None } else { given.grid_at(size, own, block).ok().flatten() }
}

/// What nobody states of it on the command line.
pub(super) fn told(kernel: &NumbaKernel, file: &str) -> Vec<Assumption> {
    let mut told = Vec::new();
    if !kernel.others.is_empty() {
        let why = format!("; the file has {} as well", kernel.others.join(", "));
        told.push(Assumption::sentence(kernel.name.clone(), why));
    }
    if let Some(stopped) = kernel.stopped.as_ref().filter(|_| kernel.launches.is_empty()) {
        let place =
            if stopped.line > 0 { format!(" up to line {}", stopped.line) } else { String::new() };
        told.push(Assumption::new(format!("{file} run{place}"), &stopped.message));
    }
    let types = kernel.parameters.iter().map(type_of).collect::<Vec<_>>().join(", ");
    let why = match kernel.types {
        SignatureFrom::Stated => return told,
        SignatureFrom::Decorator => "as its decorator says".to_owned(),
        SignatureFrom::Launch => {
            let line = kernel.launches.first().map_or(0, |launch| launch.line);
            format!("as line {line} launches it")
        }
        SignatureFrom::Assumed => {
            "three arrays called A, B and C, which the file does not launch it with".to_owned()
        }
    };
    let strided = kernel.parameters.iter().any(|one| one.order == "A");
    let order = if strided { ", in C order, which `:` leaves open" } else { "" };
    told.push(Assumption::new(format!("--sig '{types}'"), why + order));
    told
}

/// The type of a parameter as `--sig` has it.
fn type_of(parameter: &PythonParameter) -> String {
    let PythonParameter { of, dims, order, .. } = parameter;
    let Some(dims) = *dims else { return of.clone() };
    let side = |at: u32| match &**order {
        "C" if at + 1 == dims => "::1",
        "F" if at == 0 => "::1",
        _ => ":",
    };
    format!("{of}[{}]", (0..dims).map(side).collect::<Vec<_>>().join(","))
}
