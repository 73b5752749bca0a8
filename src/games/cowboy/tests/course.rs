//! The course of a match: order, rounds, eliminations, forfeits, the end.

use serde_json::json;

use super::{Game, Joint, Order, Position, STRAIGHT, Seat, Seed, TEE};
use super::{check, outcome_words, rules, rules_with, set_up};

/// Passes so many turns and compares who was to act, in which round.
#[track_caller]
fn check_order(drawn: &str, turns: usize, expected: &str) {
    let (mut position, _) = set_up(&rules(TEE), drawn);
    let mut told = Vec::new();
    for _ in 0..turns {
        let seat = position.to_act().iter().next().expect("it goes on");
        told.push(format!("{seat}{}", position.round()));
        position.play(&Joint::one(seat, Order::Pass), &mut Seed(0).dice()).expect("a pass always plays");
    }
    assert_eq!(told.join(" "), expected, "on this board:{drawn}");
}

#[test]
fn the_order_is_a_b_c_d_and_a_round_ends_when_it_wraps() {
    check_order("A B C D   A: pass", 9, "A1 B1 C1 D1 A2 B2 C2 D2 A3");
    check_order("A B C   B: pass", 5, "B1 C1 A2 B2 C2");
    check_order("A B   A: pass   round 7", 3, "A7 B7 A8");
    check_order("A   A: pass", 3, "A1 A2 A3");
}

#[test]
fn the_dead_are_skipped() {
    check_order("A b C D   A: pass", 6, "A1 C1 D1 A2 C2 D2");
    check_order("a B c D   D: pass", 4, "D1 B2 D2 B3");
    check_order("A B c d   B: pass", 3, "B1 A2 B2");
}

#[test]
fn a_turn_belongs_to_the_seat_that_is_to_act() {
    check(TEE, "A . . B   A: pass   A: pass   B: pass", "A passes; not_to_act; B passes");
}

#[test]
fn a_pass_uses_up_the_turn_and_does_nothing() {
    let (mut position, _) = set_up(&rules(TEE), "A 1 # B   A>3k1   A: pass");
    let before = position.state("");
    position.play(&Joint::one(Seat::new(0), Order::Pass), &mut Seed(0).dice()).expect("a pass always plays");
    let mut after = position.state("");
    assert_eq!((after.turn, after.to_act.to_string()), (1, "B".to_owned()));
    (after.turn, after.to_act) = (before.turn, before.to_act.clone());
    assert_eq!(after, before);
}

#[test]
fn without_hit_points_a_player_is_out_and_the_last_one_alive_wins() {
    check(
        STRAIGHT,
        "A B   A<   B^1   A: shoot right",
        "right hits B 0 left; A puts B out, place 2; last_alive: A 1, B 2",
    );
    check(
        TEE,
        "
        . B    B^1
        A .    A<   A: shoot right",
        "up hits B 0 left, down off at (1, 1); A puts B out, place 2; last_alive: A 1, B 2",
    );
}

#[test]
fn a_shield_saves_the_last_hit_point() {
    check(STRAIGHT, "A B   A<   B<1   A: shoot right", "right B blocks");
}

#[test]
fn two_put_out_by_one_shot_share_a_place() {
    check(
        TEE,
        "
        B . C    B^1   C^1
        . A .    A<   A: shoot up",
        "left hits B 0 left, right hits C 0 left; A puts B out, place 2; A puts C out, place 2; \
         last_alive: A 1, B 2, C 2",
    );
    check(
        TEE,
        "
        B . C    B^1   C^1
        . A D    A<   A: shoot up",
        "left hits B 0 left, right hits C 0 left; A puts B out, place 3; A puts C out, place 3",
    );
}

#[test]
fn who_is_put_out_later_ranks_above() {
    check(
        STRAIGHT,
        "
        A B . D    A<   B^1   A: shoot right
        C . . .    Cv   D^1   C: pass
        . . . .    D: shield up
        . . . .    A: shoot right
        . . . .    C: shoot up",
        "right hits B 0 left; A puts B out, place 4; C passes; D shields up; \
         right hits D 0 left; A puts D out, place 3; up hits A 9 left",
    );
}

#[test]
fn every_elimination_is_the_shooters_kill() {
    let (mut position, turns) = set_up(
        &rules(TEE),
        "
        B . C    B^1   C^1
        . A D    A<10k3   A: shoot up",
    );
    let (seat, order) = turns.into_iter().next().expect("one turn");
    position.play(&Joint::one(seat, order), &mut Seed(0).dice()).expect("a legal shot");
    assert_eq!(position.kills(seat), 5);
}

