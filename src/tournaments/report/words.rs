//! The words of a report.

use super::super::verdict::Verdict;
use crate::briefs::Language;

/// One of two texts.
pub(super) fn choose<'t>(language: Language, en: &'t str, zh: &'t str) -> &'t str {
    match language {
        Language::En => en,
        Language::Zh => zh,
    }
}

/// Declares the words, each with its English and its Chinese.
macro_rules! words {
    ($($name:ident: $en:literal, $zh:literal;)*) => {
        /// Headings and labels, in English and in Chinese.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub(super) enum Word {
            $($name,)*
        }

        impl Word {
            #[cfg(test)]
            pub(super) const ALL: &[Word] = &[$(Word::$name,)*];

            /// Its name in addresses: the same in every language.
            pub(super) fn anchor(self) -> String {
                let name = match self {
                    $(Word::$name => stringify!($name),)*
                };
                let dashed = |c: char| if c.is_ascii_uppercase() { format!("-{}", c.to_ascii_lowercase()) } else { c.to_string() };
                name.chars().map(dashed).collect::<String>().trim_start_matches('-').to_owned()
            }

            pub(super) fn text(self, language: Language) -> &'static str {
                let (en, zh) = match self {
                    $(Word::$name => ($en, $zh),)*
                };
                choose(language, en, zh)
            }
        }
    };
}

