//! A GPU's ceilings as text.

use crate::stats::Quartiles;
use crate::timing::{Ceilings, Hierarchy, Overheads, Sensors};

/// The ceilings on one line, each with its unit. They are measured; the caller must say so.
pub fn line(ceilings: &Ceilings) -> String {
    let Ceilings { copy_gb_s, shared_gb_s, float32_gflops, half_mma_gflops, .. } = ceilings;
    let half = half_mma_gflops.map(|rate| format!("half mma.sync {}FLOP/s", giga(rate)));
    let parts = [
        Some(format!("copy {}B/s", giga(*copy_gb_s))),
        Some(format!("shared memory {}B/s", giga(*shared_gb_s))),
        Some(format!("float32 {}FLOP/s", giga(*float32_gflops))),
        half,
    ];
    parts.into_iter().flatten().collect::<Vec<_>>().join(", ")
}

/// The rates of the caches, and the time from one instruction to the next that needs its result at
/// each level of the memory hierarchy, on one line.
pub fn hierarchy(hierarchy: &Hierarchy) -> String {
    let Hierarchy { l1_gb_s, l2_gb_s, registers_ns, shared_ns, l1_ns, l2_ns, dram_ns, .. } =
        hierarchy;
    let ns = |time: &Quartiles| format!("{:.1} ns", time.median);
    format!(
        "L1 {}B/s, L2 {}B/s; latency: register {}, shared memory {}, L1 {}, L2 {}, DRAM {}",
        giga(*l1_gb_s),
        giga(*l2_gb_s),
        ns(registers_ns),
        ns(shared_ns),
        ns(l1_ns),
        ns(l2_ns),
        ns(dram_ns)
    )
}

/// The costs of a launch and of copies from and to the host, on one line.
pub fn ways(ceilings: &Ceilings) -> String {
    let Overheads { batch_us, single_us, submit_us, round_trip_us } = &ceilings.overheads;
    let us = |time: &Quartiles| format!("{:.1} us", time.median);
    format!(
        "empty kernel {} in a row, {} alone, {} to hand over, {} there and back; page-locked copies \
         {}B/s to the GPU, {}B/s from it",
        us(batch_us),
        us(single_us),
        us(submit_us),
        us(round_trip_us),
        giga(ceilings.to_gpu_gb_s),
        giga(ceilings.from_gpu_gb_s)
    )
}

/// A GPU's state at a moment: `1980 MHz (memory 3201 MHz), 45 C, 412 W`, and the reasons for
/// reduced clocks.
pub fn sensors(sensors: &Sensors) -> String {
    let Sensors { sm_mhz, memory_mhz, temperature_c, power_w, held_back_by } = sensors;
    let clock = sm_mhz.map(|mhz| format!("{mhz} MHz"));
    let memory = memory_mhz.map(|mhz| format!("memory {mhz} MHz"));
    let held =
        (!held_back_by.is_empty()).then(|| format!("held back by {}", held_back_by.join(", ")));
    let parts = [
        clock,
        memory,
        temperature_c.map(|degrees| format!("{degrees} C")),
        power_w.map(|watts| format!("{watts:.0} W")),
        held,
    ];
    parts.into_iter().flatten().collect::<Vec<_>>().join(", ")
}

/// A rate in units of 10^9, with the prefix of its unit: `4.12 T`.
fn giga(rate: Quartiles) -> String {
    if rate.median < 1e3 {
        format!("{:.1} G", rate.median)
    } else {
        format!("{:.2} T", rate.median / 1e3)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_figure_has_its_unit_and_what_is_not_known_is_left_out() {
        let at = |median| Quartiles { median, q1: median, q3: median, samples: 10 };
        let overheads = Overheads {
            batch_us: at(2.1),
            single_us: at(5.3),
            submit_us: at(1.9),
            round_trip_us: at(8.0),
        };
        let ceilings = Ceilings {
            copy_gb_s: at(4123.4),
            shared_gb_s: at(31_900.0),
            float32_gflops: at(65_900.0),
            half_mma_gflops: None,
            to_gpu_gb_s: at(55.1),
            from_gpu_gb_s: at(54.9),
            overheads,
            hierarchy: None,
            before: None,
            after: None,
        };
        insta::assert_snapshot!(line(&ceilings), @"copy 4.12 TB/s, shared memory 31.90 TB/s, float32 65.90 TFLOP/s");
        insta::assert_snapshot!(ways(&ceilings), @"empty kernel 2.1 us in a row, 5.3 us alone, 1.9 us to hand over, 8.0 us there and back; page-locked copies 55.1 GB/s to the GPU, 54.9 GB/s from it");
        let hot = Sensors {
            sm_mhz: Some(1755),
            power_w: Some(699.6),
            held_back_by: vec!["power limit".to_owned()],
            ..Sensors::default()
        };
        insta::assert_snapshot!(sensors(&hot), @"1755 MHz, 700 W, held back by power limit");
    }
}
