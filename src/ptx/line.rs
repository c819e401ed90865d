//! `.file` and `.loc`: the line of the CUDA source that an instruction comes from.

/// A line of the CUDA source.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Loc {
    /// The number of its `.file` directive.
    pub file: u32,
    /// The line, from 1; 0 where the compiler gives none (address set-up).
    pub line: u32,
}

impl Loc {
    /// Resolves a `.loc` to the line to show to a reader of the kernel.
    ///
    /// Inlined code states where it was inlined (`.loc 3 190 23, function_name $L, inlined_at 3 219
    /// 9`). The reader wants the caller's line, unless the callee is in the kernel's own file too.
    pub const fn resolve(own: Self, inlined_at: Option<Self>) -> Self {
        match inlined_at {
            Some(caller) if own.file != 1 => caller,
            Some(_) | None => own,
        }
    }
}
