//! Large programs of unusual shapes, which once took minutes or gigabytes before the first step;
//! `benches/simulate.rs` measures the times.

use matviz::analysis::vectorise::{NoteKind, SmemVectorisation};
use matviz::sim::{Program, lower};
use ptx::parse;
use std::fmt::Write;

/// A kernel with this number of registers, all written, followed by `body`.
fn kernel(registers: usize, body: &str) -> Program {
    let mut text = format!(
        ".version 7.8\n.target sm_80\n.address_size 64\n.visible .entry k(.param .u64 C)\n{{\n\
         .shared .align 4 .b8 s[4096];\n.reg .b32 %r<{registers}>;\n.reg .b64 %rd<2>;\n\
         .reg .pred %p<2>;\nld.param.u64 %rd1, [C];\nmov.u32 %r0, %tid.x;\n\
         setp.gt.u32 %p1, %r0, 1000;\n"
    );
    for number in 1..registers {
        let _ = writeln!(text, "mov.u32 %r{number}, %r{};", number - 1);
    }
    let _ = write!(text, "{body}\nst.global.u32 [%rd1], %r0;\nret;\n}}");
    let module = parse(&text).unwrap_or_else(|errors| panic!("{errors:?}"));
    lower(&module, "k").unwrap_or_else(|error| panic!("{error:?}"))
}

/// Control flows from the last block of the text up to the first, with all registers live.
#[test]
fn registers_that_are_alive_through_many_blocks_are_placed() {
    let mut body = "bra L999;\nL0:\n".to_owned();
    for number in 1..1000 {
        let _ = writeln!(body, "add.u32 %r0, %r0, %r{number};");
    }
    body += "st.global.u32 [%rd1], %r0;\nret;\n";
    for block in 1..1000 {
        let _ = writeln!(body, "L{block}: @%p1 bra L{0}; bra L{0};", block - 1);
    }
    let program = kernel(1000, &body);
    assert_eq!(program.insts.len(), 3 + 999 + 1 + 999 + 2 + 2 * 999 + 2 + 1);
}

/// Thousands of back edges to one place.
#[test]
fn a_loop_of_many_ends_is_one_loop() {
    let program =
        kernel(2, &format!("TOP: st.shared.u32 [s], %r0;\n{}", "@%p1 bra TOP;\n".repeat(8000)));
    assert!(SmemVectorisation::of(&program).joins.is_empty());
}

/// The values known for all registers before each block would take gigabytes.
#[test]
fn what_is_too_much_to_keep_is_said_to_be_too_intricate() {
    let mut body = "st.shared.u32 [s], %r0;\n".to_owned();
    for block in 0..6000 {
        let _ = writeln!(body, "@%p1 bra L{block};\nL{block}:");
    }
    let joins = SmemVectorisation::of(&kernel(4000, &body));
    let notes: Vec<_> = joins.notes.iter().map(|note| note.kind).collect();
    assert_eq!(notes, [NoteKind::Unknown]);
}
