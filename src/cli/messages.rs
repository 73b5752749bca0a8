//! What the program tells people, in their language.
//!
//! Messages are written in English where they arise, deep in the library or in a command. On their way to the terminal
//! they pass through here: `messages.zh.toml` has each with its Chinese, and what is filled in is translated by the same
//! table. Output for scripts (JSON) and texts that have a language of their own (rules, prompts, records) do not.

use std::collections::BTreeMap;
use std::io::{self, Write};
use std::sync::{LazyLock, OnceLock};

use crate::briefs::Language;

/// The language of this process's messages, once its call is read.
static LANGUAGE: OnceLock<Language> = OnceLock::new();

/// The Chinese messages.
static CHINESE: LazyLock<Table> = LazyLock::new(|| {
    let mut sections: BTreeMap<String, BTreeMap<String, String>> =
        toml::from_str(include_str!("messages.zh.toml")).expect("a test reads it");
    let openings = sections.remove("openings").unwrap_or_default().into_iter().collect();
    let endings = sections.remove("endings").unwrap_or_default();
    let mut messages: Vec<Bilingual> =
        sections.into_values().flatten().map(|(en, zh)| Bilingual { en: pieces(&en), zh: pieces(&zh) }).collect();
    messages.sort_by_key(|message| std::cmp::Reverse(message.said()));
    // What a message ends in is no part of what fills it.
    let endings = endings.into_iter().map(|(en, zh)| Bilingual { en: pieces(&en), zh: pieces(&zh) });
    Table { openings, messages: endings.chain(messages).collect() }
});

/// What a message is filled with from outside: names, paths, lists of them. It stays as it is, whatever its words are.
const FOREIGN: &[&str] = &[
    "name", "names", "known", "player", "model", "path", "file", "address", "endpoint", "id", "run", "list", "spec",
    "host", "command", "how", "usage", "ruleset", "allowed", "token", "url", "at", "oracle", "cell",
];

/// A message that says less than this by itself could be anybody's words.
const FEW: usize = 10;

/// The messages, and what may stand before one on its line.
struct Table {
    openings: Vec<(String, String)>,
    /// Those with a certain end come first, then those that say more.
    messages: Vec<Bilingual>,
}

/// Where a text stands.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Coverage {
    /// It is a whole line, or fills a blank.
    Whole,
    /// Something is before or after it.
    Part,
}

/// What joins parts of a message, weakest last, with the Chinese mark.
const JOINTS: [(&str, &str); 3] = [("; ", "；"), (": ", "："), (", ", "，")];

/// A message in both languages.
struct Bilingual {
    en: Vec<Part>,
    zh: Vec<Part>,
}

/// A part of a message.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Part {
    Words(String),
    /// What is filled in, by its name.
    Blank(String),
}

impl Part {
    /// How much it says by itself.
    fn said(&self) -> usize {
        match self {
            Part::Words(words) => words.len(),
            Part::Blank(_) => 0,
        }
    }
}

/// The pieces of a message with blanks in braces.
fn pieces(text: &str) -> Vec<Part> {
    let mut pieces = Vec::new();
    let mut rest = text;
    while let Some((words, (name, after))) =
        rest.split_once('{').and_then(|(words, blank)| Some((words, blank.split_once('}')?)))
    {
        if !words.is_empty() {
            pieces.push(Part::Words(words.to_owned()));
        }
        pieces.push(Part::Blank(name.to_owned()));
        rest = after;
    }
    if !rest.is_empty() {
        pieces.push(Part::Words(rest.to_owned()));
    }
    pieces
}

/// Whether a text is a figure, like `5 min` or `$0.20`.
fn is_figure(text: &str) -> bool {
    text.trim_start().trim_start_matches(['$', '+', '-', '−']).starts_with(|c: char| c.is_ascii_digit())
}

impl Bilingual {
    /// How much it says by itself.
    fn said(&self) -> usize {
        self.en.iter().map(Part::said).sum()
    }

