//! The rules once more, written as plainly as possible from their text, and compared on random positions and actions.

use std::collections::{BTreeMap, BTreeSet};

use super::*;

/// A tick on the state itself.
struct Naive<'a> {
    terms: Terms,
    before: &'a State,
    joint: &'a Joint<Action>,
    state: State,
    /// Who lived when the tick began.
    alive: Vec<usize>,
}

type At = (i32, i32);

fn step((x, y): At, way: Direction) -> At {
    match way {
        Direction::North => (x, y + 1),
        Direction::South => (x, y - 1),
        Direction::East => (x + 1, y),
        Direction::West => (x - 1, y),
    }
}

fn at(bot: &BotState) -> At {
    let at = bot.position.expect("a whole position");
    (at.x.into(), at.y.into())
}

fn tick(rules: &Rules, before: &State, joint: &Joint<Action>) -> State {
    let alive = (0..before.bots.len()).filter(|&bot| before.bots[bot].alive).collect();
    let mut tick = Naive { terms: rules.terms, before, joint, state: before.clone(), alive };
    tick.move_all();
    tick.take_powerups();
    tick.shoot_all();
    tick.burn();
    let fallen = tick.bury();
    tick.end(&fallen);
    tick.state
}

impl Naive<'_> {
    fn order(&self, bot: usize) -> &Order<Action> {
        self.joint.get(Seat::new(bot)).expect("everybody alive has an order")
    }

    fn forfeits(&self, bot: usize) -> bool {
        self.alive.contains(&bot) && *self.order(bot) == Order::Forfeit
    }

    fn team(&self, bot: usize) -> usize {
        if self.terms.teams == 0 { bot } else { bot % usize::from(self.terms.teams) }
    }

    fn members(&self, bot: usize) -> impl Iterator<Item = usize> {
        (0..self.before.bots.len()).filter(move |&other| self.team(other) == self.team(bot))
    }

    fn lives(&self, bot: usize) -> bool {
        self.members(bot).any(|mate| self.state.bots[mate].alive)
    }

    fn kills(&self, bot: usize) -> u16 {
        self.members(bot).map(|mate| self.state.bots[mate].kills).sum()
    }

    fn blocked(&self, (x, y): At) -> bool {
        let (width, height) = (i32::from(self.before.width), i32::from(self.before.height));
        let wall = self.before.walls.iter().any(|wall| (i32::from(wall.x), i32::from(wall.y)) == (x, y));
        wall || x < 0 || y < 0 || x >= width || y >= height
    }

    fn move_all(&mut self) {
        let mut goals: BTreeMap<usize, At> = BTreeMap::new();
        for &bot in &self.alive {
            let here = at(&self.before.bots[bot]);
            let way = self.order(bot).action().and_then(|action| action.step.direction());
            let wanted = way.map(|way| step(here, way)).filter(|&goal| !self.blocked(goal));
            goals.insert(bot, wanted.unwrap_or(here));
            self.state.bots[bot].timeouts += u16::from(matches!(self.order(bot), Order::StandIn(_)));
        }
        loop {
            let wanted = goals.clone();
            for &bot in &self.alive {
                if wanted.iter().any(|(&other, &goal)| other != bot && goal == wanted[&bot]) {
                    goals.insert(bot, at(&self.before.bots[bot]));
                }
            }
            if goals == wanted {
                break;
            }
        }
        for (bot, (x, y)) in goals {
            let side = |at: i32| u8::try_from(at).expect("on the grid");
            self.state.bots[bot].position = Some(Point { x: side(x), y: side(y) });
        }
    }

    fn take_powerups(&mut self) {
        for &bot in &self.alive {
            let bot = &mut self.state.bots[bot];
            let lying = self.state.powerups.get_or_insert_default();
            let Some(found) = lying.iter().position(|lying| Some(lying.tile()) == bot.position.map(Point::tile)) else {
                continue;
            };
            match lying.remove(found).kind {
                PowerUpKind::Health => bot.hp += self.terms.powerups.health,
                PowerUpKind::Damage => {
                    let shots = bot.boost.flatten().unwrap_or(0) + self.terms.powerups.damage_shots;
                    bot.boost = Some(Some(shots));
                }
            }
        }
    }

    /// Tile by tile; then damage, then kills.
    fn shoot_all(&mut self) {
        let mut hits: Vec<(usize, usize, u16)> = Vec::new();
        for &shooter in &self.alive {
            let Some(way) = self.order(shooter).action().and_then(|action| action.shoot) else { continue };
            let boost = self.state.bots[shooter].boost.flatten().unwrap_or(0);
            self.state.bots[shooter].boost = Some(Some(boost.saturating_sub(1)));
            let mut bullet = at(&self.state.bots[shooter]);
            for _ in 0..self.terms.range {
                bullet = step(bullet, way);
                let here = |bot: usize| at(&self.state.bots[bot]) == bullet && self.team(bot) != self.team(shooter);
                if self.blocked(bullet) {
                    break;
                }
                if let Some(&target) = self.alive.iter().find(|&&bot| here(bot)) {
                    hits.push((shooter, target, if boost > 0 { 1 + self.terms.powerups.damage } else { 1 }));
                    break;
                }
            }
        }
        for &(_, target, damage) in &hits {
            self.state.bots[target].hp = self.state.bots[target].hp.saturating_sub(damage);
        }
        for &(shooter, target, _) in &hits {
            self.state.bots[shooter].kills += u16::from(self.state.bots[target].hp == 0);
        }
    }

    fn burn(&mut self) {
        let (width, height) = (i32::from(self.before.width), i32::from(self.before.height));
        let shrunk = ((self.before.tick - 1) / self.terms.zone_every).min(u32::from(self.terms.zone_shrinks));
        let shrunk = i32::try_from(shrunk).expect("a small number").min((width.min(height) - 1) / 2);
        for &bot in &self.alive {
            let bot = &mut self.state.bots[bot];
            let (x, y) = at(bot);
            let inside = x >= shrunk && y >= shrunk && x < width - shrunk && y < height - shrunk;
            bot.hp -= u16::from(bot.hp > 0 && !inside);
        }
    }

    fn bury(&mut self) -> Vec<usize> {
        let falls = |&bot: &usize| self.state.bots[bot].hp == 0 || self.forfeits(bot);
        let fallen: Vec<usize> = self.alive.iter().copied().filter(falls).collect();
        for &bot in &fallen {
            self.state.bots[bot].alive = false;
        }
        let merit = |bot: usize| {
            let mates: Vec<usize> = self.members(bot).filter(|mate| fallen.contains(mate)).collect();
            let hp: u16 = mates.iter().map(|&mate| self.before.bots[mate].hp).sum();
            (mates.iter().any(|&mate| !self.forfeits(mate)), hp, self.kills(bot))
        };
        let gone: BTreeSet<usize> =
            fallen.iter().filter(|&&bot| !self.lives(bot)).flat_map(|&bot| self.members(bot)).collect();
        // Above is whoever's team lives, and of the teams that go now whoever has more merit.
        let living = (0..self.before.bots.len()).filter(|&bot| self.lives(bot)).count();
        let place = |bot: usize| 1 + living + gone.iter().filter(|&&other| merit(other) > merit(bot)).count();
        let places: Vec<(usize, usize)> = gone.iter().map(|&bot| (bot, place(bot))).collect();
        for (bot, place) in places {
            self.state.bots[bot].place = Some(u32::try_from(place).expect("a small number"));
        }
        fallen
    }

    fn end(&mut self, fallen: &[usize]) {
        self.state.turn += 1;
        self.state.tick += 1;
        let all = 0..self.before.bots.len();
        let living: BTreeSet<usize> = all.clone().filter(|&bot| self.lives(bot)).map(|bot| self.team(bot)).collect();
        let reason = match living.len() {
            0 | 1 if fallen.iter().all(|&bot| self.forfeits(bot)) => Some(Reason::Forfeit),
            0 => Some(Reason::AllDead),
            1 => Some(Reason::LastAlive),
            _ => (self.state.tick > self.terms.max_ticks).then_some(Reason::TurnLimit),
        };
        if let Some(reason) = reason {
            let points = |bot: usize| {
                let living = self.members(bot).filter(|&mate| self.state.bots[mate].alive);
                (living.map(|mate| self.state.bots[mate].hp).sum::<u16>(), self.kills(bot))
            };
            let unknown = |bot: &usize| !self.lives(*bot) && self.state.bots[*bot].place.is_none();
            let place = |bot: usize| {
                let higher = |other: &usize| self.lives(*other) && points(*other) > points(bot);
                let dead = all.len() - all.clone().filter(unknown).count();
                let above = if self.lives(bot) { all.clone().filter(higher).count() } else { dead };
                self.state.bots[bot].place.unwrap_or(u32::try_from(1 + above).expect("a small number"))
            };
            let places: Vec<u32> = all.clone().map(place).collect();
            for (bot, &place) in self.state.bots.iter_mut().zip(&places) {
                bot.place = Some(place);
            }
            let places = Seat::first(places.len()).zip(places).collect();
            self.state.outcome = Some(Outcome { places, reason });
        }
        let over = self.state.outcome.is_some();
        self.state.to_act = self.state.bots.iter().filter(|bot| bot.alive && !over).map(|bot| bot.id).collect();
    }
}

