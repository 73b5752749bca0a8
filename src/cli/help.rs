//! The program's own help: its commands grouped by what one wants to do, in English and Chinese.
//!
//! The English texts are the doc comments of the commands. `help.zh.toml` has the Chinese ones, under the same names; a
//! test holds that none is missing and none is left over.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fmt::Write as _;

use clap::{Arg, ArgAction, Command, CommandFactory};

use super::Cli;
use crate::briefs::Language;
use crate::config::Environment;

/// The commands by what they are for: a heading in each language, and the commands in the order of a first visit.
const GROUPS: &[([&str; 2], &[&str])] = &[
    (["Play and watch", "对局与观看"], &["play", "replay", "rules", "rulesets", "bots", "matches", "analyze"]),
    (["Connect", "接入"], &["mcp", "serve", "players", "engine"]),
    (["Compare players and prompts", "比较玩家与提示词"], &["tournament", "experiment", "quiz", "bank", "prompt"]),
    (["Results", "结果"], &["leaderboard", "export"]),
    (["Operate", "运维"], &["work", "store", "where", "bench", "completions", "man"]),
];

const EXAMPLES: [&str; 2] = [
    "Examples:
  standoff play                                play Cowboy against a bot, here in the terminal
  standoff play --players greedy,search        watch two bots
  standoff mcp --config claude-code            add the games to an assistant
  standoff tournament --init > cup.toml        a first tournament, among bots
  standoff experiment --init > prompts.toml    a first comparison of two prompts

`standoff COMMAND --help` has examples of each. `--lang zh` or a Chinese environment gives Chinese.
Exit codes: 0 done, 1 the work failed, 2 the call was wrong.",
    "示例：
  standoff play                                在终端里和机器人下一局 Cowboy
  standoff play --players greedy,search        看两个机器人对局
  standoff mcp --config claude-code            把游戏接入一个助手
  standoff tournament --init > cup.toml        第一个锦标赛，全是机器人
  standoff experiment --init > prompts.toml    第一次比较两种提示词

`standoff 命令 --help` 里有每个命令的示例。`--lang en` 改用英文。
退出码：0 完成，1 工作失败，2 命令写错。",
];

/// The language of a call: that of `--lang`, else that of the environment.
pub(super) fn language(args: &[OsString]) -> Language {
    let mut given = None;
    let mut words = args.iter().map(|arg| arg.to_string_lossy());
    while let Some(word) = words.next() {
        let value = match word.as_ref() {
            "--" => break,
            "--lang" => words.next().map(std::borrow::Cow::into_owned),
            word => word.strip_prefix("--lang=").map(str::to_owned),
        };
        given = value.and_then(|value| value.parse().ok()).or(given);
    }
    given.unwrap_or_else(usual_language)
}

/// The language of the environment.
pub(super) fn usual_language() -> Language {
    if Environment::of_process().speaks_chinese() { Language::Zh } else { Language::En }
}

/// The command line as it explains itself in a language.
pub(super) fn command(language: Language) -> Command {
    let command = Cli::command().disable_help_subcommand(true);
    let command = if language == Language::Zh { translated(command) } else { command };
    let usage = language.pick("Usage: standoff <COMMAND>", "用法：standoff <命令>");
    let options = language.pick("Options:", "选项：");
    let groups = groups(&command, language);
    command
        .help_template(format!("{{about}}\n\n{usage}\n\n{groups}{options}\n{{options}}{{after-help}}"))
        .after_help(language.pick(EXAMPLES[0], EXAMPLES[1]))
}

fn groups(command: &Command, language: Language) -> String {
    let mut text = String::new();
    for (heading, names) in GROUPS {
        let _ = writeln!(text, "{}", language.pick(heading[0], heading[1]));
        for name in *names {
            let Some(sub) = command.find_subcommand(name) else { continue };
            let about = sub.get_about().map(ToString::to_string).unwrap_or_default();
            // One line each: what stands after a colon or the first sentence is for the command's own help.
            let about = about.split([':', '：', '.', '。']).next().unwrap_or_default().trim();
            let _ = writeln!(text, "  {name:<12} {about}");
        }
        text.push('\n');
    }
    text
}

/// What a command of `help.zh.toml` says: its purpose, its examples, and its arguments by their names.
type Texts = BTreeMap<String, String>;

/// The Chinese texts by command, like `bank run`. What every command may have stands under `common`.
fn chinese() -> BTreeMap<String, Texts> {
    toml::from_str(include_str!("help.zh.toml")).expect("a test reads it")
}

