//! Scenes built by hand, as a run of a tiled and of a naive kernel would give them.

use matviz::study::stage::{
    ActingRoom, CellLevel, CellRange, Collar, CostLine, CostVerdict, Cross, DoorMotion, DoorSide,
    GridCell, Hue, Lens, LowerRoom, PhaseList, PlaceId, Seat, SideLine, StageDoor, StageLayout,
    StageScene, TileCopies, TileKind, TwinBar, WarpBand, Way, WearMeter, WordTile,
};

/// A tile whose cells all have the level that a function of row and column gives.
pub(crate) fn tile(
    (kind, hue): (TileKind, Hue),
    (title, note): (&str, &str),
    (rows, columns): (u32, u32),
    level: impl Fn(u32, u32) -> CellLevel,
) -> WordTile {
    let at = |i: u32| GridCell { level: level(i / columns, i % columns), ..GridCell::default() };
    WordTile {
        kind,
        title: title.to_owned(),
        note: note.to_owned(),
        hue,
        rows,
        columns,
        cells: (0..rows * columns).map(at).collect(),
        brick: 1,
        bands: Vec::new(),
        cost: None,
        wear: None,
        turned: false,
        copies: TileCopies::default(),
    }
}

pub(crate) fn cost(words: &[&str], alarm: bool, now: bool) -> CostLine {
    let verdict = if alarm { CostVerdict::Wasteful } else { CostVerdict::Full };
    CostLine { words: words.iter().map(|text| (*text).to_owned()).collect(), verdict, now }
}

