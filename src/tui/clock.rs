//! The date and the time of day, by the system's clock.

use std::time::{SystemTime, UNIX_EPOCH};

/// The seconds of a day.
const DAY: u64 = 86_400;

/// Today's date, in UTC: `2026-11-21`.
pub fn today() -> String {
    date(seconds() / DAY)
}

/// The time of day here: `10:42:07`.
#[cfg(unix)]
pub fn time_of_day() -> String {
    let now = seconds() as libc::time_t;
    // SAFETY: all fields of a `tm` are numbers and a pointer, for which zero is valid.
    let mut here: libc::tm = unsafe { std::mem::zeroed() };
    // SAFETY: both point to values of their own, and it returns null or `here` (localtime_r(3)).
    if unsafe { libc::localtime_r(&raw const now, &raw mut here) }.is_null() {
        return of_day(seconds() % DAY);
    }
    format!("{:02}:{:02}:{:02}", here.tm_hour, here.tm_min, here.tm_sec)
}

/// The time of day, in UTC: where the zone is not known.
#[cfg(not(unix))]
pub fn time_of_day() -> String {
    of_day(seconds() % DAY) + " UTC"
}

/// The seconds since 1970 began, in UTC.
fn seconds() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs()
}

fn of_day(seconds: u64) -> String {
    format!("{:02}:{:02}:{:02}", seconds / 3600, seconds / 60 % 60, seconds % 60)
}

/// The date of a day, counted from 1970-01-01: `civil_from_days` of Howard Hinnant's "chrono-Compatible
/// Low-Level Date Algorithms". Its years begin in March, so that a leap day is the last of one, and an
/// era is the 400 years after which all days come again.
fn date(day: u64) -> String {
    let day = day + 719_468;
    let (era, of_era) = (day / 146_097, day % 146_097);
    let year = (of_era - of_era / 1460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year + year / 4 - year / 100);
    let month = (5 * of_year + 2) / 153;
    let day = of_year - (153 * month + 2) / 5 + 1;
    let (year, month) = if month < 10 { (year, month + 3) } else { (year + 1, month - 9) };
    format!("{}-{month:02}-{day:02}", 400 * era + year)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_have_dates_and_seconds_have_times() {
        assert_eq!([0, 59, 365].map(date), ["1970-01-01", "1970-03-01", "1971-01-01"]);
        assert_eq!([10_956, 11_016, 11_017].map(date), ["1999-12-31", "2000-02-29", "2000-03-01"]);
        assert_eq!([20_782, 47_540].map(date), ["2026-11-25", "2100-02-28"]);
        assert_eq!(date(47_541), "2100-03-01", "that is no leap year");
        assert_eq!([0, 38_527, DAY - 1].map(of_day), ["00:00:00", "10:42:07", "23:59:59"]);
        assert_eq!(time_of_day().split(':').count(), 3);
    }
}
