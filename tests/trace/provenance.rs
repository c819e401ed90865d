//! Where values come from and go to: the paths that the kernels' sources prescribe.

#![expect(clippy::unwrap_used, reason = "what is embedded is there, and runs")]

use matviz::analysis::vectorise::SmemVectorisation;
use matviz::kernel::{Problem, find};
use matviz::launch::{Dim3, Launch, WARP_SIZE};
use matviz::matrix::Operand;
use matviz::sim::{Machine, Memory, Order, lower};
use matviz::trace::provenance::{ByteRange, EventKind, GlobalLoad, LaneStep, Slice, ValueHistory};
use matviz::trace::{Age, Recorder, Replay, Trace};
use matviz::work::WorkToken;
use ptx::parse;
use std::borrow::Cow;
use std::sync::Arc;

fn problem(kernel: &str, size: &str, tile: u32) -> Problem {
    let kernel = find(kernel).unwrap();
    let ptx = Cow::Borrowed(kernel.embedded(tile).unwrap());
    Problem::of(kernel, tile, size.parse().unwrap(), ptx)
}

fn machine(problem: &Problem, block: Dim3) -> Machine {
    let program = problem.program().unwrap();
    let memory = problem.sparse_memory(&program);
    problem.machine(program, block, memory, Order::RoundRobin)
}

/// The bytes of an element.
fn bytes(problem: &Problem, memory: &Memory, of: (Operand, u32, u32)) -> ByteRange {
    let (operand, row, column) = of;
    let base = memory.buffers()[operand as usize].base;
    let (_, columns) = problem.size.shape(operand);
    ByteRange {
        addr: base + 4 * (u64::from(row) * u64::from(columns) + u64::from(column)),
        count: 4,
    }
}

fn origin(problem: &Problem, row: u32, column: u32) -> Slice {
    let block = problem.block_of(row, column).unwrap();
    let machine = machine(problem, block);
    let bytes = bytes(problem, machine.memory(), (Operand::C, row, column));
    Slice::of(machine, bytes, &WorkToken::default()).unwrap().unwrap()
}

fn element(problem: &Problem, load: &GlobalLoad) -> (Operand, u32, u32) {
    assert_eq!(load.bytes.count, 4);
    let memory = problem.sparse_memory(&problem.program().unwrap());
    problem.element(&memory, load.bytes.addr).unwrap()
}

/// The warp and lane of a thread of the block.
fn thread(problem: &Problem, row: u32, column: u32) -> (u16, u8) {
    let thread = row * problem.tile().unwrap().n + column;
    ((thread / WARP_SIZE) as u16, (thread % WARP_SIZE) as u8)
}

fn lane(at: LaneStep) -> (u16, u8) {
    (at.warp, at.lane)
}

#[test]
fn every_term_of_the_sum_is_found_in_order() {
    for kernel in ["naive", "tiled"] {
        for (size, tile, row, column) in [
            ("64", 16, 5, 7),
            ("33x65x70", 16, 32, 64),
            ("40x24x100", 8, 39, 0),
            ("9", 4, 8, 8),
            ("64", 32, 63, 1),
        ] {
            let problem = problem(kernel, size, tile);
            let origin = origin(&problem, row, column);
            let (threads, k) = ((row % tile, column % tile), problem.size.k);
            assert_eq!(lane(origin.stored), thread(&problem, threads.0, threads.1));
            assert_eq!((origin.unwritten, origin.cut), (0, false));
            // The terms of a tile outside the matrices are zeros, which no thread loads.
            let expected = (0..k).flat_map(|k| [(Operand::A, row, k), (Operand::B, k, column)]);
            let mut found: Vec<_> =
                origin.loads.iter().map(|load| element(&problem, load)).collect();
            for pair in found.chunks_exact_mut(2) {
                pair.sort_by_key(|(operand, ..)| *operand as u8);
            }
            assert_eq!(found, expected.collect::<Vec<_>>(), "{kernel} {size} {tile}");
            for pair in origin.loads.chunks_exact(2) {
                assert_eq!(pair[0].used, pair[1].used);
                assert_eq!(lane(pair[0].used.unwrap()), lane(origin.stored));
            }
        }
    }
}

