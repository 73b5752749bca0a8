//! The laws in the game's own types.

use standoff::games::game::Game;
use standoff::games::{Dice, Joint, Order, Seat, Seed, opening};

use super::{Sides, check_places, notations, some, worth_a_look};

/// Plays one random match and holds every position of it to the laws.
pub(super) fn laws<G: Game>(rules: &G::Rules, seats: usize, seed: Seed, limit: u32, sides: Sides) {
    let alphabet = alphabet::<G>();
    for action in &alphabet {
        an_action_reads_back::<G>(action);
    }
    let open = || G::open(rules, seats, &mut seed.set_up()).expect("so many can play");
    let mut game = open();
    let mut played = Vec::new();
    let mut dice = seed.child("choices", 0).dice();
    loop {
        somebody_acts_or_it_is_over(&game, seats);
        a_state_reads_back(&game, rules);
        if worth_a_look(game.turn()) || game.to_act().is_empty() {
            refusals_change_nothing(&game, &alphabet);
            for seat in some(&game.to_act()) {
                legal_is_what_check_accepts(&game, seat, &alphabet);
                chance_is_legal_and_reaches_all(&game, seat, &mut dice);
            }
            forfeits_down_to_one_seat_end_it(&game, sides, &mut dice);
            all_can_give_up_at_once(&game);
        }
        if game.to_act().is_empty() {
            break;
        }
        assert!(game.turn() < limit, "{limit} turns are the most there can be");
        let passes = game.to_act().iter().map(|seat| (seat, Order::Pass)).collect();
        play(&mut game.clone(), &passes, seed);
        let orders = choose(&game, &mut dice);
        play(&mut game, &orders, seed);
        played.push((orders, digest(&game)));
    }
    nobody_has_to_act(open(), seed, limit);
    an_opening_leads_to_a_start(&open(), rules, seed);
    let mut again = open();
    for (orders, expected) in played {
        play(&mut again, &orders, seed);
        assert_eq!(digest(&again), expected, "the same orders lead to the same position");
    }
    assert_eq!(again, game);
}

/// After an opening nobody is worse off and everything begins as it does without one, but on another board.
fn an_opening_leads_to_a_start<G: Game>(start: &G, rules: &G::Rules, seed: Seed) {
    for turns in [0, 1, 64] {
        let (opened, drawn) = opening::draw(start, turns, &mut seed.opening());
        assert!(drawn.len() <= turns as usize);
        assert_eq!((opened.turn(), opened.to_act(), opened.outcome()), (0, start.to_act(), None));
        assert!(!opened.is_harmed_since(start));
        a_state_reads_back(&opened, rules);
        assert_eq!(opening::draw(start, turns, &mut seed.opening()), (opened.clone(), drawn.clone()));
        if turns == 0 {
            assert_eq!(&opened, start);
        }
    }
}

/// Everything that can be an action of the game, each once.
fn alphabet<G: Game>() -> Vec<G::Action> {
    let mut actions: Vec<G::Action> = Vec::new();
    for action in notations().iter().filter_map(|text| text.parse().ok()) {
        if !actions.contains(&action) {
            actions.push(action);
        }
    }
    actions
}

/// Notation and JSON give the same action back, through text and through a value.
fn an_action_reads_back<G: Game>(action: &G::Action) {
    assert_eq!(action.to_string().parse().as_ref(), Ok(action));
    let text = serde_json::to_string(action).expect("an action serialises");
    assert_eq!(serde_json::from_str::<G::Action>(&text).expect("and reads back"), *action, "{text}");
    let value = serde_json::to_value(action).expect("an action serialises");
    assert_eq!(serde_json::from_value::<G::Action>(value).expect("and reads back"), *action, "{text}");
}

fn somebody_acts_or_it_is_over<G: Game>(game: &G, seats: usize) {
    assert_eq!(game.seats(), seats);
    assert_eq!(game.to_act().is_empty(), game.outcome().is_some(), "{game:?}");
    assert!(game.to_act().iter().all(|seat| seat.index() < seats), "{game:?}");
    if let Some(outcome) = game.outcome() {
        check_places(&outcome, seats);
    }
}

fn a_state_reads_back<G: Game>(game: &G, rules: &G::Rules) {
    let state = game.state("any");
    let text = serde_json::to_string(&state).expect("a state serialises");
    let read: G::State = serde_json::from_str(&text).expect("and reads back");
    assert_eq!(read, state);
    assert_eq!(G::from_state(rules, &read).as_ref(), Ok(game), "{text}");
}

/// An action is listed exactly if it is accepted, and there is always one. Speech is accepted without being listed.
fn legal_is_what_check_accepts<G: Game>(game: &G, seat: Seat, alphabet: &[G::Action]) {
    let legal = game.legal(seat);
    assert!(!legal.is_empty(), "{seat} has nothing to do on {game:?}");
    for (at, action) in legal.iter().enumerate() {
        assert!(alphabet.contains(action), "{action} is no action that this test knows");
        assert!(!legal[..at].contains(action), "{action} is listed twice");
    }
    for action in alphabet.iter().filter(|action| !action.to_string().starts_with("speak")) {
        assert_eq!(legal.contains(action), game.check(seat, action).is_ok(), "{action} of {seat} on {game:?}");
    }
    let mut twice = legal.clone();
    game.legal_into(seat, &mut twice);
    assert_eq!(twice, [&legal[..], &legal[..]].concat(), "the list is added to, in the same order");
}