fn translated(command: Command) -> Command {
    let texts = chinese();
    let about = texts.get("standoff").and_then(|texts| texts.get("about")).cloned().unwrap_or_default();
    let names: Vec<String> = command.get_subcommands().map(|sub| sub.get_name().to_owned()).collect();
    // Those that clap adds by itself speak English.
    let version = Arg::new("version").short('V').long("version").action(ArgAction::Version).help("显示版本");
    let command = command
        .about(about)
        .disable_help_flag(true)
        .disable_version_flag(true)
        .mut_args(|arg| translated_arg(arg, "standoff", &texts))
        .args([help_flag(), version]);
    names
        .into_iter()
        .fold(command, |command, name| command.mut_subcommand(&name, |sub| translated_command(sub, &name, &texts)))
}

fn translated_command(mut command: Command, path: &str, texts: &BTreeMap<String, Texts>) -> Command {
    let own = texts.get(path);
    let text = |key: &str| own.and_then(|own| own.get(key)).cloned();
    if let Some(about) = text("about") {
        command = command.about(about).long_about(None);
    }
    if let Some(examples) = text("after") {
        command = command.after_help(examples);
    }
    let usage = usage(&command, path);
    command = command.override_usage(usage);
    let names: Vec<String> = command.get_subcommands().map(|sub| sub.get_name().to_owned()).collect();
    let mut kinds = String::new();
    if !names.is_empty() {
        kinds.push_str("命令：\n{subcommands}\n\n");
    }
    if command.get_positionals().next().is_some() {
        kinds.push_str("参数：\n{positionals}\n\n");
    }
    command = command
        .disable_help_flag(true)
        .disable_help_subcommand(true)
        .help_template(format!("{{about}}\n\n用法：{{usage}}\n\n{kinds}选项：\n{{options}}{{after-help}}"))
        .mut_args(|arg| translated_arg(arg, path, texts))
        .arg(help_flag());
    names.into_iter().fold(command, |command, name| {
        let path = format!("{path} {name}");
        command.mut_subcommand(&name, |sub| translated_command(sub, &path, texts))
    })
}

/// How a command is called, as clap has it, with its placeholders in Chinese.
fn usage(command: &Command, path: &str) -> String {
    // Every command has an option, `--lang`, but not before all of them are put together.
    let mut command = command.clone().bin_name(format!("standoff {path}"));
    if !command.get_arguments().any(|arg| arg.get_id() == "lang") {
        command = command.arg(Arg::new("lang").long("lang"));
    }
    let usage = command.render_usage().to_string();
    usage.trim_start_matches("Usage: ").replace("[OPTIONS]", "[选项]").replace("<COMMAND>", "<命令>")
}

fn translated_arg(arg: Arg, path: &str, texts: &BTreeMap<String, Texts>) -> Arg {
    let id = arg.get_id().to_string();
    let Some(text) = [path, "common"].iter().find_map(|key| texts.get(*key)?.get(&id)) else { return arg };
    // What clap adds to a text by itself is English too.
    let mut text = text.clone();
    let takes_values = arg.get_action().takes_values();
    if takes_values {
        let defaults: Vec<_> = arg.get_default_values().iter().map(|value| value.to_string_lossy()).collect();
        if !defaults.is_empty() && !arg.is_hide_default_value_set() {
            let _ = write!(text, " [默认：{}]", defaults.join(" "));
        }
        let values = arg.get_possible_values();
        let values: Vec<_> =
            values.iter().filter(|value| !value.is_hide_set()).map(clap::builder::PossibleValue::get_name).collect();
        if !values.is_empty() {
            let _ = write!(text, " [可选：{}]", values.join("、"));
        }
    }
    let arg = arg.help(text).long_help(None);
    if takes_values { arg.hide_default_value(true).hide_possible_values(true) } else { arg }
}

