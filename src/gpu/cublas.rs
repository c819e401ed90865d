//! cuBLAS's float32 and half-precision products: the reference for large sizes, and a library to
//! compare kernels with.

use super::library::{self, CUBLAS, LoadedLibrary};
use crate::matrix::{Precision, Size};
use crate::timing::GpuError;
use std::ffi::{c_int, c_void};

type Handle = *mut c_void;
type Create = unsafe extern "C" fn(*mut Handle) -> c_int;
type Destroy = unsafe extern "C" fn(Handle) -> c_int;
type Property = unsafe extern "C" fn(c_int, *mut c_int) -> c_int;
type Sgemm = unsafe extern "C" fn(
    Handle,
    c_int,
    c_int,
    c_int,
    c_int,
    c_int,
    *const f32,
    *const c_void,
    c_int,
    *const c_void,
    c_int,
    *const f32,
    *mut c_void,
    c_int,
) -> c_int;

type GemmEx = unsafe extern "C" fn(
    Handle,
    c_int,
    c_int,
    c_int,
    c_int,
    c_int,
    *const f32,
    *const c_void,
    c_int,
    c_int,
    *const c_void,
    c_int,
    c_int,
    *const f32,
    *mut c_void,
    c_int,
    c_int,
    c_int,
    c_int,
) -> c_int;

/// `CUDA_R_32F` and `CUDA_R_16F` of library_types.h.
const FLOAT32: c_int = 0;
const FLOAT16: c_int = 2;

/// `CUBLAS_COMPUTE_32F`: products and sums in float32. The scalars are then float32 as well.
const SUMS_IN_FLOAT32: c_int = 68;

/// `CUBLAS_GEMM_DEFAULT`: cuBLAS chooses the algorithm.
const ITS_CHOICE: c_int = -1;

/// `CUBLAS_OP_N`: the matrix is not transposed.
const AS_IT_LIES: c_int = 0;

/// A cuBLAS handle, for the CUDA context in which it was opened, on that context's default stream.
pub(super) struct Cublas {
    found: LoadedLibrary,
    handle: Handle,
}

/// The addresses of A, B and C on the GPU.
#[derive(Clone, Copy, Debug)]
pub(super) struct Addresses {
    pub(super) a: u64,
    pub(super) b: u64,
    pub(super) c: u64,
}

/// Loads only the library; `None` if this machine does not have it.
pub(super) fn find() -> Result<Option<LoadedLibrary>, GpuError> {
    library::open(&CUBLAS)
}

/// The library's version: (major, minor, patch).
pub(super) fn version(found: &LoadedLibrary) -> Option<(c_int, c_int, c_int)> {
    // SAFETY: the type that cublas_api.h gives to this function.
    let property = unsafe { found.library.get::<Property>(b"cublasGetProperty\0") }.ok()?;
    let part = |which| {
        let mut value = 0;
        // SAFETY: a property of library_types.h (0 to 2) and a valid place for an int.
        (unsafe { property(which, &raw mut value) } == 0).then_some(value)
    };
    Some((part(0)?, part(1)?, part(2)?))
}

impl Cublas {
    /// Opens cuBLAS in the current CUDA context.
    pub(super) fn open() -> Result<Self, GpuError> {
        let found = find()?.ok_or(GpuError::NoCublas)?;
        let mut handle = std::ptr::null_mut();
        // SAFETY: the type that cublas_api.h gives to this function.
        let create = unsafe { found.library.get::<Create>(b"cublasCreate_v2\0") };
        let create = create.map_err(|error| failed("opening cuBLAS", &error.to_string()))?;
        // SAFETY: a CUDA context is current, and the handle has a valid place.
        check("opening cuBLAS", unsafe { create(&raw mut handle) })?;
        Ok(Self { found, handle })
    }

    /// Queues C = A x B, with A and B in this precision.
    ///
    /// cuBLAS is column-major. Read so, our row-major A, B and C are their transposes, and C^T =
    /// B^T x A^T: the factors change places and nothing is transposed.
    pub(super) fn multiply(
        &self,
        precision: Precision,
        size: Size,
        at: Addresses,
    ) -> Result<(), GpuError> {
        match precision {
            Precision::Single => self.sgemm(size, at),
            Precision::Half => self.gemm_ex(size, at),
        }
    }

    /// A new handle has the default math mode: float32, without TF32.
    fn sgemm(&self, size: Size, at: Addresses) -> Result<(), GpuError> {
        let doing = "running cuBLAS SGEMM";
        // SAFETY: the type that cublas_api.h gives to this function.
        let sgemm = unsafe { self.found.library.get::<Sgemm>(b"cublasSgemm_v2\0") };
        let sgemm = sgemm.map_err(|error| failed(doing, &error.to_string()))?;
        let [m, n, k] = [size.m, size.n, size.k].map(|side| side as c_int);
        let (one, zero, plain) = (1.0, 0.0, AS_IT_LIES);
        let [a, b, c] = [at.a, at.b, at.c].map(|address| address as *mut c_void);
        // SAFETY: the three buffers hold M x K, K x N and M x N floats; the scalars outlive the call.
        let status = unsafe {
            sgemm(
                self.handle,
                plain,
                plain,
                n,
                m,
                k,
                &raw const one,
                b,
                n,
                a,
                k,
                &raw const zero,
                c,
                n,
            )
        };
        check(doing, status)
    }

    fn gemm_ex(&self, size: Size, at: Addresses) -> Result<(), GpuError> {
        let doing = "running cuBLAS GemmEx on halves";
        // SAFETY: the type that cublas_api.h gives to this function.
        let gemm = unsafe { self.found.library.get::<GemmEx>(b"cublasGemmEx\0") };
        let gemm = gemm.map_err(|error| failed(doing, &error.to_string()))?;
        let [m, n, k] = [size.m, size.n, size.k].map(|side| side as c_int);
        let (one, zero, plain) = (1.0, 0.0, AS_IT_LIES);
        let [a, b, c] = [at.a, at.b, at.c].map(|address| address as *mut c_void);
        // SAFETY: two buffers hold M x K and K x N halves, one M x N floats; the scalars outlive
        // the call.
        let status = unsafe {
            gemm(
                self.handle,
                plain,
                plain,
                n,
                m,
                k,
                &raw const one,
                b,
                FLOAT16,
                n,
                a,
                FLOAT16,
                k,
                &raw const zero,
                c,
                FLOAT32,
                n,
                SUMS_IN_FLOAT32,
                ITS_CHOICE,
            )
        };
        check(doing, status)
    }
}

impl Drop for Cublas {
    fn drop(&mut self) {
        // SAFETY: the type that cublas_api.h gives to this function.
        if let Ok(destroy) = unsafe { self.found.library.get::<Destroy>(b"cublasDestroy_v2\0") } {
            // SAFETY: the handle is live and is not used again.
            unsafe { destroy(self.handle) };
        }
    }
}

fn check(doing: &str, status: c_int) -> Result<(), GpuError> {
    if status == 0 { Ok(()) } else { Err(failed(doing, &format!("cublasStatus {status}"))) }
}

fn failed(doing: &str, reason: &str) -> GpuError {
    GpuError::Driver { doing: doing.to_owned(), reason: reason.to_owned() }
}