#[test]
fn a_tiled_value_goes_through_the_lane_and_the_slot_that_the_source_says() {
    let problem = problem("tiled", "64", 16);
    let origin = origin(&problem, 21, 39);
    let (ty, tx) = (5, 7);
    for load in &origin.loads {
        let (operand, row, column) = element(&problem, load);
        let slot = load.shared.unwrap();
        let (name, r, c) = problem
            .shared_element(&problem.program().unwrap(), slot.addr.into())
            .map(|(n, r, c)| (n.to_owned(), r, c))
            .unwrap();
        let (by, name_of) = match operand {
            Operand::A => ((ty, column % 16), "sA"),
            Operand::B => ((row % 16, tx), "sB"),
            Operand::C => unreachable!("C is not read"),
        };
        assert_eq!((name.as_str(), r, c), (name_of, by.0, by.1));
        assert_eq!(lane(load.loaded), thread(&problem, by.0, by.1));
        assert_eq!(lane(slot.stored), lane(load.loaded));
        assert_eq!(lane(slot.read), thread(&problem, ty, tx));
        assert!(load.loaded.index < slot.stored.index && slot.stored.index < slot.read.index);
        assert!(slot.read.index < load.used.unwrap().index);
        let tile = if operand == Operand::A { column / 16 } else { row / 16 };
        assert_eq!(load.interval, 2 * tile, "two barriers for each tile");
        let source = problem.source.as_ref().unwrap().text.lines().collect::<Vec<_>>();
        let program = problem.program().unwrap();
        let line = |at: LaneStep| source[program.inst(at.pc).line.unwrap() as usize - 1];
        assert!(line(load.loaded).contains(&format!("{name}[ty][tx] = ")));
        assert!(line(load.used.unwrap()).contains("acc += sA[ty][k] * sB[k][tx]"));
    }
}

#[test]
fn another_block_stores_nothing_there() {
    let problem = problem("tiled", "64", 16);
    let machine = machine(&problem, Dim3::at(1, 0));
    let bytes = bytes(&problem, machine.memory(), (Operand::C, 0, 0));
    assert_eq!(Slice::of(machine, bytes, &WorkToken::default()), Ok(None));
}

#[test]
fn who_gives_up_gets_no_answer() {
    let problem = problem("naive", "512", 16);
    let at = |block| machine(&problem, block);
    let bytes = bytes(&problem, at(Dim3::at(0, 0)).memory(), (Operand::C, 0, 0));
    let token = WorkToken::default();
    token.cancel();
    assert!(Slice::of(at(Dim3::at(0, 0)), bytes, &token).is_err());
    assert!(ValueHistory::of(at(Dim3::at(0, 0)), bytes, &token).is_err());
}

/// The events of an element of A or B in a block.
fn reach(problem: &Problem, block: Dim3, of: (Operand, u32, u32)) -> ValueHistory {
    let machine = machine(problem, block);
    let bytes = bytes(problem, machine.memory(), of);
    ValueHistory::of(machine, bytes, &WorkToken::default()).unwrap()
}

fn outputs(problem: &Problem, reach: &ValueHistory) -> Vec<(Operand, u32, u32)> {
    let memory = problem.sparse_memory(&problem.program().unwrap());
    reach.outputs.iter().map(|out| problem.element(&memory, out.addr).unwrap()).collect()
}

#[test]
fn an_element_of_a_goes_into_a_row_of_c_and_one_of_b_into_a_column() {
    for (kernel, fetches) in [("naive", 16), ("tiled", 1)] {
        let problem = problem(kernel, "64", 16);
        let block = Dim3::at(2, 1);
        let a = reach(&problem, block, (Operand::A, 21, 40));
        assert_eq!(
            outputs(&problem, &a),
            (32..48).map(|n| (Operand::C, 21, n)).collect::<Vec<_>>()
        );
        assert_eq!(a.fetched(), (fetches, 1), "{kernel}: by so many lanes of one warp");
        assert_eq!(a.used(), (16, 1));
        let b = reach(&problem, block, (Operand::B, 21, 40));
        assert_eq!(
            outputs(&problem, &b),
            (16..32).map(|m| (Operand::C, m, 40)).collect::<Vec<_>>()
        );
        let warps = if kernel == "naive" { 8 } else { 1 };
        assert_eq!(b.fetched(), (fetches, warps), "{kernel}");
        assert_eq!(b.used(), (16, 8), "two rows of threads to a warp");
    }
}

