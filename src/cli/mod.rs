//! The command line: one file per command. Results go to standard output, progress and complaints to standard error.

mod analyze;
mod args;
mod ask;
mod bank;
mod bench;
mod bill;
mod bots;
mod check;
pub mod draw;
mod engine;
mod error;
mod experiment;
mod export;
mod help;
mod host;
mod house;
mod install;
mod invite;
mod leaderboard;
mod manual;
mod matches;
mod mcp;
mod messages;
mod person;
mod play;
mod players;
mod prompt;
mod quiz;
mod replay;
mod reporting;
mod rules;
mod rulesets;
mod screen;
pub mod seat;
mod serve;
mod signals;
mod storage;
mod store;
mod telemetry;
mod tournament;
mod whereabouts;
mod work;

use std::ffi::OsString;
use std::io::{self, BufWriter, Write};
use std::process::ExitCode;

use clap::{FromArgMatches, Parser, Subcommand};

use self::error::Failure;
use self::messages::TranslatedOutput;
use crate::briefs::Language;
use crate::config::Environment;
use crate::players::agent;

/// Language models, bots and people play grid games against each other, fairly and measurably.
#[derive(Parser, Debug)]
#[command(name = "standoff", version)]
struct Cli {
    /// English or Chinese (default: the language of the environment)
    #[arg(long, global = true, value_name = "en|zh")]
    lang: Option<Language>,
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand, Debug)]
enum Command {
    Play(Box<play::PlayCommand>),
    Replay(replay::ReplayCommand),
    Prompt(prompt::PromptCommand),
    Rules(rules::RulesCommand),
    Rulesets(rulesets::RulesetsCommand),
    Bots(bots::BotsCommand),
    Players(players::PlayersCommand),
    Mcp(mcp::McpCommand),
    Serve(Box<serve::ServeCommand>),
    Tournament(tournament::TournamentCommand),
    Experiment(experiment::ExperimentCommand),
    Work(work::WorkCommand),
    Leaderboard(leaderboard::LeaderboardCommand),
    Matches(matches::MatchesCommand),
    Export(export::ExportCommand),
    Bench(bench::BenchCommand),
    Analyze(analyze::AnalyzeCommand),
    Quiz(quiz::QuizCommand),
    Bank(bank::BankCommand),
    Store(store::StoreCommand),
    Where(whereabouts::WhereCommand),
    Completions(manual::CompletionsCommand),
    Man(manual::ManCommand),
    /// The rules engine for programs in any language: JSON lines on standard input and output
    #[command(after_help = "Example:
  echo '{\"op\":\"start\",\"ruleset\":\"cowboy\",\"players\":2,\"seed\":7}' | standoff engine")]
    Engine,
    /// Passes an agent's calls on to the seat that it plays for; agents start it themselves
    #[command(hide = true)]
    AgentSeat,
}

/// Runs the program on its arguments and gives its exit code.
pub fn main(args: impl IntoIterator<Item = OsString>) -> ExitCode {
    run_args(args.into_iter().collect())
}

/// Not generic: everything that it calls is compiled here, and not once more with whatever calls `main`.
fn run_args(args: Vec<OsString>) -> ExitCode {
    let language = help::language(&args);
    messages::speak(language);
    let asked = args.clone();
    let parsed = help::command(language).try_get_matches_from(args);
    let cli = match parsed.and_then(|matches| Cli::from_arg_matches(&matches)) {
        Ok(cli) => cli,
        Err(error) => {
            // Help and version go to standard output and are no failure; clap knows which.
            if error.use_stderr() && language == Language::Zh {
                messages::tell(error.render().to_string().trim_end());
            } else {
                let _ = error.print();
            }
            if let Some(command) = wants_a_file(&error, &asked) {
                messages::tell(&format!("hint: `standoff {command} --init > {command}.toml` writes an example"));
            }
            return ExitCode::from(u8::try_from(error.exit_code()).unwrap_or(2));
        }
    };
    // Not locked: a person is asked from a thread of its own.
    let mut out = BufWriter::new(io::stdout());
    let done = run(cli.command, &mut out, language).and_then(|()| out.flush().map_err(Failure::from));
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            let _ = out.flush();
            if !failure.is_silent() {
                messages::tell(&failure.to_string());
            }
            failure.code()
        }
    }
}

