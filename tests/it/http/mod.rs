//! The arena over HTTP, with the real program and real sockets.

mod arena;
mod client;
mod fog;
mod guard;
mod kept;
mod secrets;
mod standings;
mod streams;
