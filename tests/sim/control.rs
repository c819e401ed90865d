//! Barriers, exits and edge cases of blocks.

use crate::kernel::{machine, machine_in, program, run, text};
use matviz::launch::{Dim3, Launch};
use matviz::sim::{Effect, FaultKind, Machine, Memory, Order, WarpState};

/// Every remaining thread stores 1 at its index.
const STORE: &str = ".reg .b32 one; mov.u32 one, 1; mad.wide.u32 %at, %tid, 4, %out;
                     st.global.u32 [%at], one;";

fn ones(body: &str, threads: u32) -> Result<Vec<u32>, FaultKind> {
    let program = program(&text(&format!(".reg .pred p;\n{body}")));
    run(&program, threads, &[0], threads as usize).map(|(out, _)| out).map_err(|fault| fault.kind)
}

#[test]
fn an_empty_kernel_ends() {
    assert_eq!(run(&program(&text("")), 1, &[0], 1).unwrap().1, 4);
    let bare = program(".version 7.0\n.target sm_52\n.entry k() { L: }");
    assert_eq!(run(&bare, 33, &[0], 1).unwrap().1, 2, "one step for each warp");
}

#[test]
fn a_label_behind_the_last_instruction_ends_the_thread() {
    let body = format!("setp.lt.u32 p, %tid, 3;\n@p bra END;\n{STORE}\nbra END;\nret;\nEND:");
    assert_eq!(ones(&body, 5), Ok(vec![0, 0, 0, 1, 1]));
}

#[test]
fn lanes_that_return_within_a_loop_do_not_keep_the_others_from_meeting() {
    // Lane n leaves the loop in iteration n, every fifth exits; the rest must reach the barrier
    // together.
    let body = format!(
        ".reg .b32 i, r; .reg .pred q; mov.u32 i, 0; rem.u32 r, %tid, 5;
         TOP: setp.eq.u32 p, i, %tid; setp.eq.u32 q, r, 0;
         @!p bra NEXT; @q bra END; bra DONE;
         NEXT: add.u32 i, i, 1; bra TOP;
         DONE: bar.sync 0; {STORE} END:"
    );
    let expected: Vec<_> = (0..64).map(|lane| u32::from(lane % 5 != 0)).collect();
    assert_eq!(ones(&body, 64), Ok(expected));
}

#[test]
fn lanes_that_store_and_end_do_not_hold_up_a_barrier() {
    let body = format!(
        "setp.lt.u32 p, %tid, 4;\n@p bra LOW;\nbra HIGH;\nLOW: {STORE} bra END;\n\
         HIGH: bar.sync 0;\nEND: ret;"
    );
    // The path of the lower lanes runs second, while the others wait.
    assert_eq!(ones(&body, 6), Ok(vec![1, 1, 1, 1, 0, 0]));
    let body = format!(
        "setp.lt.u32 p, %tid, 4;\n@!p bra HIGH;\n{STORE} bra END;\nHIGH: bar.sync 0;\nEND: ret;"
    );
    assert_eq!(ones(&body, 6), Ok(vec![1, 1, 1, 1, 0, 0]));
}

#[test]
fn a_guard_that_holds_nowhere_keeps_the_warp_from_the_barrier() {
    let body = format!("setp.ge.u32 p, %tid, 32;\n@p bar.sync 0;\n{STORE}");
    let out = ones(&body, 64).unwrap();
    assert_eq!(out, vec![1; 64], "the second warp waits until the first has ended");
    let body = format!("setp.ge.u32 p, %tid, 8;\n@p bar.sync 0;\n{STORE}");
    let out = ones(&body, 32).unwrap();
    assert_eq!(out, vec![1; 32], "lanes that wait do not hold up those that may pass");
}

/// The deadlock of a block: (warp, lanes, barrier) for everything that waits, and the number of
/// threads that have ended.
fn deadlock(body: &str, threads: u32) -> (Vec<(u16, u32, u8)>, u32) {
    let Err(FaultKind::Deadlock(found)) = ones(body, threads) else { panic!("no deadlock") };
    (found.standing.iter().map(|at| (at.warp, at.lanes.0, at.id)).collect(), found.ended)
}

