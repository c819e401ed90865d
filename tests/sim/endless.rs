//! Loops without an end are proved to have none, and no others.

use matviz::analysis::grid;
use matviz::launch::{Dim3, Launch};
use matviz::sim::{Fault, FaultKind, Machine, Memory, Order, Repeats, lower};
use std::sync::Arc;

/// Runs two blocks of 64 threads: `%t` is the thread, `%w` the warp, `%b` the block, and `%c` the
/// address of 16 KiB of zeros. A loop starts at `ROUND` and is left at `DONE`.
fn run(body: &str, order: &Order) -> Result<(), Fault> {
    issued(body, order).map(|_| ())
}

/// The same; returns the number of instructions of all warps.
fn issued(body: &str, order: &Order) -> Result<u64, Fault> {
    let text = format!(
        ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k(.param .u64 C)\n{{\n\
         .shared .align 4 .b8 s[64];\n.local .align 4 .b8 l[16];\n.reg .pred %p, %q;\n\
         .reg .u32 %n, %m, %t, %w, %b;\n.reg .f32 %f;\n.reg .u64 %c;\n\
         ld.param.u64 %c, [C];\nmov.u32 %t, %tid.x;\nshr.u32 %w, %t, 5;\nmov.u32 %b, %ctaid.x;\n\
         mov.u32 %n, 0;\nmov.f32 %f, 0f00000000;\nst.volatile.shared.u32 [s], 0;\n\
         st.volatile.local.u32 [l], 0;\nbar.sync 0;\n{body}\nDONE: ret;\n}}\n"
    );
    let module = ptx::parse(&text).unwrap_or_else(|errors| panic!("{body}: {errors:?}"));
    let program = Arc::new(lower(&module, "k").unwrap());
    let mut memory = Memory::new();
    let params = memory.add("C", &[0.0; 4096]).to_le_bytes();
    let launch = Launch { grid: Dim3::flat(2, 1), block: Dim3::flat(64, 1) };
    let machine = |block| {
        let program = Arc::clone(&program);
        Machine::new(program, launch, block, &params, memory.clone(), order.clone())
    };
    grid::run(launch, machine).map(|counters| counters.ptx.warp_instructions)
}

fn orders() -> [Order; 3] {
    [Order::RoundRobin, Order::ToBarrier, Order::ByPhase]
}

/// Each of these has hung a GPU.
#[test]
fn a_loop_that_returns_to_its_state_is_proved_to_have_no_end() {
    let loops = [
        "ROUND: bra ROUND;",
        // A step of 0 below a sum that grows.
        "ROUND: add.f32 %f, %f, 0f3f800000; add.u32 %n, %n, 0;\nsetp.lt.u32 %p, %n, 9;\n\
         @%p bra ROUND; st.global.f32 [%c], %f;",
        // A flag in shared memory that nobody sets.
        "ROUND: ld.volatile.shared.u32 %n, [s];\nsetp.eq.u32 %p, %n, 0; @%p bra ROUND;",
        // Only thread 0 leaves, which the others do not do at the barrier.
        "ROUND: bar.sync 0; setp.ne.u32 %p, %t, 64; @%p bra ROUND;",
        // Each warp waits for the word that the other sets afterwards.
        "shl.b32 %m, %w, 2; mov.u32 %n, s; add.u32 %m, %m, %n; xor.b32 %n, %m, 4;\n\
         st.volatile.shared.u32 [s+4], 0; bar.sync 0;\n\
         ROUND: ld.volatile.shared.u32 %b, [%n]; setp.eq.u32 %p, %b, 0; @%p bra ROUND;\n\
         st.volatile.shared.u32 [%m], 1;",
        // The shared word goes round through four values.
        "ROUND: ld.volatile.shared.u32 %n, [s]; add.u32 %n, %n, 1; and.b32 %n, %n, 3;\n\
         bar.sync 0; st.volatile.shared.u32 [s], %n; bar.sync 0;\n\
         setp.lt.u32 %p, %n, 9; @%p bra ROUND;",
    ];
    for (body, order) in loops.iter().flat_map(|body| orders().map(|order| (*body, order))) {
        let fault = run(body, &order).expect_err(body);
        let FaultKind::NoEnd(issued, Some(Repeats::Always)) = fault.kind else {
            panic!("{body}: {fault} ({order})");
        };
        assert!(issued < 1 << 17, "{body}: only after {issued} instructions");
    }
}