fn chance_is_legal_and_reaches_all<G: Game>(game: &G, seat: Seat, dice: &mut Dice) {
    let legal = game.legal(seat);
    let mut drawn = vec![0; legal.len()];
    // So many draws that even one run in a billion would not miss one of them.
    for _ in 0..legal.len() * 30 {
        let action = game.random_legal(seat, dice);
        let at = legal.iter().position(|other| *other == action).expect("a random action is legal");
        drawn[at] += 1;
    }
    assert!(drawn.iter().all(|count| *count > 0), "{drawn:?} of {legal:?}");
    let stand_in = game.stand_in(seat, dice);
    assert!(game.check(seat, &stand_in).is_ok(), "{stand_in} stands in for {seat} on {game:?}");
}

/// Orders by those who have nothing to do, by too few, against the rules: the position and the dice stay as they were.
fn refusals_change_nothing<G: Game>(game: &G, alphabet: &[G::Action]) {
    let passes: Joint<G::Action> = game.to_act().iter().map(|seat| (seat, Order::Pass)).collect();
    let refused = |orders: &Joint<G::Action>| {
        let (mut copy, mut dice) = (game.clone(), Seed(3).dice());
        assert!(copy.play(orders, &mut dice).is_err(), "{orders:?} on {game:?}");
        assert_eq!((&copy, dice), (game, Seed(3).dice()), "after {orders:?}");
    };
    refused(&Joint::new());
    for seat in Seat::first(game.seats() + 1).filter(|seat| !game.to_act().contains(*seat)) {
        let mut orders = passes.clone();
        orders.set(seat, Order::Pass);
        refused(&orders);
    }
    for seat in some(&game.to_act()) {
        refused(
            &passes.iter().filter(|(other, _)| *other != seat).map(|(seat, order)| (seat, order.clone())).collect(),
        );
        for action in alphabet.iter().filter(|action| game.check(seat, action).is_err()) {
            let mut orders = passes.clone();
            orders.set(seat, Order::Play(action.clone()));
            refused(&orders);
            orders.set(seat, Order::StandIn(action.clone()));
            refused(&orders);
        }
    }
}

/// One after the other gives up, the rest pass: who has gone never acts again and is not first, and it ends in time.
fn forfeits_down_to_one_seat_end_it<G: Game>(game: &G, sides: Sides, dice: &mut Dice) {
    let mut game = game.clone();
    let mut gone: Vec<Seat> = Vec::new();
    loop {
        let to_act: Vec<Seat> = game.to_act().iter().collect();
        assert!(gone.iter().all(|seat| !to_act.contains(seat)), "{gone:?} gave up before {game:?}");
        let Some(&quitter) = dice.pick(&to_act) else { break };
        let order = |&seat: &Seat| (seat, if seat == quitter { Order::Forfeit } else { Order::Pass });
        play(&mut game, &to_act.iter().map(order).collect(), Seed(4));
        gone.push(quitter);
    }
    let outcome = game.outcome().expect("nobody is to act");
    check_places(&outcome, game.seats());
    // Who plays without others can give up too, and is first nevertheless.
    if game.seats() > 1 {
        assert!(gone.len() < game.seats(), "the last one need not give up");
        let first: Vec<Seat> = Seat::first(game.seats()).filter(|seat| outcome.places[seat] == 1).collect();
        assert!(first.iter().any(|seat| !gone.contains(seat)), "{outcome:?} after {gone:?} gave up");
        assert!(
            sides == Sides::Teams || first.iter().all(|seat| !gone.contains(seat)),
            "{outcome:?} after {gone:?} gave up"
        );
    }
}

/// If all who are left give up in one turn, that is the end.
fn all_can_give_up_at_once<G: Game>(game: &G) {
    let mut game = game.clone();
    let orders: Joint<G::Action> = game.to_act().iter().map(|seat| (seat, Order::Forfeit)).collect();
    if game.to_act().len() > 1 {
        play(&mut game, &orders, Seed(4));
        check_places(&game.outcome().expect("nobody is left"), game.seats());
    }
}

/// A match of nothing but passes is played to its end, and in time.
fn nobody_has_to_act<G: Game>(mut game: G, seed: Seed, limit: u32) {
    while !game.to_act().is_empty() {
        assert!(game.turn() < limit, "{limit} turns are the most there can be");
        let passes = game.to_act().iter().map(|seat| (seat, Order::Pass)).collect();
        play(&mut game, &passes, seed);
    }
    check_places(&game.outcome().expect("nobody is to act"), game.seats());
}

/// Mostly random legal actions, now and then what else can be ordered.
fn choose<G: Game>(game: &G, dice: &mut Dice) -> Joint<G::Action> {
    let order = |seat| match dice.below(400) {
        0 => Order::Forfeit,
        1..=8 => Order::Pass,
        9..=16 => Order::StandIn(game.stand_in(seat, dice)),
        _ => Order::Play(game.random_legal(seat, dice)),
    };
    let seats: Vec<Seat> = game.to_act().iter().collect();
    seats.iter().copied().zip(seats.iter().copied().map(order)).collect()
}

/// Plays a turn with the dice of the match. It makes no difference whether anybody listens.
fn play<G: Game>(game: &mut G, orders: &Joint<G::Action>, seed: Seed) {
    let (mut unheard, turn) = (game.clone(), game.turn());
    unheard.resolve(orders, &mut seed.turn(turn.into()), &mut ());
    let events = game.play(orders, &mut seed.turn(turn.into())).expect("legal actions, passes and forfeits play");
    assert_eq!(*game, unheard);
    assert_eq!(game.turn(), turn + 1);
    for event in events {
        let text = serde_json::to_string(&event).expect("an event serialises");
        assert_eq!(serde_json::from_str::<G::Event>(&text).expect("and reads back"), event);
    }
}

fn digest<G: Game>(game: &G) -> Vec<u8> {
    let mut bytes = Vec::new();
    game.encode(&mut bytes);
    bytes
}
