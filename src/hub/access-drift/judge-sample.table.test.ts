// SPDX-License-Identifier: Apache-2.0
// Every combination of our answers and the cluster's verdicts, and what follows.
import { expect, test } from "vitest";
import type { ReviewVerdict } from "../../session/access-samples/access-sample.ts";
import { judgeSample, type SampleLook, type SampleOutcome } from "./judge-sample.ts";

/** Our answer before, the verdict, our answer after: `+a+`. */
type LookText = `${"+" | "-"}${"a" | "d" | "u"}${"+" | "-"}`;

const verdicts: Readonly<Record<string, ReviewVerdict>> = { a: "allowed", d: "denied", u: "unknown" };

function look(text: LookText): SampleLook {
  const [before, verdict = "", after] = text;
  return { before: before === "+", verdict: verdicts[verdict] ?? "unknown", after: after === "+" };
}

const firstLooks: Readonly<Record<LookText, SampleOutcome | "again">> = {
  "+a+": "agreed",
  "-d-": "agreed",
  "+d+": "again",
  "-a-": "again",
  "+a-": "raced",
  "-a+": "raced",
  "+d-": "raced",
  "-d+": "raced",
  "+u+": "unanswered",
  "+u-": "unanswered",
  "-u+": "unanswered",
  "-u-": "unanswered",
};
const looks = Object.keys(firstLooks) as LookText[];

test.each(looks)("[RB80] a first look %s", (text) => {
  expect(judgeSample(look(text))).toBe(firstLooks[text]);
});

const pairs = (["+d+", "-a-"] as const).flatMap((first) => looks.map((second) => ({ first, second })));

test.each(pairs)("[RB80] [RB82] a difference $first, looked at again as $second", ({ first, second }) => {
  const outcome = judgeSample(look(first), look(second));
  if (second === first) expect(outcome).toBe(first === "+d+" ? "shownButDenied" : "hiddenButAllowed");
  else expect(outcome).toBe(second[1] === "u" ? "unanswered" : "raced");
});