/// The command that was called without its file, where it can write an example of one.
fn wants_a_file(error: &clap::Error, args: &[OsString]) -> Option<&'static str> {
    let mut words = args.iter().skip(1).map(|arg| arg.to_string_lossy());
    let called = loop {
        match words.next()?.as_ref() {
            // The one option before a command that has a value.
            "--lang" => drop(words.next()),
            word if word.starts_with('-') => {}
            word => break word.to_owned(),
        }
    };
    let named = |command: &&str| called == **command;
    let is_missing = error.kind() == clap::error::ErrorKind::MissingRequiredArgument;
    ["tournament", "experiment"].into_iter().find(named).filter(|_| is_missing)
}

fn run(command: Command, out: &mut impl Write, language: Language) -> Result<(), Failure> {
    match command {
        Command::Play(play) => play.run(out),
        Command::Replay(replay) => replay.run(out),
        Command::Prompt(prompt) => prompt.run(out),
        Command::Rules(rules) => rules.run(out),
        Command::Rulesets(rulesets) => in_language(out, |out| rulesets.run(out)),
        Command::Bots(bots) => bots.run(out),
        Command::Players(players) => in_language(out, |out| players.run(out)),
        Command::Mcp(mcp) => mcp.run(out),
        Command::Serve(serve) => serve.run(),
        Command::Tournament(tournament) => in_language(out, |out| tournament.run(out)),
        Command::Experiment(experiment) => in_language(out, |out| experiment.run(out)),
        Command::Work(work) => in_language(out, |out| work.run(out)),
        Command::Leaderboard(leaderboard) => in_language(out, |out| leaderboard.run(out)),
        Command::Matches(matches) => in_language(out, |out| matches.run(out)),
        Command::Export(export) => export.run(out),
        Command::Bench(bench) => in_language(out, |out| bench.run(out)),
        Command::Analyze(analyze) => in_language(out, |out| analyze.run(out)),
        Command::Quiz(quiz) => in_language(out, |out| quiz.run(out)),
        Command::Bank(bank) => in_language(out, |out| bank.run(out)),
        Command::Store(store) => in_language(out, |out| store.run(out)),
        Command::Where(place) => place.run(out, language),
        Command::Completions(completions) => completions.run(out),
        Command::Man(man) => man.run(out, language),
        Command::Engine => engine::run(io::stdin().lock(), out),
        Command::AgentSeat => agent_seat(),
    }
}

/// Runs a command whose tables and reports are for people, and so in the language of the call. The output of the others
/// has a language of its own, or is data.
fn in_language<W: Write>(
    out: &mut W,
    run: impl FnOnce(&mut TranslatedOutput<&mut W>) -> Result<(), Failure>,
) -> Result<(), Failure> {
    let mut told = TranslatedOutput::new(out);
    let done = run(&mut told);
    told.flush()?;
    done
}

/// Relays an agent's MCP session to its seat.
fn agent_seat() -> Result<(), Failure> {
    let wanted = |name: &str| {
        let missing = || Failure::call(format!("{name} is not set")).hint("agents start this command by themselves");
        Environment::of_process().text(name).ok_or_else(missing)
    };
    let (address, key) = (wanted(agent::SEAT_VARIABLE)?, wanted(agent::KEY_VARIABLE)?);
    storage::block_on(async {
        let relayed = agent::relay(&address, &key, tokio::io::stdin(), tokio::io::stdout()).await;
        relayed.map_err(|error| Failure::work(format!("the seat at {address} is gone: {error}")))
    })
}
