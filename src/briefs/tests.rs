use super::*;
use crate::rules::Ruleset;

#[test]
fn show() {
    for name in ["paint"] {
        let ruleset = Ruleset::named(name).unwrap();
        for language in Language::ALL {
            eprintln!("{}\n=======", brief(&ruleset, 4, language));
        }
    }
}