#[test]
fn a_wait_for_global_memory_is_proved_unless_another_block_writes() {
    let loops = [
        "ROUND: ld.volatile.global.u32 %n, [%c]; setp.eq.u32 %p, %n, 0; @%p bra ROUND;",
        // A lock that its first owner keeps.
        "setp.ne.u32 %q, %t, 0; @%q bra DONE;\n\
         ROUND: atom.global.cas.b32 %n, [%c], 0, 1; setp.ne.u32 %p, %n, 0; @%p bra ROUND;\n\
         KEPT: atom.global.cas.b32 %n, [%c], 0, 1; setp.ne.u32 %p, %n, 0; @%p bra KEPT;",
    ];
    for (body, order) in loops.iter().flat_map(|body| orders().map(|order| (*body, order))) {
        let fault = run(body, &order).expect_err(body);
        let FaultKind::NoEnd(_, Some(Repeats::UnlessWritten(words))) = &fault.kind else {
            panic!("{body}: {fault} ({order})");
        };
        let value = u32::from(body.contains("KEPT"));
        assert_eq!(words.iter().map(|word| word.1).collect::<Vec<_>>(), [value], "{body}");
    }
}

/// What a loop counts in memory while it waits decides nothing.
#[test]
fn a_wait_that_counts_in_memory_is_proved() {
    let body = "ROUND: ld.global.u32 %m, [%c+4]; add.u32 %m, %m, 1; st.global.u32 [%c+4], %m;\n\
                ld.volatile.global.u32 %n, [%c]; setp.eq.u32 %p, %n, 0; @%p bra ROUND;";
    let fault = run(body, &Order::RoundRobin).expect_err(body);
    let FaultKind::NoEnd(issued, Some(Repeats::UnlessWritten(words))) = &fault.kind else {
        panic!("{fault}");
    };
    assert!(*issued < 1 << 17 && words.len() == 1, "{issued} {words:?}");
}

/// What one round stores, a later one loads and ends by: at once, or by way of shared memory.
#[test]
fn a_loop_that_what_it_stores_ends_is_not_called_endless() {
    let count = "ROUND: ld.global.u32 %m, [%c+4]; add.u32 %m, %m, 1; st.global.u32 [%c+4], %m;";
    let loops = [
        format!("{count} ld.global.u32 %n, [%c+4]; setp.lt.u32 %p, %n, 60000; @%p bra ROUND;"),
        format!(
            "{count} setp.ge.u32 %q, %m, 60000; selp.u32 %b, 1, 0, %q; st.volatile.shared.u32 [s], %b;\n\
             ld.volatile.shared.u32 %n, [s]; setp.eq.u32 %p, %n, 0; @%p bra ROUND;"
        ),
    ];
    for (body, order) in loops.iter().flat_map(|body| orders().map(move |order| (body, order))) {
        run(body, &order).unwrap_or_else(|fault| panic!("{body}: {fault} ({order})"));
    }
}

/// None of them is ever again in a state in which it was before, or only after 2^32 rounds.
#[test]
fn a_loop_that_counts_past_its_end_is_proved_to_have_none() {
    let loops = [
        // An unsigned number is never below 0.
        "ROUND: ld.global.u32 %m, [%c]; add.u32 %m, %m, %n; st.global.u32 [%c+4], %m;\n\
         add.u32 %n, %n, 4294967295; setp.ge.u32 %p, %n, 0; @%p bra ROUND;",
        // Even numbers only, and the end is odd.
        "ROUND: add.u32 %n, %n, 2; setp.ne.u32 %p, %n, 101; @%p bra ROUND;",
        // Two counters whose distance is odd and changes by 6.
        "mov.u32 %m, 77;\n\
         ROUND: add.u32 %n, %n, 2; add.u32 %m, %m, 4294967292;\n\
         setp.ne.u32 %p, %n, %m; @%p bra ROUND;",
        // A sum that stalls far below its end, with a barrier in each round.
        "ROUND: bar.sync 0; add.f32 %f, %f, 0f3f800000;\n\
         setp.lt.f32 %p, %f, 0f4e6e6b28; @%p bra ROUND;",
        // The same, compared before it is added to.
        "ROUND: setp.gt.f32 %p, %f, 0f4e6e6b28; @%p bra DONE; add.f32 %f, %f, 0f40400000; bra ROUND;",
        // Each lane from a number of its own, and an inner loop that ends.
        "mov.u32 %n, %t;\n\
         ROUND: mov.u32 %m, 0;\n\
         INNER: add.u32 %m, %m, 1; setp.lt.u32 %q, %m, 5; @%q bra INNER;\n\
         shl.b32 %b, %n, 3; add.u32 %b, %b, 4; add.u32 %n, %n, 3;\n\
         setp.ne.u32 %p, %b, 1; @%p bra ROUND;",
    ];
    for body in loops {
        let fault = run(body, &Order::RoundRobin).expect_err(body);
        let FaultKind::NoEnd(issued, Some(Repeats::Evenly)) = fault.kind else {
            panic!("{body}: {fault}");
        };
        assert!(issued < 1 << 22, "{body}: only after {issued} instructions");
    }
}

