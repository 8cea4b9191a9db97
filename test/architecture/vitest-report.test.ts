// SPDX-License-Identifier: Apache-2.0
import { expect, test } from "vitest";
import { countTests, failuresIn } from "../../scripts/vitest-report.ts";

function report(...files: readonly { status: string; cases: readonly string[] }[]): string {
  return JSON.stringify({
    testResults: files.map(({ status, cases }, at) => ({
      name: `/repo/src/${at}.test.ts`,
      status,
      assertionResults: cases.map((one) => ({ status: one, fullName: `a ${one} case` })),
    })),
  });
}

test("cases are counted, and what did not run is named", () => {
  const json = report(
    { status: "passed", cases: ["passed", "passed", "skipped"] },
    { status: "failed", cases: ["passed", "failed", "todo"] },
  );
  expect(countTests(json, "/repo")).toEqual({
    passedCount: 3,
    failedCount: 1,
    notRun: ["src/0.test.ts: a skipped case", "src/1.test.ts: a todo case"],
  });
});

test("a file that fails outside its cases counts as one failure", () => {
  const json = report({ status: "failed", cases: ["passed"] }, { status: "failed", cases: [] });
  expect(countTests(json, "/repo")).toMatchObject({ passedCount: 1, failedCount: 2 });
});

test("a text of another form is refused", () => {
  expect(() => countTests('{"testResults":[{"name":1}]}', "/repo")).toThrow("has an unknown form");
});

test("of the runner's output the account of the failures is shown, or the whole where there is none", () => {
  const account = "⎯⎯ Failed Tests 1 ⎯⎯\n FAIL src/a.test.ts > breaks\n";
  expect(failuresIn(`✓ src/b.test.ts\n × breaks\n${account}`)).toBe(account);
  expect(failuresIn("no test file found\n")).toBe("no test file found\n");
});