    /// Whether a text at this place is this message, and not somebody else's words that happen to be the same.
    fn is_meant(&self, filled: &[(String, &str)], place: Coverage) -> bool {
        let first = match self.en.first() {
            Some(Part::Words(words)) => words.trim(),
            _ => "",
        };
        match self.en.as_slice() {
            // One word may be a name.
            [Part::Words(words)] => place == Coverage::Whole || words.contains(' '),
            _ if self.said() >= FEW => true,
            // A list that happens to begin or end like it is several messages.
            _ if self.is_filled_with_a_list(filled) => false,
            _ => {
                filled.iter().any(|(_, value)| is_figure(value))
                    || first.contains(' ')
                    || place == Coverage::Whole && !first.is_empty()
            }
        }
    }

    /// Whether several things fill a blank, but for one that a colon announces.
    fn is_filled_with_a_list(&self, filled: &[(String, &str)]) -> bool {
        let mut announced = false;
        let mut values = filled.iter();
        self.en.iter().any(|part| match part {
            Part::Words(words) => {
                announced = words.trim_end().ends_with(':');
                false
            }
            Part::Blank(_) => values.next().is_some_and(|(_, value)| !announced && value.contains(", ")),
        })
    }

    /// The message in Chinese, if that is what a text says.
    fn translate(&self, text: &str, place: Coverage) -> Option<String> {
        let filled = filled(&self.en, text).filter(|filled| self.is_meant(filled, place))?;
        // What stands in quotes is a name: of a field, a file, a command.
        let is_foreign = |name: &str| {
            FOREIGN.contains(&name) || self.en.windows(2).any(|two| {
                matches!(two, [Part::Words(words), Part::Blank(own)] if own == name && words.ends_with(['`', '\'', '"']))
            })
        };
        let piece = |piece: &Part| match piece {
            Part::Words(words) => words.clone(),
            Part::Blank(name) => {
                let found = filled.iter().find(|(own, _)| own == name);
                found.map_or_else(String::new, |(_, value)| {
                    if is_foreign(name) { (*value).to_owned() } else { chinese(value, Coverage::Whole) }
                })
            }
        };
        Some(self.zh.iter().map(piece).collect())
    }
}

/// What stands in the blanks of a text; nothing if the text is another one.
fn filled<'t>(pieces: &[Part], text: &'t str) -> Option<Vec<(String, &'t str)>> {
    match pieces {
        [] => text.is_empty().then(Vec::new),
        [Part::Words(words), after @ ..] => filled(after, text.strip_prefix(words.as_str())?),
        [Part::Blank(name)] => Some(vec![(name.clone(), text)]),
        [Part::Blank(name), after @ ..] => {
            let Part::Words(next) = after.first()? else { return None };
            // The earliest place from which the rest fits.
            text.match_indices(next.as_str()).find_map(|(at, _)| {
                let mut rest = filled(after, &text[at..])?;
                rest.insert(0, (name.clone(), &text[..at]));
                Some(rest)
            })
        }
    }
}

/// A message in Chinese: as a whole, or its parts; what is not in the table stays as it is.
fn chinese(text: &str, place: Coverage) -> String {
    let own = text.trim();
    if own.is_empty() || !own.is_ascii() && !own.contains(' ') {
        return text.to_owned();
    }
    let before = &text[..text.len() - text.trim_start().len()];
    let after = &text[text.trim_end().len()..];
    let whole = |text: &str, place| CHINESE.messages.iter().find_map(|message| message.translate(text, place));
    if let Some(whole) = whole(own, place) {
        return format!("{before}{whole}{after}");
    }
    // Where something is wrong stands before what is wrong.
    if let Some((place, whole)) =
        own.split_once(": ").and_then(|(place, rest)| Some((place, whole(rest, Coverage::Part)?)))
    {
        return format!("{before}{place}：{whole}{after}");
    }
    for (joint, mark) in JOINTS {
        let parts: Vec<&str> = own.split(joint).collect();
        if parts.len() > 1 {
            let told: Vec<String> = parts.iter().map(|part| chinese(part, Coverage::Part)).collect();
            if told != parts {
                return format!("{before}{}{after}", told.join(mark));
            }
        }
    }
    text.to_owned()
}

/// The language of this process's messages.
pub(crate) fn language() -> Language {
    LANGUAGE.get().copied().unwrap_or(Language::En)
}

