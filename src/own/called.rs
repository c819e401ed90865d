//! What the host's program launches, in the words of the command line.

use cudac::{CudaFile, DeviceLaunch, HostArgument, HostRun, HostStep, HostTensorMap};

/// A launch in host code, as far as it is known.
#[derive(Clone, Debug, PartialEq)]
pub struct HostLaunch {
    pub kernel: String,
    /// The kernel with the arguments of its template, `mm<16, float>`, if it is one.
    pub instance: Option<String>,
    /// The arguments of its template, as far as they are known.
    pub arguments: Vec<Option<String>>,
    pub line: u32,
    /// Blocks along x, y, z; 0 if the host's code computes so at this size.
    pub grid: Option<[u32; 3]>,
    /// Threads along x, y, z.
    pub block: Option<[u32; 3]>,
    /// Bytes of dynamic shared memory; 0 if the launch names none.
    pub shared: Option<u32>,
    /// Blocks of a cluster along x, y, z, if the launch gives it (`cudaLaunchKernelEx`).
    pub cluster: Option<[u32; 3]>,
    /// The names of the kernel's parameters.
    pub parameters: Vec<String>,
    /// The arguments that are variables, by their names.
    pub args: Vec<String>,
    pub values: Vec<Option<LaunchNumber>>,
    /// The tensor maps among them, or pointers to such, as the host encodes them.
    pub maps: Vec<Option<HostTensorMap>>,
    /// The bytes that the host has allocated for those that are pointers, where that is known.
    pub bytes: Vec<Option<u64>>,
}

/// A number among the arguments of a launch.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum LaunchNumber {
    /// A whole one.
    Int(i64),
    /// One with a fraction.
    Float(f64),
}

/// The launches of a program, in its order.
pub(super) fn launches(run: &HostRun) -> impl Iterator<Item = &DeviceLaunch> {
    run.steps.iter().filter_map(|step| match step {
        HostStep::Launch(launch) => Some(&**launch),
        _ => None,
    })
}

/// The launches of a program that differ from one another, in its order.
pub(super) fn different(run: &HostRun) -> impl Iterator<Item = &DeviceLaunch> {
    let mut seen: Vec<&DeviceLaunch> = Vec::new();
    launches(run).filter(move |launch| {
        let is_new = !seen.iter().rev().take(MOST_APART).any(|other| other.is_like(launch));
        if is_new {
            seen.push(launch);
        }
        is_new
    })
}

/// How far back a launch is compared with those before it.
const MOST_APART: usize = 64;

/// What a launch says, in the words of the command line.
pub(super) fn as_text(run: &HostRun, launch: &DeviceLaunch, file: &CudaFile) -> HostLaunch {
    let bytes = |place: &HostArgument| match place {
        // What a caller gives has no length.
        HostArgument::Buffer(place) => run
            .buffers
            .get(place.buffer)?
            .bytes
            .checked_sub(place.offset)
            .filter(|bytes| *bytes > 0),
        _ => None,
    };
    let number = |one: &HostArgument| match one {
        HostArgument::Number { shown, .. } => {
            let float = || shown.trim_end_matches('f').parse().ok().map(LaunchNumber::Float);
            shown.parse().ok().map(LaunchNumber::Int).or_else(float)
        }
        _ => None,
    };
    let map = |one: &HostArgument| match one {
        HostArgument::TensorMap(map) => Some(map.clone()),
        _ => None,
    };
    HostLaunch {
        kernel: launch.kernel.clone(),
        instance: launch.instance().map(|instance| {
            let whole = file.qualified(&launch.kernel);
            instance.replacen(&launch.kernel, &whole, 1)
        }),
        arguments: launch.list.clone(),
        line: launch.line,
        grid: launch.grid.clone().ok(),
        block: launch.block.clone().ok().filter(|block| !block.contains(&0)),
        shared: launch.shared.clone().ok().and_then(|bytes| bytes.try_into().ok()),
        cluster: launch.cluster,
        parameters: launch.parameters.clone(),
        args: (0..launch.args.len())
            .map(|place| launch.passed.get(place).cloned().unwrap_or_default())
            .collect(),
        values: launch.args.iter().map(number).collect(),
        maps: launch.args.iter().map(map).collect(),
        bytes: launch.args.iter().map(bytes).collect(),
    }
}