fn help_flag() -> Arg {
    Arg::new("help").short('h').long("help").action(ArgAction::Help).help("显示帮助")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every text of the command line: the command's path, and what of it.
    fn texts(command: &Command, path: &str, all: &mut Vec<(String, String)>) {
        if command.get_about().is_some() {
            all.push((path.to_owned(), "about".to_owned()));
        }
        if command.get_after_help().is_some() && path != "standoff" {
            all.push((path.to_owned(), "after".to_owned()));
        }
        for arg in command.get_arguments().filter(|arg| arg.get_help().is_some()) {
            all.push((path.to_owned(), arg.get_id().to_string()));
        }
        for sub in command.get_subcommands() {
            let path =
                if path == "standoff" { sub.get_name().to_owned() } else { format!("{path} {}", sub.get_name()) };
            texts(sub, &path, all);
        }
    }

    #[test]
    fn every_text_of_the_help_is_there_in_chinese_and_none_is_left_over() {
        let mut all = Vec::new();
        texts(&Cli::command(), "standoff", &mut all);
        let chinese = chinese();
        let is_there = |path: &str, what: &str| chinese.get(path).is_some_and(|texts| texts.contains_key(what));
        let missing: Vec<_> = all
            .iter()
            .filter(|(path, what)| !is_there(path, what) && !is_there("common", what))
            .map(|(path, what)| format!("[{path}] {what}"))
            .collect();
        assert!(missing.is_empty(), "missing in help.zh.toml:\n{}", missing.join("\n"));
        for (path, texts) in &chinese {
            for what in texts.keys() {
                let used = all.iter().any(|(at, name)| name == what && (at == path || path == "common"));
                assert!(used, "[{path}] {what} in help.zh.toml is left over");
            }
        }
    }

    /// Every command below this one, itself first.
    fn all(command: &Command, path: &str) -> Vec<(String, Command)> {
        let below = command.get_subcommands().flat_map(|sub| all(sub, &format!("{path} {}", sub.get_name())));
        std::iter::once((path.to_owned(), command.clone())).chain(below).collect()
    }

    #[test]
    fn chinese_pages_are_chinese_throughout_and_as_compact_as_the_english_ones() {
        for (path, mut page) in all(&command(Language::Zh), "standoff") {
            for page in [page.render_help(), page.render_long_help()] {
                let page = page.to_string();
                for english in [
                    "Options",
                    "Arguments",
                    "Commands",
                    "Print",
                    "default:",
                    "possible values",
                    "选项:",
                    "参数:",
                    "[OPTIONS]",
                    "<COMMAND>",
                ] {
                    assert!(!page.contains(english), "{path}: {english} in\n{page}");
                }
                assert!(
                    page.contains("选项：\n") && page.contains("显示帮助") && !page.contains("\n\n\n"),
                    "{path}:\n{page}"
                );
            }
            // Neither has a longer layout than the other, as it is in English.
            let printed = |flag: &str| {
                let asked = page.clone().try_get_matches_from(["standoff", flag]);
                asked.expect_err("a page is no match").to_string()
            };
            assert_eq!(printed("-h"), printed("--help"), "{path}");
        }
        let page = command(Language::Zh).find_subcommand_mut("play").expect("there").render_help().to_string();
        assert!(page.contains("[默认：cowboy]"), "{page}");
    }

    #[test]
    fn the_chinese_examples_are_as_many_as_the_english_ones() {
        let english: BTreeMap<String, Command> = all(&command(Language::En), "standoff").into_iter().collect();
        let lines = |command: &Command| {
            let text = command.get_after_help().map(ToString::to_string).unwrap_or_default();
            let is_example = |line: &&str| line.starts_with("  ") && !line.starts_with("   ");
            let examples = text.lines().filter(is_example).count();
            (examples, text.split("\n\n").count())
        };
        for (path, own) in all(&command(Language::Zh), "standoff") {
            assert_eq!(lines(&own), lines(&english[&path]), "{path}: lines, paragraphs");
        }
    }

    #[test]
    fn every_command_stands_in_one_group() {
        let command = Cli::command();
        for sub in command.get_subcommands().filter(|sub| !sub.is_hide_set()) {
            let places = GROUPS.iter().flat_map(|(_, names)| *names).filter(|name| **name == sub.get_name());
            assert_eq!(places.count(), 1, "{}", sub.get_name());
        }
    }

    #[test]
    fn the_flag_comes_before_the_environment_wherever_it_stands() {
        let of = |args: &[&str]| language(&args.iter().map(OsString::from).collect::<Vec<_>>());
        assert_eq!(of(&["standoff", "play", "--lang", "zh"]), Language::Zh);
        assert_eq!(of(&["standoff", "--lang=zh", "where"]), Language::Zh);
        assert_eq!(of(&["standoff", "play", "--lang", "xx", "--lang", "en"]), Language::En);
        let help = command(Language::Zh).render_help().to_string();
        assert!(help.contains("对局与观看") && help.contains("用法：standoff") && !help.contains("Options"), "{help}");
    }
}
