//! The cases, by what goes wrong.

mod answers;
mod backend;
mod faults;
mod formats;
mod modes;
mod stream;
mod strict;
mod tools;
mod wire;

pub(super) use self::answers::answers;
pub(super) use self::backend::backend;
pub(super) use self::faults::{faults, words};
pub(super) use self::formats::formats;
pub(super) use self::modes::modes;
pub(super) use self::stream::stream_cases;
pub(super) use self::strict::strict;
pub(super) use self::tools::tools;
pub(super) use self::wire::wire;