/// Settles the language of all messages.
pub(crate) fn speak(language: Language) {
    // A second call in one process, as in tests, changes nothing.
    let _ = LANGUAGE.set(language);
}

/// A message of one or more lines in the language of this process.
pub(crate) fn told(text: &str) -> String {
    match LANGUAGE.get() {
        Some(Language::Zh) => in_chinese(text),
        Some(Language::En) | None => text.to_owned(),
    }
}

pub(crate) fn in_chinese(text: &str) -> String {
    text.split('\n').map(line_in_chinese).collect::<Vec<_>>().join("\n")
}

fn line_in_chinese(line: &str) -> String {
    // Lines for scripts are data.
    if line.starts_with(['{', '[']) {
        return line.to_owned();
    }
    // What opens a line is no part of the message after it.
    let opened = CHINESE.openings.iter().find_map(|(en, zh)| Some((zh, line.strip_prefix(en.as_str())?)));
    match opened {
        Some((zh, rest)) => format!("{zh}{}", line_in_chinese(rest)),
        None => chinese(line, Coverage::Whole),
    }
}

/// Tells somebody at the terminal, on standard error.
pub(crate) fn tell(text: &str) {
    // Whoever closed it wants to know nothing.
    let _ = writeln!(io::stderr().lock(), "{}", told(text));
}

/// Standard output, whose whole lines are told in the language of this process.
pub(crate) struct TranslatedOutput<W: Write> {
    out: W,
    line: Vec<u8>,
}

impl<W: Write> TranslatedOutput<W> {
    pub(crate) fn new(out: W) -> TranslatedOutput<W> {
        TranslatedOutput { out, line: Vec::new() }
    }

    /// The output itself, for what is no message: files and data, which go out byte for byte.
    ///
    /// # Errors
    /// If what was told before cannot be written.
    pub(crate) fn raw(&mut self) -> io::Result<&mut W> {
        self.pass_on(self.line.len())?;
        Ok(&mut self.out)
    }

    fn pass_on(&mut self, end: usize) -> io::Result<()> {
        let line: Vec<u8> = self.line.drain(..end).collect();
        match std::str::from_utf8(&line) {
            Ok(text) => self.out.write_all(told(text).as_bytes()),
            Err(_) => self.out.write_all(&line),
        }
    }
}

