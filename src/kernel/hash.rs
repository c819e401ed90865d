//! SHA-256, which identifies PTX and results C.

use sha2::{Digest, Sha256};
use std::fmt::Write;

/// SHA-256 in hexadecimal.
pub fn sha256(bytes: &[u8]) -> String {
    hexadecimal(&Sha256::digest(bytes))
}

/// SHA-256 of little-endian float32, in hexadecimal; hashed piece by piece, since there may be
/// many.
pub fn sha256_of(values: impl IntoIterator<Item = f32>) -> String {
    let (mut hash, mut bytes) = (Sha256::new(), Vec::new());
    let mut values = values.into_iter().peekable();
    while values.peek().is_some() {
        bytes.clear();
        bytes.extend(values.by_ref().take(1 << 14).flat_map(f32::to_le_bytes));
        hash.update(&bytes);
    }
    hexadecimal(&hash.finalize())
}

fn hexadecimal(hash: &[u8]) -> String {
    hash.iter().fold(String::new(), |mut hex, byte| {
        let _ = write!(hex, "{byte:02x}");
        hex
    })
}
