//! What holds across the program.

// What every game promises to the rest of the program.
mod laws;
