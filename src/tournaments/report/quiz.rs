//! The tables of the quiz.

use super::super::experiment::{QuizFound, QuizRow, RuleGrade};
use super::super::quiz::Grade;
use super::super::score::count;
use super::tables::heads;
use super::words::{Word, failure};
use super::{LanguageNumbers, ReportTable};
use crate::briefs::{Language, rule_name};

fn prompt(row: &QuizRow) -> String {
    let again = if row.who.twin { " again" } else { "" };
    let (model, variant) = (row.who.model.as_deref().unwrap_or(""), row.who.variant.as_deref().unwrap_or(""));
    format!("{model}/{variant}{again}")
}

/// The rulesets that were asked about, in order.
fn courses(found: &QuizFound) -> Vec<&str> {
    let mut courses: Vec<&str> = Vec::new();
    for row in &found.rows {
        if !courses.contains(&row.course.as_str()) {
            courses.push(&row.course);
        }
    }
    courses
}

/// A rule with its number, and the ruleset where there are several.
fn rule(number: usize, rule: &str, course: Option<&str>, language: Language) -> String {
    let name = rule_name(rule, language);
    let course = course.map(|course| format!("{course}: ")).unwrap_or_default();
    format!("{course}{}. {name}", number + 1)
}

fn percent(share: Option<f64>) -> String {
    share.map_or_else(|| "–".to_owned(), |share| format!("{share:.0} %"))
}

/// What came of all questions that somebody was asked.
pub(super) fn total<'q>(rows: impl IntoIterator<Item = &'q QuizRow>) -> Grade {
    let mut total = Grade::default();
    rows.into_iter().flat_map(|row| &row.rules).for_each(|rule| total.add(rule.grade));
    total
}

/// Right answers: a rule a row, a prompt in a language a column.
pub(super) fn quiz(found: &QuizFound, language: Language) -> Option<ReportTable> {
    let courses = courses(found);
    let mut columns: Vec<String> = Vec::new();
    for row in &found.rows {
        if !columns.contains(&row.who.player) {
            columns.push(row.who.player.clone());
        }
    }
    if columns.is_empty() {
        return None;
    }
    let mut head = vec![Word::Rule.text(language).to_owned()];
    head.extend(columns.iter().cloned());
    let mut rows = Vec::new();
    let mut sums = vec![Grade::default(); columns.len()];
    for course in &courses {
        let own: Vec<&QuizRow> = found.rows.iter().filter(|row| row.course == *course).collect();
        let rules = own.first().map_or(0, |row| row.rules.len());
        for number in 0..rules {
            let Some(name) = own.first().map(|row| row.rules[number].rule.as_str()) else { continue };
            let mut cells = vec![rule(number, name, (courses.len() > 1).then_some(*course), language)];
            for (column, sum) in columns.iter().zip(&mut sums) {
                let grade = own.iter().find(|row| row.who.player == *column).and_then(|row| row.rules.get(number));
                let grade = grade.map(|it| it.grade).unwrap_or_default();
                sum.add(grade);
                cells.push(percent(grade.percent()));
            }
            rows.push(cells);
        }
    }
    let all = Word::AllRules.text(language).to_owned();
    rows.push(std::iter::once(all).chain(sums.iter().map(|sum| percent(sum.percent()))).collect());
    if sums.iter().any(|sum| sum.unclear > 0) {
        let unread = |sum: &Grade| match language {
            Language::En => format!("{} of {}", sum.unclear, sum.asked),
            Language::Zh => format!("{} / {}", sum.unclear, sum.asked),
        };
        rows.push(std::iter::once(failure("unreadable", language)).chain(sums.iter().map(unread)).collect());
    }
    Some(ReportTable { note: Word::QuizNote.text(language).to_owned(), head, rows })
}

/// Questions of which both, only the first, only the second, or none was right. What one of them was not asked, or gave no
/// answer to that can be read, is none of these.
fn pairs(one: &RuleGrade, other: &RuleGrade) -> [usize; 4] {
    let mut counts = [0; 4];
    let is_read = |mark: char| matches!(mark, '0' | '1');
    let both = one.items.chars().zip(other.items.chars()).filter(|&(one, other)| is_read(one) && is_read(other));
    for (one, other) in both {
        counts[usize::from(one != '1') * 2 + usize::from(other != '1')] += 1;
    }
    counts
}