#[test]
fn the_body_of_one_shot_is_in_the_way_of_moves_only() {
    check(
        TEE,
        "
        . B . C    B^1   C^
        A . . .    A<   A: shoot right
        . . . .    C: shield up
        . . . .    A: move up
        . . . .    C: pass
        . . . .    A: move right",
        "up hits B 0 left, down off at (5, 1); A puts B out, place 3; C shields up; A goes to (0, 0); C passes; \
         move_into_player",
    );
}

#[test]
fn after_the_last_round_hit_points_and_then_kills_decide() {
    for (notes, expected) in [
        ("A^3   B^5   C^4", "round_limit: A 3, B 1, C 2"),
        ("A^5k1   B^5k2   C^4k9", "round_limit: A 2, B 1, C 3"),
        ("A^5k1   B^5k1   C^4", "round_limit: A 1, B 1, C 3"),
        ("A^5   B^4   C^4", "round_limit: A 1, B 2, C 2"),
        ("A^5   B^5   C^5", "round_limit: A 1, B 1, C 1"),
    ] {
        check(TEE, &format!("A . B . C   {notes}   round 100   C: pass"), &format!("C passes; {expected}"));
    }
}

#[test]
fn the_last_round_is_played_to_its_end() {
    check(
        TEE,
        "A . B . C   round 100   A: pass   B: pass   C: pass   A: pass",
        "A passes; B passes; C passes; round_limit: A 1, B 1, C 1; match_over",
    );
    check(TEE, "A . B . c   round 100   B: pass", "B passes; round_limit: A 1, B 1, C 3");
}

#[test]
fn the_dead_rank_below_the_living_at_the_limit() {
    check(
        STRAIGHT,
        "A . B C   round 100   A^1   B>   C^1   B: shoot left   C: pass",
        "left hits A 0 left; B puts A out, place 3; C passes; round_limit: A 3, B 1, C 2",
    );
}

#[test]
fn the_last_shot_of_the_last_round_still_wins() {
    check(
        STRAIGHT,
        "A B   round 100   A^1   B>   B: shoot left",
        "left hits A 0 left; B puts A out, place 2; last_alive: A 2, B 1",
    );
}

#[test]
fn a_forfeit_puts_out_and_is_nobodys_kill() {
    check(TEE, "A . B   A: forfeit", "A forfeits; A is out, place 2; forfeit: A 2, B 1");
    check(
        TEE,
        "A . B . C   A: forfeit   B: pass   C: forfeit",
        "A forfeits; A is out, place 3; B passes; C forfeits; C is out, place 2; forfeit: A 3, B 1, C 2",
    );
    let (mut position, _) = set_up(&rules(TEE), "A B C   A>7   A: forfeit");
    let seat = Seat::new(0);
    position.play(&Joint::one(seat, Order::Forfeit), &mut Seed(0).dice()).expect("a forfeit always plays");
    assert_eq!((position.hp(seat), position.alive(seat)), (7, false), "hit points stay as they were");
}

#[test]
fn a_forfeit_in_the_last_turn_of_the_last_round_ends_it_as_a_forfeit_or_at_the_limit() {
    check(TEE, "A . B   round 100   B: forfeit", "B forfeits; B is out, place 2; forfeit: A 1, B 2");
    check(TEE, "A . B . C   round 100   C: forfeit", "C forfeits; C is out, place 3; round_limit: A 1, B 1, C 3");
}

#[test]
fn alone_it_is_practice_until_the_last_round() {
    let rules = rules_with(&json!({ "base": "cowboy", "max_rounds": 3 }));
    let mut position = Position::open(&rules, 1, &mut Seed(0).set_up()).expect("one can play");
    for turn in 0..3 {
        assert!(position.outcome().is_none(), "over after {turn} turns");
        let seat = position.to_act().iter().next().expect("it goes on");
        position.play(&Joint::one(seat, Order::Pass), &mut Seed(0).dice()).expect("a pass always plays");
    }
    assert_eq!(position.outcome().as_ref().map(outcome_words).as_deref(), Some("round_limit: A 1"));
    check(TEE, "A .   A: forfeit", "A forfeits; A is out, place 1; forfeit: A 1");
}

#[test]
fn once_it_is_over_nobody_acts() {
    check(
        TEE,
        "A . B   A: forfeit   B: move left   B: pass   A: pass",
        "A forfeits; A is out, place 2; forfeit: A 2, B 1; match_over; match_over; match_over",
    );
}

#[test]
fn the_dead_of_a_set_up_position_fell_before_whoever_falls_now() {
    check(
        STRAIGHT,
        "A B c   A<   B^1   A: shoot right",
        "right hits B 0 left; A puts B out, place 2; last_alive: A 1, B 2, C 3",
    );
    check(
        STRAIGHT,
        "A B c d   A<   B^1   A: shoot right",
        "right hits B 0 left; A puts B out, place 2; last_alive: A 1, B 2, C 3, D 3",
    );
}
