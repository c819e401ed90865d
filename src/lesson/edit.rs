//! A kernel that the user edits in an editor: watched, compiled and judged at every save.
//!
//! ```text
//! file --watch--> text --version--> Version: the problems of all sizes --judgement--> Judgement
//!                  |                                                                  | counts, C
//!                  +--difference--> Difference      goal: Version        mistake: Mistake, a place
//! ```

pub mod copy;
pub mod difference;
pub mod goal;
pub mod judgement;
pub mod mistake;
pub mod run;
pub mod version;
pub mod watch;

mod mistakes;
