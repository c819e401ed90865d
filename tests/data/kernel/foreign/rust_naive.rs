// A kernel in Rust for the target nvptx64-nvidia-cuda, without its core library: what is needed of
// it is spelt out first. Two rows of C for each thread.
// compile: rustc 1.97.0-nightly (2026-05-19) --target nvptx64-nvidia-cuda -O -C target-cpu=sm_70 -C debuginfo=line-tables-only --emit asm; debug sections taken away
// launch: <<<3x3,16x8>>>(A,B,C,M,N,K) --size 41x40x33
// result: chain

#![feature(no_core, lang_items, abi_ptx, intrinsics, rustc_attrs, link_llvm_intrinsics, auto_traits)]
#![no_core]
#![crate_type = "lib"]
#![allow(internal_features)]

#[lang = "pointee_sized"]
trait PointeeSized {}
#[lang = "meta_sized"]
trait MetaSized: PointeeSized {}
#[lang = "sized"]
trait Sized: MetaSized {}
#[lang = "copy"]
trait Copy {}
#[lang = "freeze"]
unsafe auto trait Freeze {}
#[lang = "legacy_receiver"]
trait Receiver {}
impl<T: PointeeSized> Receiver for &T {}
impl Copy for u32 {}
impl Copy for f32 {}
impl Copy for isize {}
impl Copy for bool {}
impl<T: PointeeSized> Copy for *const T {}
impl<T: PointeeSized> Copy for *mut T {}

#[lang = "add"]
trait Add<Rhs = Self> {
    type Output;
    fn add(self, rhs: Rhs) -> Self::Output;
}
#[lang = "mul"]
trait Mul<Rhs = Self> {
    type Output;
    fn mul(self, rhs: Rhs) -> Self::Output;
}
#[lang = "eq"]
trait PartialEq<Rhs: PointeeSized = Self>: PointeeSized {
    fn eq(&self, other: &Rhs) -> bool;
    fn ne(&self, other: &Rhs) -> bool;
}
#[lang = "partial_ord"]
trait PartialOrd<Rhs: PointeeSized = Self>: PartialEq<Rhs> {
    fn lt(&self, other: &Rhs) -> bool;
    fn le(&self, other: &Rhs) -> bool;
    fn gt(&self, other: &Rhs) -> bool;
    fn ge(&self, other: &Rhs) -> bool;
}
impl Add for u32 {
    type Output = u32;
    fn add(self, rhs: u32) -> u32 {
        self + rhs
    }
}
impl Mul for u32 {
    type Output = u32;
    fn mul(self, rhs: u32) -> u32 {
        self * rhs
    }
}
impl PartialEq for u32 {
    fn eq(&self, other: &u32) -> bool {
        *self == *other
    }
    fn ne(&self, other: &u32) -> bool {
        *self != *other
    }
}
impl PartialOrd for u32 {
    fn lt(&self, other: &u32) -> bool {
        *self < *other
    }
    fn le(&self, other: &u32) -> bool {
        *self <= *other
    }
    fn gt(&self, other: &u32) -> bool {
        *self > *other
    }
    fn ge(&self, other: &u32) -> bool {
        *self >= *other
    }
}

#[rustc_intrinsic]
unsafe fn offset<P, D>(pointer: P, by: D) -> P;
#[rustc_intrinsic]
fn fmaf32(a: f32, b: f32, c: f32) -> f32;

unsafe extern "C" {
    #[link_name = "llvm.nvvm.read.ptx.sreg.tid.x"]
    fn thread_x() -> u32;
    #[link_name = "llvm.nvvm.read.ptx.sreg.tid.y"]
    fn thread_y() -> u32;
    #[link_name = "llvm.nvvm.read.ptx.sreg.ctaid.x"]
    fn block_x() -> u32;
    #[link_name = "llvm.nvvm.read.ptx.sreg.ctaid.y"]
    fn block_y() -> u32;
    #[link_name = "llvm.nvvm.read.ptx.sreg.ntid.x"]
    fn across() -> u32;
    #[link_name = "llvm.nvvm.read.ptx.sreg.ntid.y"]
    fn down() -> u32;
}

#[inline(always)]
unsafe fn at(matrix: *const f32, index: u32) -> f32 {
    unsafe { *offset(matrix, index as isize) }
}

#[unsafe(no_mangle)]
pub unsafe extern "ptx-kernel" fn rust_naive(
    a: *const f32,
    b: *const f32,
    c: *mut f32,
    m: u32,
    n: u32,
    k: u32,
) {
    unsafe {
        let col = block_x() * across() + thread_x();
        let mut row = (block_y() * down() + thread_y()) * 2;
        let end = row + 2;
        while row < end {
            if row < m {
                if col < n {
                    let mut sum = 0.0f32;
                    let mut i = 0u32;
                    while i < k {
                        sum = fmaf32(at(a, row * k + i), at(b, i * n + col), sum);
                        i = i + 1;
                    }
                    *offset(c, (row * n + col) as isize) = sum;
                }
            }
            row = row + 1;
        }
    }
}
