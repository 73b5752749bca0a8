//! `standoff bots`: who plays without a key.

use std::io::Write;

use clap::{Args, Subcommand};
use serde_json::json;

use super::error::Failure;
use crate::players::BOTS;

/// List the built-in bots.
#[derive(Args, Debug)]
#[command(after_help = "Example:
  standoff bots --json")]
pub struct Bots {
    /// As one JSON object
    #[arg(long)]
    json: bool,
}