/// It wraps around, and ends then: that is not called endless, but nobody waits for it.
#[test]
fn a_loop_that_lasts_beyond_the_budget_is_stopped_before_it_is_spent() {
    let body = "ROUND: add.u32 %n, %n, 4294967295; setp.lt.s32 %p, %n, 100; @%p bra ROUND;";
    let fault = run(body, &Order::RoundRobin).expect_err(body);
    let FaultKind::NoEnd(issued, Some(Repeats::AtLeast(more))) = fault.kind else {
        panic!("{fault}");
    };
    assert!(issued < 1 << 20, "only after {issued} instructions");
    let rounds = (1_u64 << 31) - issued / 2 / 3;
    assert!(more.abs_diff(3 * rounds) < 10_000, "{more}, not {}", 3 * rounds);
}

/// What changes from round to round is in one place only: whoever overlooks it sees no end.
#[test]
fn a_loop_that_takes_long_ends() {
    let loops = [
        "ROUND: add.u32 %n, %n, 1; setp.lt.u32 %p, %n, 40000; @%p bra ROUND;",
        "ROUND: add.f32 %f, %f, 0f3f800000;\nsetp.lt.f32 %p, %f, 0f471c4000; @%p bra ROUND;",
        "ROUND: ld.volatile.local.u32 %n, [l]; add.u32 %n, %n, 1;\n\
         st.volatile.local.u32 [l], %n; setp.lt.u32 %p, %n, 20000; @%p bra ROUND;",
        "ROUND: ld.volatile.shared.u32 %n, [s]; add.u32 %n, %n, 1; bar.sync 0;\n\
         st.volatile.shared.u32 [s], %n; bar.sync 0;\nsetp.lt.u32 %p, %n, 20000; @%p bra ROUND;",
        "ROUND: atom.shared.add.u32 %n, [s], 1; setp.lt.u32 %p, %n, 900000; @%p bra ROUND;",
        "mad.wide.u32 %c, %t, 4, %c; mad.wide.u32 %c, %b, 256, %c;\n\
         ROUND: ld.volatile.global.u32 %n, [%c]; add.u32 %n, %n, 1;\n\
         st.volatile.global.u32 [%c], %n; setp.lt.u32 %p, %n, 20000; @%p bra ROUND;",
        "ROUND: atom.global.add.u32 %n, [%c], 1; setp.lt.u32 %p, %n, 2000000; @%p bra ROUND;",
        // These wrap around.
        "mov.u32 %n, 4294867296;\n\
         ROUND: add.u32 %n, %n, 1; setp.ne.u32 %p, %n, 0; @%p bra ROUND;",
        "ROUND: add.u32 %n, %n, 65537;\n\
         setp.ne.u32 %p, %n, 2258732704; @%p bra ROUND;",
        "mov.u32 %n, 2147383648; ROUND: add.u32 %n, %n, 1;\n\
         setp.gt.s32 %p, %n, 0; @%p bra ROUND;",
        "ROUND: add.f32 %f, %f, 0f3f800000; setp.lt.f32 %p, %f, 0f48435000; @%p bra ROUND;",
        // Nothing moves evenly.
        "mov.u32 %n, 837799; mov.u32 %b, 0;\n\
         ROUND: and.b32 %m, %n, 1; setp.eq.u32 %q, %m, 0; @%q bra EVEN;\n\
         mul.lo.u32 %n, %n, 3; add.u32 %n, %n, 1; bra NEXT; EVEN: shr.u32 %n, %n, 1;\n\
         NEXT: setp.ne.u32 %p, %n, 1; @%p bra ROUND;\n\
         add.u32 %b, %b, 1; mov.u32 %n, 837799; setp.lt.u32 %p, %b, 200; @%p bra ROUND;",
        // Warp 0 waits for the flag that warp 1 sets after it has counted.
        "setp.eq.u32 %q, %w, 0; @%q bra WAIT;\n\
         ROUND: add.u32 %n, %n, 1; setp.lt.u32 %p, %n, 40000; @%p bra ROUND;\n\
         st.volatile.shared.u32 [s], 1; bra DONE;\n\
         WAIT: ld.volatile.shared.u32 %n, [s]; setp.eq.u32 %p, %n, 0; @%p bra WAIT;",
        // Block 1 waits for block 0.
        "setp.eq.u32 %q, %b, 1; @%q bra WAIT;\n\
         ROUND: add.u32 %n, %n, 1; setp.lt.u32 %p, %n, 200000; @%p bra ROUND;\n\
         st.volatile.global.u32 [%c], 1; bra DONE;\n\
         WAIT: ld.volatile.global.u32 %n, [%c]; setp.eq.u32 %p, %n, 0; @%p bra WAIT;",
    ];
    for body in loops {
        assert_eq!(run(body, &Order::ToBarrier), Ok(()), "{body}");
    }
}

