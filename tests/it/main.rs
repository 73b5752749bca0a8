//! What holds across the program.
