//! What somebody may have meant by a name that is not there.

/// The known name that a mistyped one is closest to, if any is close: a slip or two, more in longer names.
fn nearest<'k>(wrong: &str, known: impl IntoIterator<Item = &'k str>) -> Option<&'k str> {
    let wrong: Vec<char> = wrong.trim().to_lowercase().replace('_', "-").chars().collect();
    // Whoever wrote a novel meant none of these.
    if wrong.is_empty() || wrong.len() > 64 {
        return None;
    }
    let slips =
        known.into_iter().map(|name| (distance(&wrong, &name.to_lowercase().chars().collect::<Vec<_>>()), name));
    let (slips, name) = slips.min_by_key(|(slips, _)| *slips)?;
    let is_near = slips <= (name.chars().count().max(wrong.len()) / 3).clamp(1, 4) || is_begun(&wrong, name);
    is_near.then_some(name)
}

/// The question to put after a complaint, or nothing.
pub fn did_you_mean<'k>(wrong: &str, known: impl IntoIterator<Item = &'k str>) -> String {
    nearest(wrong, known).map_or_else(String::new, |name| format!("; did you mean `{name}`?"))
}

/// Whether it is a name of which the end is missing.
fn is_begun(wrong: &[char], name: &str) -> bool {
    wrong.len() >= 3 && name.to_lowercase().starts_with(&wrong.iter().collect::<String>())
}

/// How many letters have to be put in, left out, changed, or swapped with the next.
fn distance(one: &[char], other: &[char]) -> usize {
    let mut before: Vec<usize> = Vec::new();
    let mut last: Vec<usize> = (0..=other.len()).collect();
    for (row, &a) in one.iter().enumerate() {
        let mut next = vec![row + 1];
        for (col, &b) in other.iter().enumerate() {
            let mut best = (last[col] + usize::from(a != b)).min(last[col + 1] + 1).min(next[col] + 1);
            if row > 0 && col > 0 && a == other[col - 1] && b == one[row - 1] {
                best = best.min(before[col - 1] + 1);
            }
            next.push(best);
        }
        before = std::mem::replace(&mut last, next);
    }
    last[other.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slips_are_understood_and_other_names_are_not() {
        let known = ["cowboy", "cowboy-classic", "paint", "grid-royale", "grid-royale-fog", "trails"];
        for (wrong, meant) in [
            ("cowbiy", Some("cowboy")),
            ("Cowboy ", Some("cowboy")),
            ("cowboy_classic", Some("cowboy-classic")),
            ("gird-royale", Some("grid-royale")),
            ("gridroyale", Some("grid-royale")),
            ("trial", Some("trails")),
            ("pai", Some("paint")),
            ("chess", None),
            ("my-rules.toml", None),
            ("", None),
        ] {
            assert_eq!(nearest(wrong, known), meant, "{wrong}");
        }
        assert_eq!(did_you_mean("greddy", ["random", "greedy"]), "; did you mean `greedy`?");
        assert_eq!(did_you_mean("stockfish", ["random", "greedy"]), "");
    }
}
