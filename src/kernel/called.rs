//! What the host's code says of the arguments of a launch.

/// The arguments with which the host's code launches a kernel, as far as they are known.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Called {
    /// Those that are numbers, as words of `--launch`.
    pub words: Vec<Option<String>>,
    /// The bytes that the host has allocated for those that are pointers.
    pub bytes: Vec<Option<u64>>,
}

impl Called {
    /// The number at a place.
    pub(super) fn word(&self, place: usize) -> Option<&String> {
        self.words.get(place)?.as_ref()
    }

    /// The bytes behind the pointer at a place.
    pub(super) fn bytes(&self, place: usize) -> Option<u64> {
        self.bytes.get(place).copied().flatten()
    }
}
