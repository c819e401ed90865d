//! The parts of a stage that have a name, and a scene with some of them alone in full.

use super::scene::{
    ActingRoom, CellLevel, LowerRoom, PhaseList, PlaceId, StageLayout, StageScene, TileKind, Way,
    WordTile,
};

/// A part of a stage, as a lesson names it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum StagePart {
    /// Tiles of global memory, where they are loaded from.
    SourceTile,
    Threads,
    SharedTile,
    Door,
    /// The product: both tiles, the collars, C.
    Cross,
    /// The result alone.
    C,
    /// The registers of the thread or of the warp that is followed.
    Lens,
    /// What an access to a tile costs.
    Costs,
    /// How often the sectors of a row were fetched.
    Wear,
    /// The room in which nothing happens, as one line.
    Gauges,
    /// What a tile repeats, in the words of the source.
    Phases,
}

impl StagePart {
    pub const ALL: [Self; 11] = [
        Self::SourceTile,
        Self::Threads,
        Self::SharedTile,
        Self::Door,
        Self::Cross,
        Self::C,
        Self::Lens,
        Self::Costs,
        Self::Wear,
        Self::Gauges,
        Self::Phases,
    ];

    pub const fn name(self) -> &'static str {
        match self {
            Self::SourceTile => "source tile",
            Self::Threads => "threads",
            Self::SharedTile => "shared tile",
            Self::Door => "door",
            Self::Cross => "cross",
            Self::C => "C",
            Self::Lens => "lens",
            Self::Costs => "costs",
            Self::Wear => "wear",
            Self::Gauges => "gauges",
            Self::Phases => "phases",
        }
    }

    /// The part of which a tile of that kind is one.
    const fn of(kind: TileKind) -> Self {
        match kind {
            TileKind::Global => Self::SourceTile,
            TileKind::Threads => Self::Threads,
            TileKind::Shared => Self::SharedTile,
            TileKind::Sums => Self::C,
        }
    }
}

impl StageScene {
    /// Shows these parts alone. Of a cross the other tiles stay as well, pale: it is one figure.
    pub fn keep(&mut self, parts: &[StagePart]) {
        let has = |part: StagePart| parts.contains(&part);
        self.choose_room(parts);
        self.leave_out_tiles(parts);
        for tile in self.tiles_mut() {
            let of_cross = tile.1 && has(StagePart::Cross);
            if !of_cross && !has(StagePart::of(tile.0.kind)) {
                tile.0.pale();
            }
            if !has(StagePart::Costs) {
                tile.0.cost = None;
            }
            if !has(StagePart::Wear) {
                tile.0.wear = None;
            }
        }
        if let LowerRoom::Cross(cross) = &mut self.below
            && !has(StagePart::Cross)
        {
            (cross.left_collar, cross.top_collar, cross.k) = (None, None, None);
            if !has(StagePart::C) {
                (cross.count, cross.followed) = (String::new(), None);
            }
        }
        self.ways.retain(|way| {
            !matches!(way.to.0, PlaceId::LeftCollar | PlaceId::TopCollar) || has(StagePart::Cross)
        });
        if !has(StagePart::Door) {
            self.doors.clear();
        }
        if !has(StagePart::Lens) {
            self.lens = None;
        }
        if !has(StagePart::Wear) {
            self.twin = None;
        }
        if !has(StagePart::Phases) {
            self.phases = PhaseList::default();
        }
        // The page says it.
        self.side.clear();
    }

    /// Whether it has such a part, or may have later.
    pub fn has(&self, part: StagePart) -> bool {
        let below = match &self.below {
            LowerRoom::Cross(cross) => vec![&cross.left, &cross.top, &cross.corner],
            LowerRoom::Row(tiles) => tiles.iter().collect(),
            LowerRoom::Nothing => Vec::new(),
        };
        match part {
            StagePart::Door => !self.doors.is_empty(),
            StagePart::Cross => matches!(self.below, LowerRoom::Cross(_)),
            StagePart::Gauges => !self.above.is_empty() && !below.is_empty(),
            StagePart::Lens | StagePart::Costs | StagePart::Wear | StagePart::Phases => true,
            // While the room below acts, nobody who carries is shown.
            StagePart::Threads
                if self.layout == StageLayout::TwoRooms && self.acting == ActingRoom::Below =>
            {
                !self.above.is_empty()
            }
            StagePart::SourceTile | StagePart::Threads | StagePart::SharedTile | StagePart::C => {
                self.above.iter().chain(below).any(|tile| StagePart::of(tile.kind) == part)
            }
        }
    }

