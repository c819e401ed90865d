//! Finds the answer to a call: each function in its family.

use super::context::Asked;
use super::{
    access, blocks, choice, machine, scene, settings, sound, sums, times, values, waiting, who,
};
use crate::lesson::answer::Answer;
use crate::lesson::expr::What;
use crate::lesson::unanswered::Unanswered;

/// Answers a call.
pub(super) fn answer(asked: &Asked<'_>) -> Result<Answer, Unanswered> {
    let family: fn(&Asked<'_>) -> Result<Answer, Unanswered> = match asked.call.function.what {
        What::Sectors => access::sectors,
        What::Lines => access::lines,
        What::Bytes => access::bytes,
        What::Used => access::used,
        What::Passes => access::passes,
        What::Conflicts => access::conflicts,
        What::Ways => access::ways,
        What::Words => access::words,
        What::Lanes => access::lanes,
        What::Broadcast => access::broadcast,
        What::Ideal => access::ideal,
        What::Clash => access::clash,
        What::Bank => access::bank,
        What::LanesOn => access::lanes_on,
        What::WordsOn => access::words_on,
        What::Element => who::element,
        What::Thread => who::thread,
        What::Warp => who::warp,
        What::Lane => who::lane,
        What::LanesOf => who::lanes_of,
        What::Warps => blocks::warps,
        What::Blocks => blocks::blocks,
        What::Threads => blocks::threads,
        What::Idle => blocks::idle,
        What::KTiles => blocks::k_tiles,
        What::Barriers => blocks::barriers,
        What::RowsUnwritten => blocks::rows_unwritten,
        What::Arrived => waiting::arrived,
        What::Waiting => waiting::waiting,
        What::WaitsFor => waiting::waits_for,
        What::Fetches => values::fetches,
        What::Fetched => values::fetched,
        What::Uses => values::uses,
        What::Slot => values::slot,
        What::Total => sums::total,
        What::Executed => sums::executed,
        What::OfBlock => sums::of_block,
        What::Requests => sums::requests,
        What::PerFma => sums::per_fma,
        What::PerWarpFma => sums::per_warp_fma,
        What::Right => sound::right,
        What::Wrong => sound::wrong,
        What::Findings => sound::findings,
        What::LinesOf => sound::lines_of,
        What::Sound => sound::sound,
        What::Spoilt => sound::spoilt,
        What::Settings => settings::settings,
        What::Dial => settings::dial,
        What::Ms => times::ms,
        What::Gflops => times::gflops,
        What::Faster => times::faster,
        What::OfLibrary => times::of_library,
        What::Occupancy => machine::occupancy,
        What::Registers => machine::registers,
        What::Limit => machine::limit,
        What::Least => choice::least,
        What::Most => choice::most,
        What::Kernel => scene::kernel,
        What::Tile => scene::tile,
        What::M => scene::m,
        What::N => scene::n,
        What::K => scene::k,
        What::LineOf => scene::line_of,
    };
    family(asked)
}