/// Chinese minus English in points, with a 95 % interval for pairs (Agresti and Min, 2005: half a pair more in each
/// cell).
fn difference([both, only_en, only_zh, none]: [usize; 4]) -> (f64, f64, f64) {
    let whole = count(both + only_en + only_zh + none) + 2.0;
    let (en, zh) = (count(only_en) + 0.5, count(only_zh) + 0.5);
    let mean = (zh - en) / whole;
    let error = 1.96 * (((en + zh) - (zh - en).powi(2) / whole).max(0.0)).sqrt() / whole;
    let raw = (count(only_zh) - count(only_en)) / (whole - 2.0).max(1.0);
    (100.0 * raw, 100.0 * (mean - error).max(-1.0), 100.0 * (mean + error).min(1.0))
}

/// English against Chinese on the same questions, rule by rule, and behind them all rules together.
pub(super) fn by_language(found: &QuizFound) -> Vec<LanguageNumbers> {
    let mut rows = Vec::new();
    for english in found.rows.iter().filter(|row| row.who.language == Some(Language::En)) {
        let same = |row: &&QuizRow| {
            row.who.language == Some(Language::Zh) && row.course == english.course && prompt(row) == prompt(english)
        };
        let Some(chinese) = found.rows.iter().find(same) else { continue };
        let line = |rule: Option<&str>, counts: [usize; 4]| {
            let [both, only_english, only_chinese, neither] = counts;
            let (mean, low, high) = difference(counts);
            LanguageNumbers {
                prompt: prompt(english),
                course: english.course.clone(),
                rule: rule.map(str::to_owned),
                both,
                only_english,
                only_chinese,
                neither,
                difference: mean,
                low,
                high,
            }
        };
        let mut sum = [0; 4];
        for (one, other) in english.rules.iter().zip(&chinese.rules) {
            let counts = pairs(one, other);
            sum.iter_mut().zip(counts).for_each(|(sum, more)| *sum += more);
            rows.push(line(Some(&one.rule), counts));
        }
        rows.push(line(None, sum));
    }
    rows
}

/// The same as a table.
pub(super) fn languages(found: &QuizFound, language: Language) -> Option<ReportTable> {
    let words = [Word::Prompt, Word::Rule, Word::OnlyEnglish, Word::OnlyChinese, Word::Difference, Word::Interval];
    let mut head = heads(&words, language);
    head.splice(2..2, ["en".to_owned(), "zh".to_owned()]);
    let several = courses(found).len() > 1;
    let mut number = 0;
    let row = |it: LanguageNumbers| {
        let asked = it.both + it.only_english + it.only_chinese + it.neither;
        let right = |own: usize| percent((asked > 0).then(|| 100.0 * count(it.both + own) / count(asked)));
        let name = if let Some(name) = &it.rule {
            number += 1;
            rule(number - 1, name, several.then_some(it.course.as_str()), language)
        } else {
            number = 0;
            Word::AllRules.text(language).to_owned()
        };
        let known = |text: String| if asked > 0 { text } else { "–".to_owned() };
        vec![
            it.prompt.clone(),
            name,
            right(it.only_english),
            right(it.only_chinese),
            it.only_english.to_string(),
            it.only_chinese.to_string(),
            known(format!("{:+.0}", it.difference)),
            known(format!("{:+.0} – {:+.0}", it.low, it.high)),
        ]
    };
    let rows: Vec<Vec<String>> = by_language(found).into_iter().map(row).collect();
    (!rows.is_empty()).then(|| ReportTable { note: Word::LanguagesNote.text(language).to_owned(), head, rows })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn grade(items: &str) -> RuleGrade {
        RuleGrade { rule: "hp".to_owned(), grade: Grade::default(), items: items.to_owned() }
    }

    #[test]
    fn answers_in_two_languages_are_compared_item_by_item() {
        assert_eq!(pairs(&grade("1100"), &grade("1010")), [1, 1, 1, 1]);
        // What was not asked, or could not be read, on either side says nothing about the languages.
        assert_eq!(pairs(&grade("1100?1-1?"), &grade("10101?1-?")), [1, 1, 1, 1]);
        let (mean, low, high) = difference([40, 30, 10, 20]);
        assert!((mean + 20.0).abs() < 1e-9 && low < mean && mean < high && high < 0.0, "{low} {mean} {high}");
        let (mean, low, high) = difference([8, 0, 0, 0]);
        assert!(mean.abs() < 1e-9 && low < 0.0 && high > 0.0, "nothing differs, and little is known: {low} {high}");
        assert!(difference([0; 4]).1 >= -100.0);
    }
}