/// A position that play may or may not reach.
fn random_scene(dice: &mut Dice) -> Scene {
    let mut below = |n: u32| u8::try_from(dice.below(n)).expect("a small number");
    // Sixteen tiles at the least: room for eight bots, two power-ups and some walls.
    let (width, height) = (4 + below(5), 4 + below(5));
    let teams = [0, 0, 2, 3][usize::from(below(4))];
    let count = if teams == 0 { 2 + below(7) } else { teams * (1 + below(8 / u32::from(teams))) };
    let zone_every = 1 + below(12);
    let over = json!({
        "teams": teams, "range": 1 + below(6), "zone_every": zone_every, "zone_shrinks": below(4),
        "players": { "min": 2, "default": 6 }, "powerups": { "every": 100_000, "damage": 1 + below(2), "health": 2 },
    });
    let mut free: Vec<Tile> = Zone { min_x: 0, max_x: width - 1, min_y: 0, max_y: height - 1 }.tiles().collect();
    let mut tile = |below: &mut dyn FnMut(u32) -> u8| {
        let count = u32::try_from(free.len()).expect("a small board");
        free.swap_remove(usize::from(below(count)))
    };
    let mut scene = scene_of(".", over);
    let state = &mut scene.state;
    (state.width, state.height, state.tick) = (width, height, 1 + u32::from(below(100)));
    for index in 0..count {
        let mut bot = bot(char::from(b'A' + index), tile(&mut below));
        (bot.hp, bot.kills, bot.boost) = (1 + u16::from(below(3)), u16::from(below(3)), Some(Some(below(2))));
        // Two of two teams, or of three, live: there is something to play for.
        bot.alive = index < 2 || below(4) > 0;
        state.bots.push(bot);
    }
    for _ in 0..below(3) {
        let Tile { x, y } = tile(&mut below);
        state.powerups.get_or_insert_default().push(PowerUpState {
            x,
            y,
            kind: [PowerUpKind::Health, PowerUpKind::Damage][usize::from(below(2))],
        });
    }
    for _ in 0..below(u32::from(width * height) / 4) {
        state.walls.push(tile(&mut below));
    }
    state.to_act = state.bots.iter().filter(|bot| bot.alive).map(|bot| bot.id).collect();
    scene
}