#[test]
fn warps_at_different_barriers_wait_for_ever() {
    let body = "setp.lt.u32 p, %tid, 32;\n@p bar.sync 1;\n@!p bar.sync 2;";
    assert_eq!(deadlock(body, 64), (vec![(0, u32::MAX, 1), (1, u32::MAX, 2)], 0));
    let body = "setp.lt.u32 p, %tid, 3;\n@p bar.sync 1;\n@!p bar.sync 2;\n";
    assert_eq!(deadlock(body, 32), (vec![(0, 7, 1), (0, !7, 2)], 0));
    let body = "setp.lt.u32 p, %tid, 40;\n@p ret;\nbar.sync 1, 64;";
    assert_eq!(deadlock(body, 64), (vec![(1, u32::MAX << 8, 1)], 40), "it counts 32 threads");
    assert_eq!(ones("bar.sync 16;", 1), Err(FaultKind::NoSuchBarrier(16)));
}

#[test]
fn a_warp_that_ends_releases_those_that_wait() {
    let body = "setp.ge.u32 p, %tid, 32;\n@p ret;\nbar.sync 0;";
    let program = program(&text(&format!(".reg .pred p;\n{body}")));
    let (mut machine, _) = machine(&program, 64, &[0], 1);
    let mut effects = Vec::new();
    while let Some(step) = machine.step().unwrap() {
        effects.push(step.effect.clone());
    }
    assert_eq!(machine.interval(), 1);
    assert_eq!(machine.state(1), WarpState::Exited);
    assert!(effects.contains(&Effect::Barrier { id: 0, waits: true, threads: None }));
}

#[test]
fn impossible_blocks_are_a_fault() {
    let program = program(&text(""));
    for block in [Dim3::flat(0, 4), Dim3::flat(32, 33), Dim3::new(u32::MAX, u32::MAX, u32::MAX)] {
        let launch = Launch { grid: Dim3::flat(1, 1), block };
        let at = Dim3::flat(0, 0);
        let program = std::sync::Arc::clone(&program);
        let mut machine = Machine::new(program, launch, at, &[], Memory::new(), Order::default());
        let fault = machine.step().unwrap_err();
        assert_eq!(fault.kind, FaultKind::BlockSize(block.volume()));
    }
}

#[test]
fn narrow_parameters_are_extended_as_they_are_read() {
    let text = ".version 7.0\n.target sm_52\n.entry k(.param .u64 in, .param .u64 out)\n{\n\
                .reg .b64 %out, %wide; .reg .b32 %narrow;\n\
                ld.param.u64 %out, [out]; ld.param.s8 %narrow, [out+3]; ld.param.u16 %wide, [out+2];\n\
                st.global.u32 [%out], %narrow; st.global.u32 [%out+4], %wide;\n}";
    // The address of the second buffer has 0x00 in byte 3 and 0x0060 in bytes 2 and 3.
    let (out, _) = run(&program(text), 1, &[0], 2).unwrap();
    assert_eq!(out, [0, 0x60]);
}

/// Warp 0 produces eight numbers while warp 1 consumes the last eight, with a barrier for each
/// direction.
#[test]
fn named_barriers_take_turns_between_warps() {
    let body = "
        .shared .b32 cell[32]; .reg .b32 i, x, lane, slot, sum; .reg .pred q;
        and.b32 lane, %tid, 31; shl.b32 lane, lane, 2; mov.u32 slot, cell; add.u32 slot, slot, lane;
        mov.u32 i, 0; mov.u32 sum, 0; setp.lt.u32 q, %tid, 32;
        @!q bra TAKE;
        MAKE: bar.sync 2, 64; add.u32 x, i, %tid; st.shared.u32 [slot], x; bar.arrive 1, 64;
        add.u32 i, i, 1; setp.lt.u32 p, i, 8; @p bra MAKE; bra END;
        TAKE: bar.arrive 2, 64; bar.sync 1, 64; ld.shared.u32 x, [slot]; add.u32 sum, sum, x;
        add.u32 i, i, 1; setp.lt.u32 p, i, 8; @p bra TAKE;
        mad.wide.u32 %at, %tid, 4, %out; st.global.u32 [%at], sum;
        END: ret;";
    let program = program(&text(&format!(".reg .pred p;\n{body}")));
    let (out, _) = run(&program, 64, &[0], 64).unwrap();
    let expected = |tid: u32| if tid < 32 { 0 } else { 28 + 8 * (tid - 32) };
    assert_eq!(out, (0..64).map(expected).collect::<Vec<_>>());
}