impl<W: Write> Write for TranslatedOutput<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.line.extend_from_slice(bytes);
        if let Some(end) = self.line.iter().rposition(|byte| *byte == b'\n') {
            self.pass_on(end + 1)?;
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.pass_on(self.line.len())?;
        self.out.flush()
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::Path;

    use super::*;

    /// Files whose texts people read, outside the commands.
    const BEYOND: &[&str] = &[
        "src/store/error.rs",
        "src/settings/fields/reader.rs",
        "src/settings/fields/optional.rs",
        "src/players/model/failure.rs",
        "src/players/model/check.rs",
        "src/players/model/limiter.rs",
        "src/referee/mod.rs",
    ];

    /// What stands before a text that people read, and nowhere else.
    const SAID_BY: &[&str] = &[
        "Failure::call(",
        "Failure::work(",
        "Failure::call(format!(",
        "Failure::work(format!(",
        ".hint(",
        ".hint(format!(",
        "#[error(",
        "writeln!(out, ",
        "messages::tell(",
        "messages::tell(&format!(",
    ];

    /// Commands whose output has a language of its own, or is data.
    const OTHERS: &[&str] =
        &["help.rs", "messages.rs", "engine.rs", "person.rs", "rules.rs", "ladder_page.rs", "export.rs"];

    fn sources(folder: &Path, found: &mut Vec<std::path::PathBuf>) {
        for entry in fs::read_dir(folder).expect("a folder") {
            let path = entry.expect("an entry").path();
            let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
            if path.is_dir() && !["draw", "tests"].contains(&name) {
                sources(&path, found);
            } else if path.extension().is_some_and(|ending| ending == "rs") && !OTHERS.contains(&name) {
                found.push(path);
            }
        }
    }

    /// The string literals of a source, each with what stands before it.
    fn literals(source: &str) -> Vec<(String, String)> {
        let source = source.split("#[cfg(test)]").next().unwrap_or_default();
        let (mut found, mut before, mut chars) = (Vec::new(), String::new(), source.chars().peekable());
        while let Some(c) = chars.next() {
            match c {
                '/' if chars.peek() == Some(&'/') => while chars.next_if(|c| *c != '\n').is_some() {},
                '\'' => {
                    // A character, or a lifetime.
                    before.push(c);
                    if chars.next_if(|c| ['\\', '"'].contains(c)).is_some_and(|c| c == '\\') {
                        chars.next();
                    }
                }
                '"' => {
                    let mut text = String::new();
                    while let Some(c) = chars.next().filter(|c| *c != '"') {
                        match c {
                            '\\' => match chars.next() {
                                Some('\n') => while chars.next_if(|c| c.is_whitespace()).is_some() {},
                                Some('n') => text.push('\n'),
                                Some(c) => text.push(c),
                                None => {}
                            },
                            c => text.push(c),
                        }
                    }
                    found.push((before.split_whitespace().collect::<Vec<_>>().join(" "), text));
                    before.clear();
                }
                c => before.push(c),
            }
        }
        found
    }

    /// A text as somebody might read it: something in every blank.
    fn sample(text: &str) -> String {
        let mut rest = text.replace("{{", "\u{1}").replace("}}", "\u{2}");
        while let Some((from, to)) = rest.find('{').and_then(|from| Some((from, from + rest[from..].find('}')?))) {
            rest.replace_range(from..=to, "X7");
        }
        rest.replace('\u{1}', "{").replace('\u{2}', "}")
    }

    /// Whether a text has words to translate: two beside each other.
    fn has_words(text: &str) -> bool {
        let is_word = |word: &str| word.len() > 1 && word.chars().all(|c| c.is_ascii_lowercase());
        text.split(' ').zip(text.split(' ').skip(1)).any(|(one, other)| is_word(one) && is_word(other))
    }

    fn is_chinese(text: &str) -> bool {
        text.chars().any(|c| ('\u{4e00}'..='\u{9fff}').contains(&c))
    }

    #[test]
    fn every_message_of_the_commands_is_there_in_chinese() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR"));
        let mut files: Vec<_> = BEYOND.iter().map(|file| root.join(file)).collect();
        sources(&root.join("src/cli"), &mut files);
        let mut missing = Vec::new();
        let mut seen = 0;
        for path in files {
            for (before, text) in literals(&fs::read_to_string(&path).expect("a source")) {
                let before = before.replace("( ", "(").replace(" .", ".");
                let before = if before.ends_with(',') { format!("{before} ") } else { before };
                if !SAID_BY.iter().any(|told| before.ends_with(told)) || is_chinese(&text) {
                    continue;
                }
                for line in sample(&text).lines().filter(|line| has_words(line)) {
                    seen += 1;
                    if !is_chinese(&in_chinese(line))
                        && !["listening on", "standoff "].iter().any(|same| line.starts_with(same))
                    {
                        missing.push(format!("{}: {line}", path.strip_prefix(root).expect("below").display()));
                    }
                }
            }
        }
        assert!(seen > 200, "{seen}");
        assert!(missing.is_empty(), "missing in messages.zh.toml:\n{}", missing.join("\n"));
    }

    #[test]
    fn blanks_are_the_same_in_both_languages() {
        for Bilingual { en, zh } in &CHINESE.messages {
            let blanks = |pieces: &[Part]| {
                let mut names: Vec<Part> =
                    pieces.iter().filter(|piece| matches!(piece, Part::Blank(_))).cloned().collect();
                names.sort_by_key(|piece| format!("{piece:?}"));
                names
            };
            assert_eq!(blanks(en), blanks(zh), "{en:?}");
            let beside = en.windows(2).any(|two| matches!(two, [Part::Blank(_), Part::Blank(_)]));
            assert!(!beside, "two blanks without a word between: {en:?}");
        }
    }

    #[test]
    fn what_is_filled_in_is_translated_too_and_data_is_left_alone() {
        assert_eq!(
            in_chinese(
                "error: cup.toml:3:1: `blocks` must be a whole number from 1 to 100000, not a text\nhint: name a file"
            ),
            "错误：cup.toml:3:1：`blocks` 应为 1 到 100000 的整数，而不是文本\n提示：请写文件名"
        );
        assert_eq!(
            in_chinese("12 of 80 games, 3.5 games per minute, 40 calls, $0.0120, 5 min left, 2 illegal"),
            "已下 12 / 80 局，每分钟 3.5 局，40 次调用，$0.0120，还需 5 分钟，2 次不合法"
        );
        for (text, expected) in [
            ("1 of 60 games, 561.4 games per minute, 6 s left", "已下 1 / 60 局，每分钟 561.4 局，还需 6 秒"),
            (
                "            key in SOME_KEY (not set), api chat, $0.25 in, $2 out per million tokens",
                "            密钥在 SOME_KEY（未设置），api chat，输入 $0.25，输出 $2，按每百万词元",
            ),
            (
                "            key: the environment variable SOME_KEY is not set; it must hold the key: export SOME_KEY=…",
                "            密钥：没有设置环境变量 SOME_KEY；密钥写在其中：export SOME_KEY=…",
            ),
            (
                "error: m.txt:2:2: `x` is no cell of this game's maps; `.` is empty, `#` a wall, `1` to `9` a block with so many hit points (with spaces between the cells also more, up to 32767)",
                "错误：m.txt:2:2：`x` 不是这个游戏的地图格；`.` 是空地，`#` 是墙，`1` 到 `9` 是耐久为该数的砖块（格与格之间用空格隔开时可以更大，最多 32767）",
            ),
            ("maps: corral, prairie", "地图：corral, prairie"),
            (
                "player      reachable  key        model      tools      schema     latency    mode",
                "玩家        连接       密钥       模型       工具       schema     延迟       mode",
            ),
        ] {
            assert_eq!(in_chinese(text), expected);
        }
        assert_eq!(
            in_chinese("cowbiy: no ruleset `cowbiy`: gone; built in: paint; did you mean `cowboy`?"),
            "cowbiy：没有规则集 `cowbiy`：gone；内置的有：paint；你要的是不是 `cowboy`？"
        );
        // Nor is what stands in a list, in a path or in somebody's words taken for a message.
        assert_eq!(
            in_chinese("error: c.toml:3:1: unknown key `x`; allowed here: bank, games, player, quiz"),
            "错误：c.toml:3:1：没有 `x` 这个字段；这里可用：bank, games, player, quiz"
        );
        for same in [
            "{\"type\":\"game\"}",
            "greedy, random",
            "move up",
            "",
            "bank, games, player, quiz",
            "salt and pepper",
            "meet me at noon",
            "turn left",
            "three games",
        ] {
            assert_eq!(in_chinese(same), same);
        }
        for (text, expected) in [
            ("error: stopped; 3 of 8 games are played and kept", "错误：已停止；8 局中已下完并保存 3 局"),
            ("error: the time is up; 3 of 8 games are played and kept", "错误：时间到了；8 局中已下完并保存 3 局"),
            ("error: 1 of 2 players cannot play", "错误：2 名玩家中有 1 名不能对局"),
            ("error: A was not asked in turn 999", "错误：第 999 回合没有问过 A"),
            (
                "    nothing can be said yet of how large the difference is, 0 blocks, evidence 1.0 for better",
                "    差别有多大尚无法判断，0 组，“更强”的证据值 1.0",
            ),
            (
                "    +31 Elo, shrunk for stopping when sure (90 % interval -40 at the least), 9 blocks, evidence 2.0 for better",
                "    +31 Elo，已因“有把握即停”而收缩（90% 区间 至少 -40），9 组，“更强”的证据值 2.0",
            ),
            (
                "    -31 Elo, shrunk for stopping when sure (90 % interval +40 at the most), 9 blocks, evidence 2.0 for worse",
                "    -31 Elo，已因“有把握即停”而收缩（90% 区间 至多 +40），9 组，“更弱”的证据值 2.0",
            ),
        ] {
            assert_eq!(in_chinese(text), expected);
        }
        let mut out = TranslatedOutput::new(Vec::new());
        write!(out, "no tour").expect("memory");
        writeln!(out, "nament").expect("memory");
        out.flush().expect("memory");
        assert_eq!(out.out, b"no tournament\n", "English unless a process speaks Chinese");
    }
}
