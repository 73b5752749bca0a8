//! What holds across the program.

// What players are told, in both languages.
mod briefs;
// Anything at all given to what reads from outside: an answer, never a panic.
mod fuzz;
// Matches written down turn by turn, to be read in review and compared byte for byte.
mod golden;
// What every game promises to the rest of the program.
mod laws;
