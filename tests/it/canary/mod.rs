//! A server that misbehaves on purpose, and the exact verdict on each of its ways.
//!
//! Every case is a match of two turns of Paint, where both act at once: A is a model on that server, B is a puppet that
//! seals its action, its words and its reasons at once. The model's name says which case it is. The verdict is what the
//! record says of A's first turn; the second one shows that all is well again.

mod case;
mod cases;
mod dialects;
mod reply;
mod server;
mod table;

use std::collections::HashSet;

use standoff::players::Api;

use self::case::Case;
use self::dialects::Said;
use self::table::check;

pub(crate) use self::server::next_request;

/// What a server says in this format, thinking, by a call of this tool: whole or as the body of a stream.
pub(crate) fn called(api: Api, streamed: bool, tool: &str, arguments: &str) -> String {
    let said = Said::call(tool, arguments).thinking("c2lnbmVk");
    let dialect = dialects::of(api);
    if streamed { dialects::event_stream(&dialect.events(&said)) } else { dialect.answer(&said).to_string() }
}

fn every_case() -> Vec<Case> {
    [
        cases::answers(),
        cases::tools(),
        cases::modes(),
        cases::strict(),
        cases::backend(),
        cases::faults(),
        cases::words(),
        cases::wire(),
        cases::stream_cases(),
        cases::formats(),
    ]
    .concat()
}

#[test]
fn there_are_enough_ways_and_each_has_its_own_name() {
    let names: HashSet<&str> = every_case().iter().map(|case| case.name).collect();
    assert_eq!(names.len(), every_case().len());
    assert!(names.len() >= 40, "{}", names.len());
}

#[tokio::test(flavor = "multi_thread")]
async fn answers_that_are_no_action_are_the_players_fault() {
    check(cases::answers()).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn tools_are_called_in_every_wrong_way() {
    check(cases::tools()).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn json_and_text_are_read_as_strictly() {
    check(cases::modes()).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn no_action_is_recorded_that_was_not_given_in_the_form_that_is_asked_for() {
    check(cases::strict()).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_the_backend_gets_wrong_costs_no_player_anything() {
    check(cases::backend()).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_a_server_says_of_an_answer_is_held_against_whoever_did_it() {
    check(cases::faults()).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn servers_of_ones_own_are_understood_in_their_own_words() {
    check(cases::words()).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn answers_in_pieces_are_put_together_or_asked_for_again() {
    check(cases::stream_cases()).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn broken_connections_and_bodies_are_survived() {
    check(cases::wire()).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn every_wire_format_is_spoken_and_misspoken_alike() {
    check(cases::formats()).await;
}
