//! `standoff prompt`: what a model is told, byte for byte.

use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::Args;
use serde_json::json;
use tiktoken_rs::{cl100k_base_singleton, o200k_base_singleton};

use super::error::Failure;
use crate::briefs::{self, AnswerBy, Language, Past, TurnContext, Variant};
use crate::games::Viewer;
use crate::games::dice::Seed;
use crate::games::library;
use crate::games::seat::Seat;
use crate::games::table::Table;
use crate::matches::{Asked, Replay};
use crate::players::Profile;
use crate::settings::did_you_mean;
use crate::settings::files::Disk;

/// Print what a model is told, byte for byte: the system prompt and the message of a turn.
#[derive(Args, Debug)]
#[command(after_help = "Examples:
  standoff prompt --ruleset paint --lang zh            the opening, as seat A is told of it
  standoff prompt --variant json-board --mode json     another variant, another way to answer
  standoff prompt --record match.jsonl --seat B --turn 12
  standoff prompt --variant standard --file > mine.toml && standoff prompt --variant ./mine.toml

The tokens are counted on standard error, as OpenAI's models count them.")]
pub(crate) struct PromptCommand {
    /// A built-in prompt variant, or the path of a file: bare, json-board, list-board, no-legal, scratchpad, standard
    #[arg(long, value_name = "NAME|FILE", default_value = "standard")]
    variant: String,
    /// A built-in ruleset or the path of a TOML file; by default `cowboy`, or the record's own
    #[arg(long, value_name = "NAME|FILE")]
    ruleset: Option<String>,
    /// English or Chinese, if the variant leaves it open
    #[arg(long, default_value = "en", value_name = "en|zh")]
    lang: Language,
    /// The seat that is prompted
    #[arg(long, default_value = "A", value_name = "SEAT")]
    seat: Seat,
    /// How the model is to answer
    #[arg(long, default_value = "tools", value_name = "tools|json|text")]
    mode: AnswerBy,
    /// The number of players (default: the ruleset's)
    #[arg(long, value_name = "N", conflicts_with = "record")]
    players: Option<usize>,
    /// A recorded match (default: the opening position of a new one)
    #[arg(long, value_name = "FILE")]
    record: Option<PathBuf>,
    /// Which turn of the record (default: the last one in which the seat was asked)
    #[arg(long, value_name = "N", requires = "record")]
    turn: Option<u32>,
    /// As an array of messages
    #[arg(long)]
    json: bool,
    /// Print the file of a built-in variant instead, to copy and change
    #[arg(long, conflicts_with_all = ["record", "json"])]
    file: bool,
}

impl PromptCommand {
    /// Prints the messages, and on standard error how many tokens they have.
    ///
    /// # Errors
    /// If the variant, the ruleset, the record or the turn is no good.
    pub(crate) fn run(self, out: &mut impl Write) -> Result<(), Failure> {
        if self.file {
            let text = briefs::variant_file(&self.variant).ok_or_else(|| {
                let names = briefs::variants().collect::<Vec<_>>().join(", ");
                Failure::call(format!(
                    "no prompt variant `{}` is built in{}",
                    self.variant,
                    did_you_mean(&self.variant, briefs::variants())
                ))
                .hint(format!("there are {names}"))
            })?;
            return Ok(out.write_all(text.as_bytes())?);
        }
        let variant = variant(&self.variant)?;
        let language = variant.language(self.lang);
        let [system, turn] = match &self.record {
            Some(path) => self.recorded(path, &variant, language)?,
            None => self.opening(&variant, language)?,
        };
        if self.json {
            let messages = json!([{ "role": "system", "content": system }, { "role": "user", "content": turn }]);
            writeln!(out, "{messages}")?;
        } else {
            write!(out, "=== system ===\n{system}=== user ===\n{turn}")?;
        }
        out.flush()?;
        self.count(&variant, language, [&system, &turn])
    }