/// Who spins lets the others go first: lanes of its warp, and other warps.
#[test]
fn a_lock_that_every_thread_takes_is_given_back_soon() {
    let take = |lock: &str| {
        format!(
            "TAKE: atom.{lock}.cas.b32 %n, [{0}], 0, 1; setp.ne.u32 %p, %n, 0; @%p bra TAKE;\n\
             mov.u32 %m, 0;\n\
             HOLD: add.u32 %m, %m, 1; setp.lt.u32 %q, %m, 100; @%q bra HOLD;\n\
             atom.{lock}.exch.b32 %n, [{0}], 0;",
            if lock == "shared" { "s" } else { "%c" }
        )
    };
    let own = "mad.wide.u32 %c, %b, 4, %c;\n";
    let orders = orders().into_iter().chain([Order::Random(1), Order::InStep([].into())]);
    for order in orders {
        for body in [take("shared"), format!("{own}{}", take("global"))] {
            let issued = issued(&body, &order).expect("it ends");
            // Each of 128 threads holds it for some 300 instructions.
            assert!(issued < 100_000, "{body}: {issued} instructions ({order})");
        }
    }
}

/// Warp 0 spins, and lets warp 1 go first, which then waits for it in a loop that does not look like
/// one that waits.
#[test]
fn who_lets_others_go_first_does_so_for_a_while_only() {
    let body = "st.volatile.shared.u32 [s+4], 0; bar.sync 0;\n\
         setp.eq.u32 %q, %w, 0; @%q bra WAIT; mov.u32 %m, 0;\n\
         HOLD: add.u32 %m, %m, 1; setp.lt.u32 %p, %m, 99; @%p bra HOLD;\n\
         st.volatile.shared.u32 [s], 1;\n\
         ROUND: atom.shared.add.u32 %n, [s+4], 0; setp.eq.u32 %p, %n, 0; @%p bra ROUND; bra DONE;\n\
         WAIT: ld.volatile.shared.u32 %n, [s]; setp.eq.u32 %p, %n, 0; @%p bra WAIT;\n\
         st.volatile.shared.u32 [s+4], 1;";
    assert_eq!(run(body, &Order::RoundRobin), Ok(()));
}

/// Nothing but an address changes: it leaves its buffer at last.
#[test]
fn a_loop_that_runs_into_a_fault_is_not_endless() {
    let body = "ROUND: ld.global.u8 %n, [%c]; add.u64 %c, %c, 1; bra ROUND;";
    let fault = run(body, &Order::RoundRobin).expect_err("the buffer ends");
    assert!(matches!(fault.kind, FaultKind::OutOfBounds { .. }), "{fault}");
}
