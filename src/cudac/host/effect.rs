//! What the host's code does to the device, as values.

use std::sync::Arc;

/// What the host does to the device, in its order.
#[derive(Clone, Debug, Default)]
pub struct HostRun {
    pub buffers: Vec<HostBuffer>,
    pub steps: Vec<HostStep>,
    /// Whether it moves data between itself and the device: then what it never wrote is not written.
    pub copies: bool,
    /// What the host has copied back, in its order.
    pub results: Vec<DevicePlace>,
    /// Why it was not run to its end.
    pub stopped: Option<Unknown>,
    /// What was taken for what its user says, or for a condition that is not known.
    pub assumed: Vec<HostAssumption>,
}

impl HostRun {
    /// Whether it launches something, with grids, blocks and arguments that are all known.
    pub(super) fn launches_what_is_known(&self) -> bool {
        let mut launches = self.steps.iter().filter_map(|step| match step {
            HostStep::Launch(launch) => Some(launch),
            _ => None,
        });
        let is_known = |one: &HostArgument| !matches!(one, HostArgument::Unknown(_));
        let mut has_some = false;
        let all = launches.all(|one| {
            has_some = true;
            one.grid.is_ok() && one.block.is_ok() && one.args.iter().all(is_known)
        });
        has_some && all
    }
}

/// What is assumed of the host, and why.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HostAssumption {
    pub what: String,
    pub why: String,
}

/// Something that could not be evaluated.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unknown {
    pub line: u32,
    pub why: String,
}

/// An allocation of the device.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HostBuffer {
    /// The variable that it was allocated for.
    pub name: String,
    pub bytes: u64,
    /// The type of its elements, as C names it.
    pub of: String,
    pub line: u32,
}

#[derive(Clone, Debug)]
pub enum HostStep {
    Launch(Box<DeviceLaunch>),
    /// The host writes a buffer.
    Write {
        to: DevicePlace,
        data: HostData,
        line: u32,
    },
    Copy {
        from: DevicePlace,
        to: DevicePlace,
        bytes: u64,
    },
    /// What was written or copied before it is done in a stream.
    Transfer(HostTransfer),
    /// The host writes a variable of the device.
    WriteSymbol {
        name: String,
        offset: u64,
        data: HostData,
    },
    /// The host frees a buffer.
    Free {
        buffer: usize,
        line: u32,
    },
    /// Something is put in order with what streams have begun.
    Order(StreamOrder),
    /// The host compares what it has copied from the device with numbers of its own.
    Compare {
        buffer: usize,
        /// The type of the elements, as C names it.
        of: String,
        /// Offsets in bytes, each with the number.
        values: Vec<(u64, f64)>,
        line: u32,
    },
}

/// A copy, or bytes that are set, in a stream.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HostTransfer {
    /// The function that is called.
    pub call: String,
    pub line: u32,
    pub stream: u64,
    /// Where it touches buffers: how many bytes, and whether it writes them.
    pub touched: Vec<(DevicePlace, u64, bool)>,
}

/// What the host puts in order. Stream 0 is the default stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StreamOrder {
    /// The host waits for all that was launched.
    Device,
    /// The host waits for a stream.
    Stream(u64),
    /// An event is recorded in a stream.
    Record { event: u64, stream: u64 },
    /// A stream waits for an event.
    Wait { stream: u64, event: u64 },
    /// The host waits for an event.
    Event(u64),
    /// A stream is made that neither waits for the default stream nor is waited for by it.
    Apart(u64),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DevicePlace {
    pub buffer: usize,
    pub offset: u64,
}

/// Bytes that the host writes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum HostData {
    /// So many times this byte.
    Same(u8, u64),
    Bytes(Arc<[u8]>, Arc<[ByteState]>),
    /// So many bytes whose values are not known.
    Unknown(u64),
}

impl HostData {
    pub fn bytes(&self) -> u64 {
        match self {
            Self::Same(_, bytes) | Self::Unknown(bytes) => *bytes,
            Self::Bytes(bytes, _) => bytes.len() as u64,
        }
    }
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ByteState {
    #[default]
    NeverWritten,
    Known,
    Unknown,
    /// What a kernel may have left there.
    OfDevice,
}

/// A launch of a kernel with what the host gives it.
#[derive(Clone, Debug)]
pub struct DeviceLaunch {
    pub kernel: String,
    /// The arguments of its template, given or deduced; `None` for one that is not known.
    pub list: Vec<Option<String>>,
    pub line: u32,
    pub grid: Result<[u32; 3], Unknown>,
    pub block: Result<[u32; 3], Unknown>,
    pub shared: Result<u64, Unknown>,
    pub cluster: Option<[u32; 3]>,
    pub is_cooperative: bool,
    pub stream: u64,
    pub args: Vec<HostArgument>,
    /// The variables that are passed, by their names; empty for another expression.
    pub passed: Vec<String>,
    /// The names of the kernel's parameters.
    pub parameters: Vec<String>,
}

#[derive(Clone, Debug, PartialEq)]
pub enum HostArgument {
    Buffer(DevicePlace),
    /// A pointer that is null, or to memory of the host.
    NoDevice {
        is_null: bool,
    },
    Number {
        bits: u64,
        bytes: u8,
        shown: String,
    },
    /// A structure with the pointers in it, each at its offset.
    Bytes(Vec<u8>, Vec<(u32, DevicePlace)>),
    /// A tensor map, or a pointer to one.
    TensorMap(HostTensorMap),
    Unknown(Unknown),
}

/// What the driver is told of a two-dimensional tensor map.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HostTensorMap {
    /// The variable that the matrix is in.
    pub matrix: String,
    /// The type of the elements, as `CUtensorMapDataType` numbers it.
    pub of: i64,
    /// Elements of a row, and rows.
    pub extents: [i64; 2],
    /// Elements of a row of a box, and its rows.
    pub boxes: [i64; 2],
    /// As `CUtensorMapSwizzle` numbers it.
    pub swizzle: i64,
}

impl DeviceLaunch {
    /// Whether another launch does the same with the same arguments.
    pub fn is_like(&self, other: &Self) -> bool {
        let shape =
            |one: &Self| (one.line, one.grid.clone(), one.block.clone(), one.shared.clone());
        let is_same =
            (&self.kernel, &self.list, self.stream) == (&other.kernel, &other.list, other.stream);
        is_same && shape(self) == shape(other) && self.args == other.args
    }

    /// The kernel with the arguments of its template, if it has such and they are known.
    pub fn instance(&self) -> Option<String> {
        let all: Option<Vec<_>> = self.list.iter().cloned().collect();
        all.filter(|all| !all.is_empty()).map(|all| format!("{}<{}>", self.kernel, all.join(", ")))
    }
}
