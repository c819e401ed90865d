//! `.file` and `.loc`: which line of the CUDA source an instruction comes from.

/// A place in the CUDA source.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Loc {
    /// The number of its `.file` directive.
    pub file: u32,
    /// Counted from 1; 0 where the compiler names none (address set-up).
    pub line: u32,
}

impl Loc {
    /// The place of a `.loc`, seen from the kernel's own file.
    ///
    /// Inlined code says where it was inlined (`.loc 3 190 23, function_name $L, inlined_at 3 219 9`);
    /// the caller's line is the one that a reader of the kernel wants, unless the callee stands in
    /// the kernel's file as well.
    pub const fn resolve(own: Self, inlined_at: Option<Self>) -> Self {
        match inlined_at {
            Some(caller) if own.file != 1 => caller,
            Some(_) | None => own,
        }
    }
}