    fn opening(&self, variant: &Variant, language: Language) -> Result<[String; 2], Failure> {
        let ruleset = Arc::new(super::args::ruleset(self.ruleset.as_deref().unwrap_or(library::DEFAULT))?);
        let players = self.players.unwrap_or(ruleset.players.default);
        let table = Table::open(ruleset, players, Seed(0)).map_err(Failure::call)?;
        self.messages(
            variant,
            language,
            &[Asked { turn: 1, view: table.view(Viewer::Seat(self.seat)), since: Vec::new(), said: Vec::new() }],
        )
    }

    fn recorded(&self, path: &Path, variant: &Variant, language: Language) -> Result<[String; 2], Failure> {
        let record = Replay::read(super::replay::open(path)?)
            .map_err(|error| Failure::work(format!("{}: {error}", path.display())))?;
        let own = &record.ruleset.name;
        if let Some(name) = &self.ruleset
            && super::args::ruleset(name)?.name != *own
        {
            return Err(Failure::call(format!("the record is of `{own}`, not of `{name}`")).hint("leave --ruleset out"));
        }
        let mut asked = record.asked(self.seat);
        let turns: Vec<String> = asked.iter().map(|asked| asked.turn.to_string()).collect();
        let last = match self.turn {
            Some(turn) => asked.iter().position(|asked| asked.turn == turn),
            None => asked.len().checked_sub(1),
        };
        let Some(last) = last else {
            let when = self.turn.map(|turn| format!(" in turn {turn}")).unwrap_or_default();
            return Err(Failure::call(format!("{} was not asked{when}", self.seat))
                .hint(format!("its turns in this record: {}", turns.join(", "))));
        };
        asked.truncate(last + 1);
        self.messages(variant, language, &asked)
    }

    /// The system prompt, and the message that goes with the last of these questions.
    fn messages(&self, variant: &Variant, language: Language, asked: &[Asked]) -> Result<[String; 2], Failure> {
        let Some((now, before)) = asked.split_last() else { unreachable!("there is a question") };
        let (view, seat) = (&now.view, self.seat);
        if !Seat::first(view.seats()).any(|other| other == seat) {
            return Err(Failure::call(format!("there is no seat {seat} among {} players", view.seats())));
        }
        let history: Vec<Past> =
            before.iter().map(|asked| Past { since: asked.events(), said: asked.said.clone() }).collect();
        let since = now.events();
        let context = TurnContext { view, seat, since: &since, said: &now.said, history: &history, notes: None };
        let system = variant.system(view.ruleset(), view.seats(), seat, self.mode, language);
        Ok([system, variant.turn(&context, language)])
    }

    fn count(&self, variant: &Variant, language: Language, [system, turn]: [&str; 2]) -> Result<(), Failure> {
        let mut err = io::stderr().lock();
        writeln!(err, "variant {} {}", variant.name(), variant.hash(&[self.mode], language))?;
        for (name, vocabulary) in [("o200k_base", o200k_base_singleton()), ("cl100k_base", cl100k_base_singleton())] {
            let [system, turn] = [system, turn].map(|text| vocabulary.count_ordinary(text));
            writeln!(err, "{name}: {} tokens, {system} system + {turn} turn", system + turn)?;
        }
        writeln!(err, "A provider adds a few for each message, and those of the tools or the schema.")?;
        if variant.keeps_notes() && self.record.is_some() {
            writeln!(err, "Notes are private and in no record: the model's note to itself is not shown here.")?;
        }
        Ok(())
    }
}

/// A built-in variant or a file.
///
/// # Errors
/// With every problem of it.
fn variant(name: &str) -> Result<Variant, Failure> {
    let variant = Variant::load(name, &Disk).map_err(|error| {
        Failure::call(error)
            .hint("`standoff prompt --variant standard --file` prints the file that documents every field")
    })?;
    // As a player gets it of whom nothing is said but its prompt.
    Ok(variant.with_output_limit(Profile::at("", "").max_output_tokens))
}