#[test]
fn the_engine_plays_as_the_text_says() {
    let mut dice = Seed(2024).dice();
    let (mut ticks, mut ends) = (0, BTreeMap::<String, u32>::new());
    for round in 0..1_000 {
        let Scene { rules, mut state } = random_scene(&mut dice);
        let mut position = Position::from_state(&rules, &state).expect("a good position");
        state = position.state("grid-royale");
        while !position.to_act().is_empty() {
            let joint: Joint<Action> = position
                .to_act()
                .iter()
                .map(|seat| {
                    let action = position.random_legal(seat, &mut dice);
                    let order = match dice.below(40) {
                        0 => Order::Pass,
                        1 => Order::Forfeit,
                        2 => Order::StandIn(action),
                        _ => Order::Play(action),
                    };
                    (seat, order)
                })
                .collect();
            let mut expected = tick(&rules, &state, &joint);
            position.play(&joint, &mut dice).expect("every action is legal");
            state = position.state("grid-royale");
            // The zone has its own tests.
            expected.zone = state.zone;
            assert_eq!(state, expected, "round {round}, {joint:?}");
            ticks += 1;
        }
        *ends.entry(state.outcome.expect("it is over").reason.to_string()).or_default() += 1;
    }
    // The comparison is worth something: many ticks, and every way to end.
    assert!(ticks > 4_000, "{ticks}");
    assert!(ends.len() == 4 && ends.values().all(|&count| count > 10), "{ends:?}");
}