fn bands(warps: u16, of: impl Fn(u16) -> (&'static str, bool)) -> Vec<WarpBand> {
    let band = |warp: u16| {
        let (word, now) = of(warp);
        let first = u32::from(warp) * 2;
        WarpBand { warp, rows: first..first + 2, word, now }
    };
    (0..warps).map(band).collect()
}

pub(crate) fn seats(count: u16, taken: u16) -> Vec<Seat> {
    (0..count)
        .map(|warp| Seat { warp, taken: warp < taken, arriving: false, marked: false })
        .collect()
}

pub(crate) fn door(side: DoorSide, taken: u16) -> StageDoor {
    let motion = if taken == 0 { DoorMotion::Resting } else { DoorMotion::Filling };
    let notes = match side {
        DoorSide::Up => ["opens upward when all 8 are here", "opens upward at 8", "up"],
        DoorSide::Down | DoorSide::Both => ["opens when all 8 are here", "opens at 8", ""],
    };
    let notes = notes.into_iter().filter(|note| !note.is_empty()).map(str::to_owned).collect();
    StageDoor {
        name: "__syncthreads()".to_owned(),
        notes,
        seats: seats(8, taken),
        side,
        motion,
        group: None,
    }
}

pub(crate) fn phases(now: usize) -> PhaseList {
    let names = ["load A", "store sA", "load B", "store sB", "wait", "multiply x 16", "wait"];
    PhaseList {
        names: names.map(str::to_owned).to_vec(),
        now: Some(now),
        tile: Some((1, 4)),
        then: Some("store C".to_owned()),
        is_then: false,
    }
}

pub(crate) const fn range(rows: (u32, u32), columns: (u32, u32)) -> CellRange {
    CellRange { rows: rows.0..rows.1, columns: columns.0..columns.1 }
}

/// Warp 3 of 8 stores its two rows of A into sA; this part of the way is done.
pub(crate) fn store(part: f32) -> StageScene {
    let ahead = |row: u32| if row < 6 { CellLevel::Held } else { CellLevel::Next };
    let mut global = tile(
        (TileKind::Global, Hue::First),
        ("A[32-47][0-15]", "global memory"),
        (16, 16),
        |row, _| if row / 2 == 3 { CellLevel::Now } else { ahead(row) },
    );
    global.cost =
        Some(cost(&["4 sectors fetched, every byte used", "4 sectors, all used"], false, true));
    let fetched = (0..16).map(|row| u32::from(row < 8)).collect();
    global.wear = Some(WearMeter { rows: fetched, now: 6..8 });
    let mut threads = tile(
        (TileKind::Threads, Hue::Plate),
        ("256 threads", "8 warps of 32"),
        (16, 16),
        |row, _| if row < 6 { CellLevel::Waits } else { CellLevel::Empty },
    );
    threads.bands = bands(8, |warp| match warp {
        0..3 => ("waits", false),
        3 => ("store", true),
        4 => ("next", false),
        _ => ("", false),
    });
    // The rows of A are the warps' too, but their names stand once.
    global.bands.clone_from(&threads.bands);
    let mut shared = tile(
        (TileKind::Shared, Hue::First),
        ("sA[16][16]", "shared memory"),
        (16, 16),
        |row, _| match row {
            0..6 => CellLevel::Loaded,
            6..8 if part >= 1.0 => CellLevel::Arrived,
            _ => CellLevel::Empty,
        },
    );
    shared.cost = Some(cost(&["1 pass: 32 words, 32 banks", "1 pass"], false, true));
    let words = range((6, 8), (0, 16));
    let ways = vec![Way {
        from: (PlaceId::Above(1), words.clone()),
        to: (PlaceId::Above(2), words),
        hue: Hue::First,
        part,
        copy: false,
    }];
    StageScene {
        layout: StageLayout::TwoRooms,
        acting: ActingRoom::Above,
        above: vec![global, threads, shared],
        doors: vec![door(DoorSide::Down, 3)],
        below: LowerRoom::Cross(Box::new(cross((16, 16, 16), |_| CellLevel::Empty, None))),
        ways,
        lens: None,
        phases: phases(1),
        twin: None,
        side: side().into_iter().map(SideLine::from).collect(),
        sums: Vec::new(),
    }
}

fn side() -> Vec<String> {
    let lines = [
        "follow one: thread (5,6)",
        "warp 3, lane 5",
        "a = sA[6][5] = A[38][5]",
        "b = sB[5][5] = B[5][37]",
        "C[38][37] += a x b",
        "each word of sA is used by the 16 threads of its row, each of sB by the 16 of its column",
    ];
    lines.map(str::to_owned).to_vec()
}

/// A product of this many rows and columns of C and words along k: with `k`, its column and row are
/// lit, and the collars are full.
pub(crate) fn cross(
    (m, n, depth): (u32, u32, u32),
    level: impl Fn(u32) -> CellLevel,
    k: Option<u32>,
) -> Cross {
    let lit = |along: u32| if k == Some(along) { CellLevel::Now } else { level(along) };
    let left = (TileKind::Shared, Hue::First);
    let top = (TileKind::Shared, Hue::Second);
    let share = if k.is_some() { CellLevel::Share(45) } else { CellLevel::Empty };
    let held = if k.is_some() { CellLevel::Arrived } else { CellLevel::Empty };
    let collar = |name, hue, cells| Some(Collar { name, hue, cells: vec![held; cells as usize] });
    let mut left =
        tile(left, (&format!("sA[{m}][{depth}]"), "shared memory"), (m, depth), |_, k| lit(k));
    left.cost = Some(cost(&["2 passes bring 4 columns", "2 passes"], false, k.is_some()));
    let mut top =
        tile(top, (&format!("sB[{depth}][{n}]"), "shared memory"), (depth, n), |k, _| lit(k));
    top.cost = Some(cost(&["1 pass"], false, false));
    Cross {
        sums_each: (1, 1),
        left,
        top,
        corner: tile(
            (TileKind::Sums, Hue::Result),
            ("C[32-47][32-47]", "sums in registers"),
            (m, n),
            |_, _| share,
        ),
        left_collar: collar("a", Hue::First, m),
        top_collar: collar("b", Hue::Second, n),
        k,
        followed: k.map(|_| range((6, 7), (5, 6))),
        count: "6 of 64 products".to_owned(),
    }
}

/// All threads multiply with column and row 5.
pub(crate) fn multiply(size: (u32, u32, u32)) -> StageScene {
    let spent = |title: &str, hue| {
        tile((TileKind::Global, hue), (title, "global memory"), (16, 16), |_, _| CellLevel::Next)
    };
    StageScene {
        acting: ActingRoom::Below,
        above: vec![spent("A[32-47][0-15]", Hue::First), spent("B[0-15][32-47]", Hue::Second)],
        doors: vec![door(DoorSide::Up, 0)],
        below: LowerRoom::Cross(Box::new(cross(size, |_| CellLevel::Held, Some(5)))),
        ways: Vec::new(),
        phases: phases(5),
        ..store(0.0)
    }
}

/// Five of eight warps have come up.
pub(crate) fn door_up() -> StageScene {
    let mut scene = multiply((16, 16, 16));
    let mut cross = cross((16, 16, 16), |_| CellLevel::Held, None);
    for (i, cell) in (0_u32..).zip(&mut cross.left.cells) {
        cell.level = if i / 16 < 10 { CellLevel::Free } else { CellLevel::Arrived };
    }
    cross.top.cells.iter_mut().for_each(|cell| cell.level = CellLevel::Arrived);
    cross.corner.cells.iter_mut().for_each(|cell| cell.level = CellLevel::Share(60));
    cross.corner.bands = bands(8, |warp| if warp < 5 { ("up", false) } else { ("here", false) });
    scene.below = LowerRoom::Cross(Box::new(cross));
    scene.doors = vec![door(DoorSide::Up, 5)];
    scene.phases = phases(6);
    scene
}

/// Warp 3 loads row 5 of B from global memory, which three warps have loaded before.
pub(crate) fn naive() -> StageScene {
    let loaded = |along: u32| match along {
        0..5 => CellLevel::Held,
        5 => CellLevel::Now,
        _ => CellLevel::Empty,
    };
    let mut cross = cross((16, 16, 16), loaded, Some(5));
    for (i, cell) in (0_u32..).zip(&mut cross.left.cells) {
        cell.level = if i % 16 < 8 { CellLevel::Held } else { CellLevel::Empty };
    }
    cross.left_collar = None;
    cross.followed = None;
    let tiles = [
        (&mut cross.left, "A[32-47][0-15]", vec![5; 16], 0..0),
        (&mut cross.top, "B[0-15][32-47]", [vec![8; 5], vec![4], vec![0; 10]].concat(), 5..6),
    ];
    for (tile, title, rows, now) in tiles {
        tile.kind = TileKind::Global;
        title.clone_into(&mut tile.title);
        "global memory".clone_into(&mut tile.note);
        tile.wear = Some(WearMeter { rows, now });
        tile.cost = None;
    }
    cross.corner.bands = bands(8, |warp| match warp {
        0..3 => ("has", false),
        3 => ("now", true),
        _ => ("", false),
    });
    StageScene {
        layout: StageLayout::CrossAlone,
        acting: ActingRoom::Below,
        above: Vec::new(),
        doors: Vec::new(),
        below: LowerRoom::Cross(Box::new(cross)),
        ways: Vec::new(),
        twin: Some(TwinBar { asked: 168, different: 28, end: Some((2048, 256)) }),
        phases: PhaseList {
            names: ["load B", "load A", "multiply"].map(str::to_owned).to_vec(),
            now: Some(0),
            tile: None,
            then: Some("store C".to_owned()),
            is_then: false,
        },
        ..store(0.0)
    }
}

/// The same with four by four sums a thread: its registers are seen word by word.
pub(crate) fn registers() -> StageScene {
    let mut scene = multiply((32, 32, 8));
    let held = |i: u32, now: u32| match i.cmp(&now) {
        std::cmp::Ordering::Less => CellLevel::Loaded,
        std::cmp::Ordering::Equal => CellLevel::Now,
        std::cmp::Ordering::Greater => CellLevel::Empty,
    };
    scene.lens = Some(Lens {
        title: "thread 29: warp 0, lane 29".to_owned(),
        left: Some(tile((TileKind::Shared, Hue::First), ("a", ""), (4, 1), |row, _| held(row, 2))),
        top: Some(tile((TileKind::Shared, Hue::Second), ("b", ""), (1, 4), |_, column| {
            held(column, 3)
        })),
        sums: tile(
            (TileKind::Sums, Hue::Result),
            ("its square of C", ""),
            (4, 4),
            |row, column| held(row * 4 + column, 8),
        ),
        notes: vec!["product 9 of 16 of k = 5".to_owned()],
    });
    scene
}
