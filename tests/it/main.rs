//! What holds across the program.

// Matches that begin from random turns.
mod openings;
// Who may import whom.
mod architecture;
// What players are told, in both languages.
mod briefs;
// A server that misbehaves in every way known, and the verdict on each.
mod canary;
// The program in Chinese.
mod chinese;
// The commands, as people and scripts meet them.
mod cli;
// `standoff engine`, as programs in other languages use it.
mod engine;
// Prompt experiments: gates, budgets, reports.
mod experiment;
// Anything at all given to what reads from outside: an answer, never a panic.
mod fuzz;
// Records that were changed by somebody who knows how to hash.
mod forgery;
// The terms of the project, in both languages.
mod glossary;
// Matches written down turn by turn, to be read in review and compared byte for byte.
mod golden;
// An arena that is killed at any moment: nothing that it acknowledged is lost.
mod agent;
mod arena;
// The arena over HTTP, as programs and pages meet it.
mod http;
// A match against a real inference server.
mod inference;
// What every game promises to the rest of the program.
mod laws;
// Links between the documents.
mod links;
// The MCP server, asked by clients of the protocol.
mod mcp;
// Models that play from the command line: killed, on tape, watched.
mod models;
// Players that are programs of their own, well-behaved and not.
mod process;
// The configuration of models.
mod players;
// The store on a PostgreSQL server.
mod postgres;
// Running the program.
mod program;
// How good moves are, what players know of the rules, and positions that tell.
mod quality;
// Records of every version that was ever written.
mod records;
// Players that do what a file says.
mod scripted;
// The web server: who is let in, and that nothing is lost.
mod serve;
// Signals that stop commands in the middle of calls.
#[cfg(unix)]
mod signals;
// What is known about the games for certain.
mod solved;
// Stores that earlier versions of the program wrote.
mod stores;
// Tournaments, their store and what is made of it.
mod tournament;
