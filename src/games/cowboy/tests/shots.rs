//! Shots: where beams run, what they do, and when they may not be fired.

use super::{Action, Direction, Game, Hit, Joint, Position, STRAIGHT, Seat, Seed, TEE, check, rules};

/// Plays a turn of A, who stands on a cell of this board.
#[track_caller]
fn check_from(ruleset: &str, board: &[&str], (row, col): (usize, usize), note: &str, expected: &str) {
    let mut lines: Vec<String> = board.iter().map(|line| (*line).to_owned()).collect();
    lines[row].replace_range(2 * col..=2 * col, "A");
    lines[0].push_str("   ");
    lines[0].push_str(note);
    check(ruleset, &lines.join("\n"), expected);
}

#[test]
fn four_of_the_seven_ways_to_aim_at_a_neighbour_hit_it() {
    let board = [
        ". . . . . . . .",
        ". . . . . . . .",
        ". . . . . . . .",
        ". . . . . B . .",
        ". . . . . . . .",
        ". . . . . . . .",
    ];
    for (from, note, expected) in [
        ((4, 4), "A<   B^   A: shoot up", "left off at (3, 0), right hits B 9 left"),
        ((4, 6), "A<   B^   A: shoot up", "left hits B 9 left, right off at (3, 7)"),
        ((2, 4), "A<   B^   A: shoot down", "left off at (3, 0), right hits B 9 left"),
        ((2, 6), "A<   B^   A: shoot down", "left hits B 9 left, right off at (3, 7)"),
        ((4, 5), "A<   B^   A: shoot up", "shoot_into_player"),
        ((3, 4), "A<   B^   A: shoot right", "shoot_into_player"),
        ((3, 6), "A>   B^   A: shoot left", "shoot_into_player"),
    ] {
        check_from(TEE, &board, from, note, expected);
    }
}

#[test]
fn one_may_stand_as_far_off_as_the_sweep_is_clear() {
    let board = [
        ". . . . . . . .",
        ". . . . . . . .",
        ". . . . . . . .",
        ". . . . . B . .",
        ". . . . . . . .",
        ". . . . . . . .",
    ];
    for (from, note, expected) in [
        ((4, 0), "A<   B^   A: shoot up", "left off at (3, 0), right hits B 9 left"),
        ((2, 7), "A<   B^   A: shoot down", "left hits B 9 left, right off at (3, 7)"),
        ((0, 4), "A<   B>   A: shoot right", "up off at (0, 5), down hits B 9 left"),
        ((5, 6), "A>   B^   A: shoot left", "up hits B 9 left, down off at (5, 5)"),
    ] {
        check_from(TEE, &board, from, note, expected);
    }
}

#[test]
fn a_tee_shot_hits_two_with_its_two_sweeps() {
    check(
        TEE,
        "
        . . . . . . . . . . .
        . . . . . . . . . . .
        . . . . . . . . . . .
        . . B . . . . . C . .    B^
        . . . . . A . . . . .    A<
        . . . . . . . . . . .    A: shoot up",
        "left hits B 9 left, right hits C 9 left",
    );
}

#[test]
fn a_tee_shot_never_goes_straight_on() {
    check(
        TEE,
        "
        . . B . .
        . . . . .
        . . . . .
        . . A . .    A<   A: shoot up",
        "left off at (2, 0), right off at (2, 4)",
    );
}

#[test]
fn a_sweep_stops_at_the_first_thing_in_its_way() {
    check(
        TEE,
        "
        B # . . . # C
        . . . A . . .    A<   A: shoot up",
        "left wall (0, 1), right wall (0, 5)",
    );
    check(
        TEE,
        "
        B 3 . . . 1 C
        . . . A . . .    A<   A: shoot up",
        "left block (0, 1) 2 left, right block (0, 5) 0 left",
    );
    check(
        TEE,
        "
        B C . . . D #
        . . . A . . .    A<   C<   D^   A: shoot up",
        "left hits C 9 left, right hits D 9 left",
    );
}