#[test]
fn threads_vote_at_a_barrier() {
    // 40 of 64 threads are below 40, in two warps, one of which diverges.
    let vote = |op: &str, condition: &str| {
        let (ty, into) = if op == "popc" { ("u32", "one") } else { ("pred", "q") };
        let take = if op == "popc" { "" } else { "selp.u32 one, 1, 0, q;" };
        let body = format!(
            ".reg .b32 one; .reg .pred q; setp.{condition} p, %tid, 40;
             bar.red.{op}.{ty} {into}, 0, p; {take}
             mad.wide.u32 %at, %tid, 4, %out; st.global.u32 [%at], one;"
        );
        let out = ones(&body, 64).unwrap();
        assert!(out.iter().all(|value| *value == out[0]), "{out:?}");
        out[0]
    };
    assert_eq!(vote("popc", "lt.u32"), 40);
    assert_eq!([vote("and", "lt.u32"), vote("or", "lt.u32")], [0, 1]);
    assert_eq!([vote("and", "le.s32"), vote("or", "gt.s32")], [0, 1]);
    let parted = "setp.lt.u32 p, %tid, 40; .reg .pred q; .reg .b32 one;
        setp.lt.u32 q, %tid, 7;
        @q bra LOW; bar.red.popc.u32 one, 0, !p; bra BOTH;
        LOW: bar.red.popc.u32 one, 0, p; BOTH:
        mad.wide.u32 %at, %tid, 4, %out; st.global.u32 [%at], one;";
    assert_eq!(ones(parted, 64), Ok(vec![31; 64]), "7 below, and 24 from 40 on");
}

#[test]
fn barriers_refuse_what_the_manual_forbids() {
    assert_eq!(ones("bar.sync 0, 48;", 64), Err(FaultKind::BarrierThreads(48)));
    assert_eq!(ones("bar.sync 0, 0;", 64), Err(FaultKind::BarrierThreads(0)));
    assert_eq!(ones("bar.sync %tid;", 5), Err(FaultKind::BarrierOperandsDiffer(0, 1)));
}

#[test]
fn registers_of_which_few_hold_a_value_at_a_time_share_rows() {
    let sums: Vec<_> = (0..5000).map(|n| format!("add.u32 %r{}, %r{n}, 1;", n + 1)).collect();
    let sums = sums.join("\n");
    let body = format!(
        ".reg .b32 %r<5001>;\nmov.u32 %r0, %tid;\n{sums}\n\
         mad.wide.u32 %at, %tid, 4, %out;\nst.global.u32 [%at], %r5000;"
    );
    let (out, _) = run(&program(&text(&body)), 32, &[0], 32).unwrap();
    assert_eq!(out, (5000..5032).collect::<Vec<u32>>());
}

#[test]
fn by_phase_goes_on_from_a_warp_that_waits_in_a_loop_to_the_one_it_waits_for() {
    // Two warps wait for the flag of a third; they may multiply after it, and leave the loop at its
    // end or in its middle.
    let load = "WAIT: ld.volatile.global.u32 flag, [%out];";
    let at_end = format!("{load} setp.eq.u32 p, flag, 0; @p bra WAIT;");
    let within = format!("{load} setp.ne.u32 p, flag, 0; @p bra DONE; bra WAIT; DONE:");
    for wait in [at_end, within] {
        for then in ["", "fma.rn.f32 f, f, f, f;"] {
            let body = format!(
                ".reg .pred p; .reg .b32 flag; .reg .f32 f;
                 setp.ge.u32 p, %tid, 64; @p bra SET; {wait} {then} ret;
                 SET: mov.u32 flag, 1; st.volatile.global.u32 [%out], flag;"
            );
            let (mut machine, _) = machine_in(&program(&text(&body)), 96, &[0], 1, Order::ByPhase);
            let steps = (0..1000).take_while(|_| machine.step().expect("no fault").is_some());
            assert!(steps.count() < 100, "{body}");
        }
    }
}

#[test]
fn by_phase_stays_with_a_warp_in_a_loop_that_waits_for_nobody() {
    let body = ".reg .pred p; .reg .b32 i; .reg .f32 f; mov.u32 i, 0;
                TOP: ld.global.f32 f, [%in]; add.u32 i, i, 1; setp.lt.u32 p, i, 9; @p bra TOP;";
    let (mut machine, _) = machine_in(&program(&text(body)), 64, &[0], 1, Order::ByPhase);
    let mut warps = Vec::new();
    while let Some(step) = machine.step().expect("no fault") {
        warps.push(step.warp);
    }
    assert!(warps.is_sorted(), "{warps:?}");
}
