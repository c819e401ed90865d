//! NCCL: broadcasts a matrix from the first GPU to all.

use super::library::{self, LoadedLibrary, NCCL};
use crate::timing::GpuError;
use std::ffi::{CStr, c_char, c_int, c_void};
use std::sync::OnceLock;

type Comm = *mut c_void;
type GetUniqueId = unsafe extern "C" fn(*mut NcclId) -> c_int;
type InitRank = unsafe extern "C" fn(*mut Comm, c_int, NcclId, c_int) -> c_int;
type Broadcast = unsafe extern "C" fn(
    *const c_void,
    *mut c_void,
    usize,
    c_int,
    c_int,
    Comm,
    *mut c_void,
) -> c_int;
type Destroy = unsafe extern "C" fn(Comm) -> c_int;
type ErrorString = unsafe extern "C" fn(c_int) -> *const c_char;

/// `ncclFloat32` of nccl.h.
const FLOAT32: c_int = 7;

/// The rank that has the matrix at first.
const ROOT: c_int = 0;

/// The identifier by which the members of a communicator find each other (`ncclUniqueId`).
#[repr(C)]
#[derive(Clone, Copy)]
pub(super) struct NcclId([c_char; 128]);

impl Default for NcclId {
    fn default() -> Self {
        Self([0; 128])
    }
}

/// A place in a communicator.
#[derive(Clone, Copy)]
pub(super) struct Rank {
    pub(super) id: NcclId,
    /// The number of ranks.
    pub(super) of: u32,
    /// This rank's number, counted from 0.
    pub(super) number: u32,
}

/// One GPU's handle of the communicator, in the CUDA context in which it joined.
pub(super) struct Communicator {
    nccl: &'static LoadedLibrary,
    comm: Comm,
}

/// The library. It starts threads that run as long as the process does, so it is never unloaded:
/// unloading it too early crashed the process.
fn nccl() -> Result<&'static LoadedLibrary, GpuError> {
    static NEVER_CLOSED: OnceLock<Result<Option<LoadedLibrary>, GpuError>> = OnceLock::new();
    match NEVER_CLOSED.get_or_init(|| library::open(&NCCL)) {
        Ok(Some(found)) => Ok(found),
        Ok(None) => Err(GpuError::NoNccl),
        Err(error) => Err(error.clone()),
    }
}

/// A new communicator's identifier.
///
/// # Errors
/// [`GpuError::NoNccl`], or NCCL's error.
pub(super) fn circle() -> Result<NcclId, GpuError> {
    let found = nccl()?;
    let mut id = NcclId::default();
    // SAFETY: the type that nccl.h gives to this function.
    let get = unsafe { found.library.get::<GetUniqueId>(b"ncclGetUniqueId\0") };
    let get = get.map_err(|error| missing(&error))?;
    // SAFETY: a valid place for an id.
    check(found, "naming the circle of GPUs", unsafe { get(&raw mut id) })?;
    Ok(id)
}

impl Communicator {
    /// Joins, in the current CUDA context; returns when all ranks have joined.
    pub(super) fn join(seat: Rank) -> Result<Self, GpuError> {
        let nccl = nccl()?;
        let mut comm = std::ptr::null_mut();
        // SAFETY: the type that nccl.h gives to this function.
        let init = unsafe { nccl.library.get::<InitRank>(b"ncclCommInitRank\0") };
        let init = init.map_err(|error| missing(&error))?;
        let Rank { id, of, number } = seat;
        // SAFETY: a CUDA context is current, the id is NCCL's own, and `comm` has a valid place.
        let status = unsafe { init(&raw mut comm, of as c_int, id, number as c_int) };
        check(nccl, "joining the circle of GPUs", status)?;
        Ok(Self { nccl, comm })
    }

    /// Queues on `stream` a broadcast of the first GPU's floats at its `address` to `address` on
    /// this one.
    ///
    /// Every rank calls it, each with its own address and the same number of floats.
    pub(super) fn broadcast(
        &self,
        address: u64,
        floats: usize,
        stream: *mut c_void,
    ) -> Result<(), GpuError> {
        // SAFETY: the type that nccl.h gives to this function.
        let broadcast = unsafe { self.nccl.library.get::<Broadcast>(b"ncclBroadcast\0") };
        let broadcast = broadcast.map_err(|error| missing(&error))?;
        let buffer = address as *mut c_void;
        // SAFETY: `buffer` holds that number of floats on this GPU, and the stream belongs to this
        // context.
        let status = unsafe { broadcast(buffer, buffer, floats, FLOAT32, ROOT, self.comm, stream) };
        check(self.nccl, "sending B to the other GPUs", status)
    }
}

impl Drop for Communicator {
    fn drop(&mut self) {
        // SAFETY: the type that nccl.h gives to this function.
        if let Ok(destroy) = unsafe { self.nccl.library.get::<Destroy>(b"ncclCommDestroy\0") } {
            // SAFETY: the communicator is live and is not used again.
            unsafe { destroy(self.comm) };
        }
    }
}

fn check(found: &LoadedLibrary, doing: &str, status: c_int) -> Result<(), GpuError> {
    if status == 0 {
        return Ok(());
    }
    // SAFETY: the type that nccl.h gives to this function.
    let text = unsafe { found.library.get::<ErrorString>(b"ncclGetErrorString\0") };
    let words = text.ok().map(|text| {
        // SAFETY: NCCL's strings are constants that end in NUL.
        unsafe { CStr::from_ptr(text(status)) }.to_string_lossy().into_owned()
    });
    Err(failed(doing, &words.unwrap_or_else(|| format!("ncclResult {status}"))))
}

fn missing(error: &libloading::Error) -> GpuError {
    failed("using NCCL", &error.to_string())
}

fn failed(doing: &str, reason: &str) -> GpuError {
    GpuError::Driver { doing: doing.to_owned(), reason: reason.to_owned() }
}
