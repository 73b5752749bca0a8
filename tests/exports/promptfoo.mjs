// Tries the tests of promptfoo configurations as promptfoo does: `regex` by JavaScript's own expressions, `javascript` of
// one line as an expression in which `output` is the answer.

import { readFileSync } from "node:fs";

let passed = 0;
let failed = 0;

function check(name, problem) {
  if (problem) {
    failed += 1;
    console.log(`not ok: ${name}: ${problem}`);
  } else {
    passed += 1;
  }
}

/** The tests of a configuration: an object a line. */
function tests(file) {
  const lines = readFileSync(file, "utf8").split("\n").filter((line) => line.startsWith("  - {"));
  return lines.map((line) => JSON.parse(line.slice(4)));
}

/** What is wrong with a quiz's expression, if anything. */
function quizProblem({ value }, yes) {
  const right = { true: ["ANSWER: yes", "Answer: Yes.", "I think so.\n\nANSWER: YES!\n", "**ANSWER: yes**", "ANSWER: 是", "想想。\n答案：是。"], false: ["ANSWER: no", "answer: No.", "Hm.\n**ANSWER:** No", "答案：否", "答案：不是。"] };
  const expression = new RegExp(value);
  const missed = right[yes].find((answer) => !expression.test(answer));
  const taken = [...right[!yes], "", "yes", "no", "ANSWER: yes\nor is it?", "ANSWER: no\nor is it?", "ANSWER: yesterday", "ANSWER: nobody knows", "maybe"].find((answer) => expression.test(answer));
  return missed !== undefined ? `${JSON.stringify(missed)} is not taken` : taken !== undefined ? `${JSON.stringify(taken)} is taken` : null;
}

/** What is wrong with a bank's script, if anything. */
function bankProblem({ value }) {
  if (value.includes("\n")) return "more than one line is a function's body, not an expression";
  const grade = new Function("output", `return ${value}`);
  const best = /reason: 'best: ([^']+)'/.exec(value)?.[1];
  const [good, loud] = [grade(`ACTION: ${best}`), grade(`I would aim.\n**Action:** \`${best.toUpperCase()}\`.`)];
  const nothing = ["ACTION: dance", best, `ACTION: ${best}\nor not`, `<think>\nACTION: ${best}`];
  if (!(good.pass && good.score === 1)) return `the best action has ${good.score}`;
  if (!(loud.pass && loud.score === 1)) return `the best action in other words has ${loud.score}`;
  const taken = nothing.find((answer) => grade(answer).pass || grade(answer).score !== 0);
  return taken !== undefined ? `${JSON.stringify(taken)} is taken` : null;
}

const [quiz, bank] = process.argv.slice(2).map(tests);
for (const test of quiz) {
  const [assertion] = test.assert;
  let problem = null;
  try {
    // Which answer is right is only in the expression: it must be one of the two and not the other.
    problem = quizProblem(assertion, assertion.value.includes("是)") && !assertion.value.includes("不是)"));
  } catch (error) {
    problem = error.message;
  }
  check(test.description, problem);
}
for (const test of bank) {
  let problem = null;
  try {
    problem = bankProblem(test.assert[0]);
  } catch (error) {
    problem = error.message;
  }
  check(test.description, problem);
}
check("the quiz has tests", quiz.length > 20 ? null : `${quiz.length}`);
check("the bank has tests", bank.length > 3 ? null : `${bank.length}`);
console.log(`\n${passed} passed, ${failed} failed, 0 skipped`);
process.exit(failed === 0 ? 0 : 1);