    /// Leaves out what the accesses cost.
    pub fn hide_costs(&mut self) {
        for (tile, _) in self.tiles_mut() {
            (tile.cost, tile.wear) = (None, None);
        }
        self.twin = None;
    }

    /// Every tile, and whether it is one of the cross.
    fn tiles_mut(&mut self) -> impl Iterator<Item = (&mut WordTile, bool)> {
        let (cross, row) = match &mut self.below {
            LowerRoom::Cross(cross) => (Some(cross), None),
            LowerRoom::Row(tiles) => (None, Some(tiles)),
            LowerRoom::Nothing => (None, None),
        };
        let cross = cross.into_iter().flat_map(|cross| {
            [&mut cross.left, &mut cross.top, &mut cross.corner].map(|tile| (tile, true))
        });
        let row = row.into_iter().flatten().map(|tile| (tile, false));
        self.above.iter_mut().map(|tile| (tile, false)).chain(cross).chain(row)
    }

    /// Leaves out tiles that are not named, and the ways from and to them; if none of a room is, all
    /// stay, pale.
    fn leave_out_tiles(&mut self, parts: &[StagePart]) {
        let named = |tile: &WordTile| parts.contains(&StagePart::of(tile.kind));
        let kept = |tiles: &[WordTile]| {
            let any = tiles.iter().any(named);
            (0..tiles.len()).filter(|i| !any || named(&tiles[*i])).collect::<Vec<_>>()
        };
        let above = kept(&self.above);
        let below = match &self.below {
            LowerRoom::Row(tiles) => kept(tiles),
            LowerRoom::Cross(_) | LowerRoom::Nothing => Vec::new(),
        };
        let place = |place: PlaceId| match place {
            PlaceId::Above(i) => above.iter().position(|old| *old == i).map(PlaceId::Above),
            PlaceId::Below(i) => below.iter().position(|old| *old == i).map(PlaceId::Below),
            other => Some(other),
        };
        for way in std::mem::take(&mut self.ways) {
            if let (Some(from), Some(to)) = (place(way.from.0), place(way.to.0)) {
                self.ways.push(Way { from: (from, way.from.1), to: (to, way.to.1), ..way });
            }
        }
        let keep = |tiles: &mut Vec<WordTile>, kept: &[usize]| {
            let mut i = 0;
            tiles.retain(|_| {
                i += 1;
                kept.contains(&(i - 1))
            });
        };
        keep(&mut self.above, &above);
        if let LowerRoom::Row(tiles) = &mut self.below {
            keep(tiles, &below);
        }
    }

    /// Leaves out the room in which nothing happens, unless it is named as a line; the room with the
    /// parts that are named is the one that stays.
    fn choose_room(&mut self, parts: &[StagePart]) {
        let named = |tile: &WordTile| parts.contains(&StagePart::of(tile.kind));
        let above = self.above.iter().any(named);
        let below = match &self.below {
            LowerRoom::Cross(cross) => {
                parts.contains(&StagePart::Cross)
                    || [&cross.left, &cross.top, &cross.corner].into_iter().any(named)
            }
            LowerRoom::Row(tiles) => tiles.iter().any(named),
            LowerRoom::Nothing => false,
        };
        let both = !self.above.is_empty() && self.below != LowerRoom::Nothing;
        match (above, below) {
            (true, false) if both => self.acting = ActingRoom::Above,
            (false, true) if both => self.acting = ActingRoom::Below,
            _ => {}
        }
        if both && !parts.contains(&StagePart::Gauges) {
            match self.acting {
                ActingRoom::Above => self.below = LowerRoom::Nothing,
                ActingRoom::Below | ActingRoom::Both => self.above.clear(),
            }
        }
    }
}

impl WordTile {
    /// Its shape and its title alone.
    fn pale(&mut self) {
        for cell in &mut self.cells {
            cell.value = None;
            cell.level = match cell.level {
                CellLevel::Empty | CellLevel::Padding => cell.level,
                _ => CellLevel::Free,
            };
        }
        self.note.clear();
        self.bands.clear();
        (self.cost, self.wear) = (None, None);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_part_has_a_name_of_its_own() {
        for part in StagePart::ALL {
            let same = StagePart::ALL.iter().filter(|other| other.name() == part.name());
            assert_eq!(same.count(), 1, "{}", part.name());
        }
    }
}
