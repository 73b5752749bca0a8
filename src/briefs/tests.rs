use super::*;
use crate::rules::Ruleset;

#[test]
fn show() {
    for name in ["cowboy", "cowboy-classic"] {
        let ruleset = Ruleset::named(name).unwrap();
        for language in Language::ALL {
            eprintln!("{}\n=======", brief(&ruleset, 2, language));
        }
    }
}
