//! The program's door: arguments in, exit code out.
fn main() {}
