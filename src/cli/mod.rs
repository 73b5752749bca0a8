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
mod host;
mod house;
mod invite;
mod leaderboard;
mod matches;
mod mcp;
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
mod telemetry;
mod tournament;

use std::ffi::OsString;
use std::io::{self, BufWriter, Write};
use std::process::ExitCode;

use clap::{Parser, Subcommand};

use self::error::Failure;

/// Language models, bots and people play grid games against each other.
#[derive(Parser, Debug)]
#[command(
    name = "standoff",
    version,
    about,
    after_help = "Examples:
  standoff play                                play Cowboy against a bot, here in the terminal
  standoff play --players greedy,search        watch two bots
  standoff play --ruleset paint --lang zh      another game, in Chinese
  standoff rules grid-royale                   read the rules
  standoff replay match.jsonl                  watch a recorded match

Exit codes: 0 done, 1 the work failed, 2 the call was wrong."
)]
struct Cli {
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
    Serve(serve::ServeCommand),
    Tournament(tournament::TournamentCommand),
    Experiment(experiment::ExperimentCommand),
    Leaderboard(leaderboard::LeaderboardCommand),
    Matches(matches::MatchesCommand),
    Export(export::ExportCommand),
    Bench(bench::BenchCommand),
    Analyze(analyze::AnalyzeCommand),
    Quiz(quiz::QuizCommand),
    Bank(bank::BankCommand),
    /// The rules engine for programs in any language: JSON lines on standard input and output
    #[command(after_help = "Example:
  echo '{\"op\":\"start\",\"ruleset\":\"cowboy\",\"players\":2,\"seed\":7}' | standoff engine")]
    Engine,
}

/// Runs the program on its arguments and gives its exit code.
pub fn main(args: impl IntoIterator<Item = OsString>) -> ExitCode {
    let cli = match Cli::try_parse_from(args) {
        Ok(cli) => cli,
        Err(error) => {
            // Help and version go to standard output and are no failure; clap knows which.
            let _ = error.print();
            return ExitCode::from(u8::try_from(error.exit_code()).unwrap_or(2));
        }
    };
    // Not locked: a person is asked from a thread of its own.
    let mut out = BufWriter::new(io::stdout());
    let done = run(cli.command, &mut out).and_then(|()| out.flush().map_err(Failure::from));
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            let _ = out.flush();
            if !failure.is_silent() {
                let _ = writeln!(io::stderr(), "{failure}");
            }
            failure.code()
        }
    }
}

fn run(command: Command, out: &mut impl Write) -> Result<(), Failure> {
    match command {
        Command::Play(play) => play.run(out),
        Command::Replay(replay) => replay.run(out),
        Command::Prompt(prompt) => prompt.run(out),
        Command::Rules(rules) => rules.run(out),
        Command::Rulesets(rulesets) => rulesets.run(out),
        Command::Bots(bots) => bots.run(out),
        Command::Players(players) => players.run(out),
        Command::Mcp(mcp) => mcp.run(out),
        Command::Serve(serve) => serve.run(),
        Command::Tournament(tournament) => tournament.run(out),
        Command::Experiment(experiment) => experiment.run(out),
        Command::Leaderboard(leaderboard) => leaderboard.run(out),
        Command::Matches(matches) => matches.run(out),
        Command::Export(export) => export.run(out),
        Command::Bench(bench) => bench.run(out),
        Command::Analyze(analyze) => analyze.run(out),
        Command::Quiz(quiz) => quiz.run(out),
        Command::Bank(bank) => bank.run(out),
        Command::Engine => engine::run(io::stdin().lock(), out),
    }
}
