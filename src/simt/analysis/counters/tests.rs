//! Tests of the counters.

use super::*;
use crate::analysis::vectorise::{ExecutedRange, SassAccess};
use crate::sim::in_flight::TransferPiece;
use crate::sim::{AsyncEffect, AsyncTransfer, LaneMask, OtherEnd, Pc};
use ptx::{AtomicOp, Type};
use std::sync::Arc;

fn step(active: LaneMask, effect: Effect) -> Step {
    Step { warp: 0, pc: Pc(0), active, effect, released: None, undefined: LaneMask::NONE }
}

/// A column of a 32-word wide array.
fn access(space: Space, direction: Direction, active: LaneMask) -> Access {
    let addrs = std::array::from_fn(|lane| 128 * lane as u64);
    Access { space, direction, bytes: 4, route: Route::Lanes, active, addrs }
}

fn memory(space: Space, direction: Direction, active: LaneMask) -> Step {
    step(active, Effect::Memory(access(space, direction, active)))
}

fn rows(direction: Direction) -> Access {
    let (bytes, route) = (16, Route::Rows);
    Access { bytes, route, ..access(Space::Shared, direction, LaneMask::ALL) }
}

/// 32 pieces of a matrix.
fn pieces() -> Access {
    Access { route: Route::Wgmma, ..rows(Direction::Load) }
}

/// Three pieces of 16 bytes in two sectors.
fn transfer() -> Arc<AsyncTransfer> {
    let piece = |number: u32| TransferPiece {
        shared: 16 * number,
        other: 64 + u64::from(16 * number),
        inside: [0, 16],
    };
    let pieces = (0..3).map(piece).collect();
    let (other, reduces) = (OtherEnd::Global, None);
    Arc::new(AsyncTransfer {
        warp: 0,
        lane: 0,
        mbarrier: Some(0),
        each: 16,
        other,
        reduces,
        pieces,
    })
}

/// From a column to a column.
fn product(multiply_adds: u32, leads: bool) -> Effect {
    Effect::Async(AsyncEffect::Wgmma { multiply_adds, reads: vec![pieces(); 3], of_a: 1, leads })
}

fn copy(active: LaneMask) -> Box<[Access; 2]> {
    let steps = [(Space::Global, Direction::Load), (Space::Shared, Direction::Store)];
    Box::new(steps.map(|(space, direction)| access(space, direction, active)))
}

#[test]
fn each_step_goes_to_its_sums() {
    let all = LaneMask::ALL;
    let mut sums = Counters::default();
    for step in [
        memory(Space::Global, Direction::Load, all),
        memory(Space::Global, Direction::Store, LaneMask::first(3)),
        memory(Space::Shared, Direction::Load, all),
        memory(Space::Shared, Direction::Store, LaneMask::first(2)),
        memory(Space::Global, Direction::Atomic, LaneMask::first(7)),
        memory(Space::Shared, Direction::Atomic, all),
        memory(Space::Local, Direction::Load, all),
        step(LaneMask::first(5), Effect::Fma),
        step(all, Effect::Async(AsyncEffect::Copy(copy(all)))),
        step(all, Effect::HalfFma),
        step(all, Effect::Mma { instructions: 2, multiply_adds: 4096 }),
        step(all, Effect::Accesses(vec![access(Space::Global, Direction::Load, all); 3])),
        step(all, product(100, true)),
        step(all, product(7, false)),
        step(all, Effect::Async(AsyncEffect::WgmmaCompleted { instructions: 2 })),
        step(all, Effect::Async(AsyncEffect::Landed(copy(all)[1..].to_vec()))),
        step(LaneMask::first(1), Effect::Async(AsyncEffect::Transfers(vec![transfer()]))),
        step(all, Effect::Memory(rows(Direction::Load))),
        step(all, Effect::Memory(rows(Direction::Store))),
        step(all, Effect::Memory(rows(Direction::Store))),
        step(all, Effect::Compute),
        step(all, Effect::Barrier { id: 0, waits: true, threads: None }),
    ] {
        sums.add(&step, Replacement::default());
    }
    let requests = |requests, sectors| Requests { requests, sectors };
    let passes = |instructions, wavefronts, ideal, conflicts| Passes {
        instructions,
        wavefronts,
        ideal,
        conflicts,
    };
    let shared = SharedCounts {
        loads: passes(1, 32, 1, 31),
        stores: passes(1, 2, 1, 1),
        matrix_loads: passes(1, 32, 4, 28),
        matrix_stores: passes(2, 64, 8, 56),
        atomics: passes(1, 32, 1, 0),
        atomics_at_least: 0,
        distributed: Distributed::default(),
        copies: passes(1, 32, 1, 0),
        copies_uncertain: 1,
        wgmma: passes(2, 12 + 4, 12 + 4, 0),
    };
    let global =
        GlobalCounts { loads: requests(5, 160), stores: requests(1, 3), atomics: requests(1, 7) };
    let expected = Counts {
        global,
        shared,
        transfers: TransferCounts {
            loads: CopyCounts { copies: 1, sectors: 2 },
            ..TransferCounts::default()
        },
        tensor: Tensor { instructions: 4, multiply_adds: 4096 + 107 },
        barriers: 1,
        warp_instructions: 22,
        thread_fma: 5,
        thread_half_fma: 32,
    };
    assert_eq!(shared.all(), passes(9, 210, 32, 116));
    assert_eq!(
        sums,
        Counters {
            ptx: expected,
            sass_shared: shared,
            sass_global: global,
            doubted: Doubted::default(),
            contracted: ContractedCounts::default(),
        }
    );
}