words! {
    Leaderboard: "Leaderboard", "排行榜";
    LeaderboardNote: "A rating is a batch fit of all games; the order of play cannot matter. The interval holds the rating 95 times in 100, by resampling blocks.", "等级分由全部对局一次拟合得出，与对局先后无关。区间按组重抽样得到，100 次中有 95 次包含真实等级分。";
    Player: "Player", "玩家";
    Rating: "Rating", "等级分";
    Interval: "95 % interval", "95% 区间";
    Ranks: "Rank interval", "名次区间";
    Best: "P(best)", "最强的概率";
    Games: "Games", "局数";
    Blocks: "Blocks", "组数";
    Wins: "Wins", "胜";
    Draws: "Draws", "平";
    Losses: "Losses", "负";
    DrawShare: "Draws %", "平局率";
    Score: "Score", "得分率";
    WithoutForfeits: "Rating without forfeits", "不计判负的等级分";
    Accuracy: "Accuracy", "准确率";
    MeanLoss: "Mean loss", "平均损失";
    QuizShare: "Quiz", "测验";
    Tokens: "Tokens per move", "每步词元";
    Seconds: "Seconds per move", "每步秒数";
    Details: "What it cost and how well it was played", "花费与着法质量";
    Matrix: "Who beats whom", "两两对战";
    MatrixNote: "How likely the player of a row wins a game against that of a column, by the ratings; below it the share that it won, and of how many games.", "按等级分推算，每行玩家对每列玩家单局获胜的概率；其下为实际获胜的比例与局数。";
    FitHolds: "The ratings fit what happened", "等级分与实际战绩相符";
    FitUnknown: "Whether the ratings fit what happened cannot be told from these games", "这些对局不足以判断等级分是否与实际战绩相符";
    FitFails: "The ratings do not fit what happened", "等级分与实际战绩不相符";
    Deviance: "deviance", "偏差";
    Degrees: "degrees of freedom", "自由度";
    LargestZ: "largest |z| of a pair", "单对最大 |z|";
    Pairs: "Pairs as chess engines are tested", "国际象棋引擎测试的统计方式";
    PairsNote: "How many pairs of games were worth 0, ¼, ½, ¾ and 1 to the first of the two, and the logarithm of how much likelier they are if it is better by δ than if both are the same (LLR). It decides nothing here.", "按前者所得分数（0、¼、½、¾、1）统计的配对局数，以及“强 δ”相对“一样强”的对数似然比（LLR）。此处仅供参考，不作裁决。";
    Llr: "LLR", "对数似然比";
    Seats: "Seats", "座位";
    SeatsNote: "The mean score of each seat, whoever sat there, and how the games of a block go together for a player: below 0 where the seat decides, above 0 where strength does.", "各座位的平均得分率（不论谁坐），以及同组对局之间的相关系数：为负说明座位左右胜负，为正说明实力左右胜负。";
    Ruleset: "Ruleset", "规则集";
    Correlation: "Correlation", "相关系数";
    Transcripts: "What was said where answers failed", "失误时的完整对话";
    TranscriptsNote: "One of every kind of failure of every player: open it to read the system prompt, the question, the answer and why it was refused.", "每位玩家每类失误各取一例，展开可见系统提示词、问题、回答与驳回原因。";
    SystemPrompt: "System prompt", "系统提示词";
    Question: "Question", "问题";
    Refusal: "Refused", "驳回";
    NeitherYesNorNo: "The last line does not answer yes or no.", "末行没有回答“是”或“否”。";
    Bracket: "Bracket", "对阵图";
    Effects: "All differences", "全部差别";
    EffectsNote: "Each difference in Elo with its interval: to the right of 0 the first is better. The filled dot is shrunk, because a test that stops when it is sure stops at a lucky moment; the ring is the plain mean. The band is the difference that was to be seen.", "每个差别（Elo）及其区间：在 0 右侧表示前者更强。实心点经过收缩，因为检验往往停在运气好的时刻；圆环是未经收缩的均值。色带是要分辨的幅度。";
    Money: "What was spent on what", "花费明细";
    MoneyNote: "Nothing is spent on a question that is answered.", "有了结论的问题不再花钱。";
    Purpose: "For", "用途";
    Calls: "Calls", "调用";
    TokensIn: "Tokens in", "输入词元";
    TokensOut: "Tokens out", "输出词元";
    Usd: "US dollars", "美元";
    EloDifference: "Difference in Elo", "Elo 差";
    EloInterval: "Interval in Elo", "Elo 区间";
    ScoreDifference: "Score", "得分率";
    PercentagePoints: "points", "个百分点";
    Findings: "What was compared", "比较结果";
    FindingsNote: "Each interval holds the true difference at all times at once, at the level it names. The same prompt twice shows the noise: what differs there means nothing.", "每个区间在任意时刻同时成立，置信水平见表中。同一提示词的自我对照显示噪声：那里的差别没有意义。";
    Gate: "Gate", "关卡";
    Comparison: "Comparison", "比较";
    Verdict: "Verdict", "结论";
    Items: "Blocks or items", "组数或题数";
    Evidence: "Evidence for better", "更强的证据值";
    EvidenceWorse: "Evidence for worse", "更弱的证据值";
    TestsOfRecord: "The tests that decide", "起决定作用的检验";
    OtherTests: "The tests of the cheaper gates", "前面各关的检验过程";
    Course: "How the tests went", "检验过程";
    CourseNote: "Capital bet on each claim, on a logarithmic scale. A claim stands once its line has reached its bound: 1/α for better and worse, 1/β for not better and not worse by δ.", "押在每个论断上的本金（对数刻度）。曲线一旦触及界线，论断即成立：“更强”“更弱”的界线为 1/α，“优势不足 δ”“劣势不足 δ”的界线为 1/β。";
    Capital: "capital", "本金";
    BetBetter: "better", "更强";
    BetNot: "not better by δ", "优势不足 δ";
    BetWorse: "worse", "更弱";
    BetNotWorse: "not worse by δ", "劣势不足 δ";
    Failures: "Failures", "失误统计";
    FailuresNote: "Turns in which the referee had to act for a player, by what was wrong, and attempts that were refused.", "裁判代为行动的回合（按原因分类），以及被拒绝的尝试。";
    Refused: "Refused answers", "被驳回的回答";
    RefusedNote: "Some of the answers that were refused, as they were given.", "部分被驳回的回答，按原样列出。";
    Answer: "Answer", "回答";
    Reason: "Why", "原因";
    Cost: "Cost against strength", "花费与强度";
    UsdAGame: "US dollars per game", "每局花费（美元）";
    Quiz: "Quiz by rule", "规则测验";
    QuizNote: "Share of right answers; guessing has 50 %. The engine makes the questions and knows the answers.", "答对的比例，瞎猜为 50%。题目和答案都由规则引擎给出。";
    Rule: "Rule", "规则";
    AllRules: "all rules", "全部规则";
    Languages: "English against Chinese", "英文与中文对比";
    LanguagesNote: "The same questions in both languages. The difference is Chinese minus English, in points, with a 95 % interval for pairs; then how many questions only one of the two got right.", "同一批题目分别用两种语言提问。差值为中文减英文（百分点），附配对的 95% 区间；其后是只有一方答对的题数。";
    Prompt: "Prompt", "提示词";
    Difference: "Difference", "差值";
    OnlyEnglish: "only English right", "仅英文答对";
    OnlyChinese: "only Chinese right", "仅中文答对";
    Bank: "Critical positions", "关键局面";
    BankNote: "Everybody answers the same positions; an answer loses what it gives away of the chance to win, in points.", "所有玩家回答同一批局面；损失指答案放弃的胜率（百分点）。";
    Positions: "Positions", "局面数";
    BestFound: "Best found", "找到最佳";
    NoAction: "Failures", "无效回答";
    Moves: "Move quality", "着法质量";
    MovesNote: "By the oracle, a search with a fixed budget; it explains and does not decide. A loss is what a move gives away of the chance to win: an inaccuracy is 5 to 10 points, a mistake 10 to 20, a blunder 20 or more, and each move is in one class. Decided positions are left out. Whoever has fewer than 30 decisions stands last: they say little.", "由固定预算的搜索评估；它只作解释，不作裁决。损失指一步棋放弃的胜率：5 到 10 个百分点为欠佳，10 到 20 为失误，20 以上为大错，每步只归一类。胜负已定的局面不计入。决策不足 30 次的玩家排在最后，其数据说明不了什么。";
    Decisions: "Decisions", "决策数";
    Agreement: "Agrees with the oracle", "与搜索一致";
    Inaccuracies: "Inaccuracies", "欠佳";
    Mistakes: "Mistakes", "失误";
    BlunderCount: "Blunders", "大错";
    Calibration: "Expected → actual score (decisions)", "预期得分 → 实际得分（决策数）";
    Curve: "Chance to win", "胜率";
    Turn: "turn", "回合";
    Blunders: "Worst moves", "最差的着法";
    Contents: "Contents", "目录";
    OpenMatch: "Open the match", "打开对局";
    Reproduce: "How to reproduce this", "如何复现";
}

/// A verdict in a word or two.
pub(super) fn verdict(verdict: Verdict, language: Language) -> String {
    match language {
        Language::En => verdict.to_string(),
        Language::Zh => match verdict {
            Verdict::Better => "更强",
            Verdict::Worse => "更弱",
            Verdict::NoDifference => "没有差别",
            Verdict::NotBetter => "没有更强",
            Verdict::NotWorse => "没有更弱",
            Verdict::Undecided => "尚无定论",
        }
        .to_owned(),
    }
}

/// A kind of failure, as records name it.
pub(super) fn failure(kind: &str, language: Language) -> String {
    let (en, zh) = match kind {
        "illegal" => ("illegal", "违规"),
        "unreadable" => ("unreadable", "无法识别"),
        "truncated" => ("cut off", "被截断"),
        "refused" => ("declined", "拒绝作答"),
        "too_slow" => ("too slow", "超时"),
        "crashed" => ("crashed", "程序崩溃"),
        "resigned" => ("resigned", "认输"),
        "refused attempts" => ("refused attempts", "被拒绝的尝试"),
        other => (other, other),
    };
    choose(language, en, zh).to_owned()
}