#[test]
fn a_value_that_a_block_does_not_need_is_not_there() {
    let problem = problem("tiled", "64", 16);
    let reach = reach(&problem, Dim3::at(2, 1), (Operand::A, 0, 0));
    assert_eq!(reach, ValueHistory::default());
}

#[test]
fn the_whole_grid_fetches_an_element_as_often_as_the_lesson_says() {
    for (kernel, times) in [("naive", 64), ("tiled", 64 / 16)] {
        let problem = problem(kernel, "64", 16);
        let blocks = (0..4).map(|x| reach(&problem, Dim3::at(x, 1), (Operand::A, 21, 40)));
        assert_eq!(blocks.map(|reach| reach.fetched().0).sum::<u64>(), times, "{kernel}");
    }
}

#[test]
fn the_life_of_a_value_is_told_in_order() {
    let problem = problem("tiled", "64", 16);
    let reach = reach(&problem, Dim3::at(2, 1), (Operand::A, 21, 40));
    let told: Vec<_> = reach.events.iter().map(|event| event.what).collect();
    let slot = 4 * (5 * 16 + 8);
    assert_eq!(
        told,
        [
            EventKind::Loaded,
            EventKind::Kept(slot),
            EventKind::Read(slot),
            EventKind::Used,
            EventKind::Stored
        ]
    );
    assert!(reach.events.is_sorted_by_key(|event| event.index));
    assert!(reach.events.iter().all(|event| event.warp == 2));
}

/// The case of the simulator's tests in which lane i copies a[i] and stores the copied value as
/// c[i].
fn copying(order: Order) -> (Machine, ByteRange, ByteRange) {
    let module = parse(include_str!("../data/sim/cases/copy_async.ptx")).unwrap();
    let program = Arc::new(lower(&module, "case").unwrap());
    let mut memory = Memory::new();
    let buffers = [memory.add("a", &[1.0; 32]), memory.add("c", &[0.0; 32])];
    let params: Vec<u8> = buffers.iter().flat_map(|addr| addr.to_le_bytes()).collect();
    let launch = Launch { grid: Dim3::flat(1, 1), block: Dim3::flat(32, 1) };
    let place = Dim3::flat(0, 0);
    let machine = Machine::new(program, launch, place, &params, memory, order);
    let [a, c] = buffers.map(|base| ByteRange { addr: base + 4 * 9, count: 4 });
    (machine, a, c)
}

#[test]
fn an_asynchronous_copy_is_a_load_and_a_slot() {
    for order in [Order::RoundRobin, Order::EarlyCopies] {
        let early = order == Order::EarlyCopies;
        let (machine, a, c) = copying(order);
        let origin = Slice::of(machine.clone(), c, &WorkToken::default()).unwrap().unwrap();
        let [load] = origin.loads[..] else { panic!("{:?}", origin.loads) };
        let slot = load.shared.unwrap();
        assert_eq!((load.bytes, slot.addr), (a, 36));
        let at_once = load.loaded.index == slot.stored.index;
        assert_eq!(at_once, early, "it arrives when it is waited for, or when it begins");
        assert_eq!((load.loaded.lane, slot.read.lane, origin.unwritten), (9, 9, 0));
        let reach = ValueHistory::of(machine, a, &WorkToken::default()).unwrap();
        let whats: Vec<_> = reach.events.iter().map(|event| event.what).collect();
        assert_eq!(
            whats,
            [EventKind::Loaded, EventKind::Kept(36), EventKind::Read(36), EventKind::Stored]
        );
        assert_eq!(reach.outputs[0].addr, c.addr);
    }
}