#[test]
fn an_access_without_a_lane_is_an_instruction_but_no_request() {
    let mut sums = Counters::default();
    sums.add(&memory(Space::Global, Direction::Load, LaneMask::NONE), Replacement::default());
    sums.add(&memory(Space::Shared, Direction::Load, LaneMask::NONE), Replacement::default());
    let ptx = Counts { warp_instructions: 2, ..Counts::default() };
    assert_eq!(sums, Counters { ptx, ..Counters::default() });
}

#[test]
fn merging_adds_every_field() {
    let mut sums = Counters::default();
    sums.add(&memory(Space::Shared, Direction::Load, LaneMask::ALL), Replacement::default());
    sums.add(&memory(Space::Global, Direction::Store, LaneMask::ALL), Replacement::default());
    sums.add(&memory(Space::Global, Direction::Load, LaneMask::ALL), Replacement::default());
    sums.add(&memory(Space::Shared, Direction::Store, LaneMask::ALL), Replacement::default());
    sums.add(&memory(Space::Global, Direction::Atomic, LaneMask::ALL), Replacement::default());
    let changed = access(Space::Shared, Direction::Atomic, LaneMask::ALL);
    sums.add_access(&changed, Replacement::default());
    sums.add_access(&Access { route: Route::RetryMaybe, ..changed }, Replacement::default());
    sums.add(&step(LaneMask::ALL, Effect::Fma), Replacement::default());
    sums.add(&step(LaneMask::ALL, Effect::HalfFma), Replacement::default());
    for of_halves in [false, true] {
        for (fused, certain) in [(true, false), (false, false)] {
            let contracted = Effect::Contracted { of_halves, fused, certain };
            sums.add(&step(LaneMask::ALL, contracted), Replacement::default());
        }
    }
    sums.add(
        &step(LaneMask::ALL, Effect::Mma { instructions: 2, multiply_adds: 4096 }),
        Replacement::default(),
    );
    sums.add(&step(LaneMask::ALL, product(7, true)), Replacement::default());
    let route = Route::Distributed { far: LaneMask::ALL, single: true };
    for direction in [Direction::Load, Direction::Store, Direction::Atomic] {
        sums.add_access(&Access { route, ..rows(direction) }, Replacement::default());
    }
    let route = Route::Distributed { far: LaneMask::ALL, single: false };
    sums.add_access(&Access { route, ..rows(Direction::Atomic) }, Replacement::default());
    sums.add(
        &step(LaneMask::ALL, Effect::Async(AsyncEffect::Copy(copy(LaneMask::ALL)))),
        Replacement::default(),
    );
    sums.add(&step(LaneMask::ALL, Effect::Memory(rows(Direction::Load))), Replacement::default());
    sums.add(&step(LaneMask::ALL, Effect::Memory(rows(Direction::Store))), Replacement::default());
    let store = AsyncTransfer { mbarrier: None, ..(*transfer()).clone() };
    let across = AsyncTransfer { other: OtherEnd::Shared, ..(*transfer()).clone() };
    let (other, reduces) = (OtherEnd::Registers, Some((AtomicOp::Add, Type::U32)));
    let sent = AsyncTransfer { each: 4, other, reduces, ..(*transfer()).clone() };
    for copy in [transfer(), Arc::new(store), Arc::new(across), Arc::new(sent)] {
        sums.add(
            &step(LaneMask::ALL, Effect::Async(AsyncEffect::Transfers(vec![copy]))),
            Replacement::default(),
        );
    }
    sums.add(
        &step(LaneMask::ALL, Effect::Barrier { id: 0, waits: true, threads: None }),
        Replacement::default(),
    );
    // Their fields one by one, as printed.
    let fields = |sums: &Counters| -> Vec<(String, u64)> {
        let text = format!("{sums:#?}");
        let fields = text.lines().filter_map(|line| line.trim().split_once(": "));
        let number = |value: &str| value.trim_end_matches(',').parse().ok();
        fields.filter_map(|(name, value)| Some((name.to_owned(), number(value)?))).collect()
    };
    let once = fields(&sums);
    sums.merge(&sums.clone());
    let memory = 6 + 7 * 4 + 2 + 9;
    let (certain, contracted) = (2 * memory + 6 + 2 + 4, 3 * 2);
    assert_eq!(once.len(), certain + 4 * memory + contracted);
    for (place, ((name, once), (_, twice))) in once.into_iter().zip(fields(&sums)).enumerate() {
        let is_exercised = once > 0 || name == "conflicts" || place >= certain;
        assert!(is_exercised, "{name} was not exercised");
        assert_eq!(twice, 2 * once, "{name}");
    }
}