#[test]
fn both_sweeps_start_after_the_cell_that_the_beam_enters() {
    check(
        TEE,
        "
        . # .
        A . .    A<   A: shoot right
        B 2 .",
        "up wall (0, 1), down block (2, 1) 1 left",
    );
}

/// How a beam travels; the shield that blocks it; a board for the T-shaped laser and what A does there; where the
/// other sweep ends; a board for the straight laser.
const TRAVELS: [[&str; 6]; 4] = [
    ["up", "down", ". B\n. .\nA .", "A<   A: shoot right", "down off at (2, 1)", ". B\n. .\n. A"],
    ["down", "up", "A .\n. .\n. B", "A<   A: shoot right", "up off at (0, 1)", ". A\n. .\n. B"],
    ["left", "right", "B . .\n. . A", "Av   A: shoot up", "right off at (0, 2)", "B . A\n. . ."],
    ["right", "left", ". . B\nA . .", "Av   A: shoot up", "left off at (0, 0)", "A . B\n. . ."],
];

#[test]
fn a_shield_blocks_exactly_the_beam_that_comes_towards_it() {
    for [travels, blocking, tee, aim, other, straight] in TRAVELS {
        let back = if matches!(travels, "up" | "down") { '<' } else { '^' };
        for (shield, sign) in [("up", '^'), ("down", 'v'), ("left", '<'), ("right", '>')] {
            let hit =
                if shield == blocking { format!("{travels} B blocks") } else { format!("{travels} hits B 9 left") };
            let swept = match travels {
                "up" | "left" => format!("{hit}, {other}"),
                _ => format!("{other}, {hit}"),
            };
            check(TEE, &format!("{tee}   B{sign}   {aim}"), &swept);
            check(STRAIGHT, &format!("{straight}   A{back}   B{sign}   A: shoot {travels}"), &hit);
        }
    }
}

#[test]
fn a_tee_shot_is_refused_for_the_first_rule_that_it_breaks() {
    for (board, expected) in [
        ("A . B   A>   A: shoot right", "shoot_own_shield"),
        ("B . A   A>   A: shoot right", "shoot_own_shield"),
        ("A # B   A>   A: shoot right", "shoot_own_shield"),
        ("A B .   A>   A: shoot right", "shoot_own_shield"),
        ("B . A   A<   A: shoot right", "shoot_out_of_bounds"),
        ("A # B   A<   A: shoot right", "shoot_into_block"),
        ("A 1 B   A<   A: shoot right", "shoot_into_block"),
        ("A B .   A<   A: shoot right", "shoot_into_player"),
        ("A . B   A<   A: shoot right", "up off at (0, 1), down off at (0, 1)"),
    ] {
        check(TEE, board, expected);
    }
}

#[test]
fn each_way_off_the_board_is_out_of_bounds_for_a_tee_shot() {
    for (direction, shield) in [("up", 'v'), ("down", '^'), ("left", '>'), ("right", '<')] {
        check(TEE, &format!("A   A{shield}   A: shoot {direction}"), "shoot_out_of_bounds");
    }
}

#[test]
fn a_beam_enters_the_cell_of_a_body_and_passes_over_others() {
    check(
        TEE,
        "
        B . . . c . D    A<   B^   D^
        . . . . A . .    A: shoot up",
        "left hits B 9 left, right hits D 9 left",
    );
    check(
        TEE,
        "
        B c . . . d #
        . . . A . . .    A<   B^   A: shoot up",
        "left hits B 9 left, right wall (0, 6)",
    );
    check(STRAIGHT, "A c . d B   A<   B^   A: shoot right", "right hits B 9 left");
}

#[test]
fn a_straight_beam_hits_the_first_thing_ahead() {
    for (board, expected) in [
        ("A . . B C   A<   B^   A: shoot right", "right hits B 9 left"),
        ("A . 2 B C   A<   B^   A: shoot right", "right block (0, 2) 1 left"),
        ("A . # B C   A<   B^   A: shoot right", "right wall (0, 2)"),
        ("C B . . A   A>   A: shoot left", "left hits B 9 left"),
    ] {
        check(STRAIGHT, board, expected);
    }
}

