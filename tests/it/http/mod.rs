//! The arena over HTTP, with the real program and real sockets.

mod again;
mod arena;
mod balanced;
mod campaign;
mod care;
mod client;
mod fog;
mod guard;
mod identities;
mod in_play;
mod kept;
mod purse;
mod secrets;
mod share;
mod standings;
mod streams;