#[test]
fn a_doubted_access_counts_from_the_least_to_what_is_written() {
    let mut sums = Counters::default();
    let load = memory(Space::Shared, Direction::Load, LaneMask::ALL);
    let joined = [SassAccess { shift: 0, bytes: 8 }];
    let doubt = Some(ExecutedRange { least: 4, unit: 4 });
    for (pieces, doubt) in [(&joined[..], doubt), (&[], doubt), (&[], None)] {
        sums.add(&load, Replacement { pieces: Some(pieces), doubt });
    }
    sums.add(&load, Replacement::default());
    let range = |count: fn(&Counts) -> u64| sums.range(count);
    assert_eq!(range(|counts| counts.shared.loads.instructions), [2, 3]);
    assert_eq!(range(|counts| counts.shared.loads.wavefronts), [32 + 16, 32 + 64]);
    assert_eq!(range(|counts| counts.global.loads.requests), [0, 0]);
    assert_eq!(sums.sass().shared.loads.instructions, 2);
}

#[test]
fn lanes_in_other_blocks_are_a_request_of_sectors_and_the_others_an_access_of_their_own() {
    let mut sums = Counters::default();
    // As measured: every other lane, 4 bytes apart, in another block (ld32_mixed of the H100's runs).
    let addrs = std::array::from_fn(|lane| (lane as u64 % 2 * 1024) + 4 * lane as u64);
    let route = Route::Distributed { far: LaneMask(0xaaaa_aaaa), single: true };
    let load =
        Access { route, addrs, bytes: 4, ..access(Space::Shared, Direction::Load, LaneMask::ALL) };
    sums.add_access(&load, Replacement::default());
    let SharedCounts { loads, distributed, .. } = sums.ptx.shared;
    assert_eq!((loads.instructions, loads.wavefronts), (1, 1));
    assert_eq!(distributed.loads, Requests { requests: 1, sectors: 4 });
    assert_eq!(distributed.all(), 1);
}

#[test]
fn a_contracted_sum_is_a_multiply_add_of_the_sass_and_an_uncertain_one_a_range() {
    let mut sums = Counters::default();
    let mut add = |fused, certain, of_halves| {
        let contracted = Effect::Contracted { of_halves, fused, certain };
        sums.add(&step(LaneMask::first(8), contracted), Replacement::default());
    };
    add(true, true, false);
    add(true, false, false);
    add(false, false, false);
    add(true, true, true);
    assert_eq!((sums.ptx.thread_fma, sums.ptx.warp_instructions), (0, 4));
    assert_eq!((sums.sass().thread_fma, sums.sass().thread_half_fma), (16, 8));
    assert_eq!(sums.range(|counts| counts.thread_fma), [8, 24]);
    assert_eq!(sums.range(|counts| counts.thread_half_fma), [8, 8]);
}