#[test]
fn a_straight_beam_hits_the_neighbour_like_any_other() {
    for (board, expected) in [
        ("A B   A<   B^   A: shoot right", "right hits B 9 left"),
        ("A B   A<   B<   A: shoot right", "right B blocks"),
        ("A 1 B   A<   A: shoot right", "right block (0, 1) 0 left"),
        ("A # B   A<   A: shoot right", "right wall (0, 1)"),
    ] {
        check(STRAIGHT, board, expected);
    }
}

#[test]
fn a_straight_beam_towards_an_edge_is_legal_and_hits_nothing() {
    for (board, expected) in [
        ("B A . .   A^   A: shoot right", "right off at (0, 3)"),
        ("B A   A^   A: shoot right", "right off at (0, 1)"),
        ("B A   A^   A: shoot down", "down off at (0, 1)"),
        ("B A   A>   A: shoot up", "up off at (0, 1)"),
    ] {
        check(STRAIGHT, board, expected);
    }
}

#[test]
fn a_straight_shot_is_refused_only_through_the_own_shield() {
    for (board, expected) in [
        ("A . B   A>   A: shoot right", "shoot_own_shield"),
        ("B . A   A>   A: shoot right", "shoot_own_shield"),
        ("A # B   A>   A: shoot right", "shoot_own_shield"),
        ("A B .   A>   A: shoot right", "shoot_own_shield"),
    ] {
        check(STRAIGHT, board, expected);
    }
}

#[test]
fn nothing_happens_to_a_wall() {
    check(
        STRAIGHT,
        "
        A # B    A<   A: shoot right
        . . .    B: pass
        . . .    A: shoot right",
        "right wall (0, 1); B passes; right wall (0, 1)",
    );
}

#[test]
fn a_block_loses_a_hit_point_a_hit_and_is_gone_at_none() {
    check(
        STRAIGHT,
        "
        A . 2 B    A<   B^   A: shoot right
        . . . .    B: pass
        . . . .    A: shoot right
        . . . .    B: pass
        . . . .    A: shoot right",
        "right block (0, 2) 1 left; B passes; right block (0, 2) 0 left; B passes; right hits B 9 left",
    );
    check(
        TEE,
        "
        2 . 1 . B    A<   B^   A: shoot up
        . A . . .    B: pass
        . . . . .    A: shoot up",
        "left block (0, 0) 1 left, right block (0, 2) 0 left; B passes; left block (0, 0) 0 left, right hits B 9 left",
    );
}

#[test]
fn whom_a_beam_would_meet_is_whom_it_meets() {
    for ruleset in [TEE, STRAIGHT, "cowboy-duel"] {
        let rules = rules(ruleset);
        let mut dice = Seed(5).dice();
        let mut position = Position::open(&rules, rules.sides.len(), &mut dice).expect("all sides can play");
        let mut met = 0;
        while position.random_turn(&mut Joint::new(), &mut dice) {
            for (seat, direction) in
                Seat::first(position.seats()).flat_map(|seat| Direction::ALL.map(|direction| (seat, direction)))
            {
                let legal = position.check(seat, &Action::Shoot { direction }).is_ok();
                let beams = if legal { position.preview(seat, direction) } else { Vec::new() };
                for travels in Direction::ALL {
                    let hit = beams.iter().find(|beam| beam.direction == travels).and_then(|beam| match beam.hit {
                        Hit::Player { seat, .. } => Some(seat),
                        Hit::Edge | Hit::Wall | Hit::Block { .. } => None,
                    });
                    // Where no beam of the shot travels there is nothing to ask.
                    if !legal || beams.iter().any(|beam| beam.direction == travels) {
                        assert_eq!(position.in_sight(seat, direction, travels), hit, "{seat} {direction} {position:?}");
                    }
                    met += u32::from(hit.is_some());
                }
            }
        }
        assert!(met > 0, "{ruleset}");
    }
}