/// Lane 3 sums products of packed halves, two at a time, and then adds both sums.
fn packed() -> (Machine, ByteRange) {
    let body = ".reg .b32 %a, %b, %s; .reg .b16 %l, %h; .reg .b64 %p, %q; .reg .f32 %f, %g;
         .reg .b32 %t; ld.param.u64 %p, [a]; mov.u32 %t, %tid.x; mad.wide.u32 %q, %t, 8, %p;
         ld.global.b32 %a, [%q]; ld.global.b32 %b, [%q+4]; mov.b32 %s, 0;
         fma.rn.f16x2 %s, %a, %b, %s; mov.b32 {%l, %h}, %s;
         cvt.f32.f16 %f, %l; cvt.f32.f16 %g, %h; add.f32 %f, %f, %g;
         mad.wide.u32 %q, %t, 4, %p; st.global.f32 [%q+256], %f; ret;";
    let text = format!(
        ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k(.param .u64 a) {{\n{body}\n}}\n"
    );
    let program = Arc::new(lower(&parse(&text).unwrap(), "k").unwrap());
    let mut memory = Memory::new();
    let base = memory.add("a", &[0.0; 96]);
    let launch = Launch { grid: Dim3::flat(1, 1), block: Dim3::flat(32, 1) };
    let params = base.to_le_bytes();
    let order = Order::RoundRobin;
    let machine = Machine::new(program, launch, Dim3::at(0, 0), &params, memory, order);
    (machine, ByteRange { addr: base, count: 2 })
}

#[test]
fn packed_halves_that_come_into_one_sum_stay_apart() {
    let (machine, ByteRange { addr, .. }) = packed();
    let sum = ByteRange { addr: addr + 256 + 4 * 3, count: 4 };
    let origin = Slice::of(machine, sum, &WorkToken::default()).unwrap().unwrap();
    let mut loaded: Vec<_> = origin.loads.iter().map(|load| load.bytes).collect();
    loaded.sort_unstable();
    let half = |number: u64| ByteRange { addr: addr + 8 * 3 + 2 * number, count: 2 };
    assert_eq!(loaded, [half(0), half(1), half(2), half(3)]);
}

/// The two blocks of a cluster, each lane of which sends its element of x to the other block, which
/// stores it as its own; and bytes 36 to 40 of x, and of the second block's part.
fn sending() -> (Machine, ByteRange, ByteRange) {
    let text = include_str!("../data/sim/cases/cluster_store_async.ptx");
    let value = "mad.lo.u32 \t%r6, %k, 100, %t;";
    assert!(text.contains(value));
    let text = text.replace(value, "ld.global.u32 \t%r6, [%d0];");
    let program = Arc::new(lower(&parse(&text).unwrap(), "case").unwrap());
    let mut memory = Memory::new();
    let base = memory.add("x", &[1.0; 64]);
    let launch = Launch { grid: Dim3::flat(2, 1), block: Dim3::flat(32, 1) };
    let (place, params, order) = (Dim3::flat(0, 0), base.to_le_bytes(), Order::RoundRobin);
    let machine = Machine::new(program, launch, place, &params, memory, order);
    let [from, to] = [9, 32 + 9].map(|element| ByteRange { addr: base + 4 * element, count: 4 });
    (machine, from, to)
}

#[test]
fn an_asynchronous_store_goes_to_a_word_of_another_block() {
    let (machine, from, to) = sending();
    let origin = Slice::of(machine.clone(), to, &WorkToken::default()).unwrap().unwrap();
    let [load] = origin.loads[..] else { panic!("{:?}", origin.loads) };
    let slot = load.shared.unwrap();
    assert_eq!((load.bytes, load.loaded.warp, load.loaded.lane), (from, 0, 9));
    let word = machine.blocks().start(1) + 36;
    assert_eq!((u64::from(slot.addr), slot.read.warp, slot.read.lane), (word, 1, 9));
    let reach = ValueHistory::of(machine, from, &WorkToken::default()).unwrap();
    assert_eq!(reach.outputs[0].addr, to.addr);
}

#[test]
fn the_word_of_an_asynchronous_store_is_filled_when_it_has_landed() {
    let (machine, from, _) = sending();
    let (program, start) = (machine.program().clone(), machine.blocks().start(1));
    let joins = Arc::new(SmemVectorisation::of(&program));
    let mut recorder = Recorder::new(machine, joins);
    let (mut trace, mut replay) = (Trace::new(&recorder), Replay::new(&recorder));
    trace.append(recorder.record(10_000));
    let word = |replay: &Replay| replay.snapshot().shared[(start + 36) as usize / 4];
    let empty = |replay: &Replay| word(replay).age == Age::Empty;
    assert!(empty(&replay), "at the start");
    replay.seek(&trace, trace.len());
    let filled = word(&replay);
    assert_eq!(
        (filled.age, filled.writer, filled.origin()),
        (Age::Current, Some(0), Some(from.addr))
    );
}
