// SPDX-License-Identifier: Apache-2.0
// Reads the JSON report of a test run: the number of passed and failed cases, and the skipped ones.

/** One run of the test runner. */
export interface TestCounts {
  readonly passedCount: number;
  /**
   * Failed cases, plus one for each file that failed outside of its cases (at load, or in a hook that found a leak).
   */
  readonly failedCount: number;
  /** `file: name` of every case that was skipped or is a todo. */
  readonly notRun: readonly string[];
}

interface ReportedCase {
  readonly status: string;
  readonly fullName: string;
}

interface ReportedFile {
  readonly name: string;
  readonly status: string;
  readonly assertionResults: readonly ReportedCase[];
}

/** Parses the report; `root` is removed from file names. Throws if the text is not a report. */
export function countTests(json: string, root: string): TestCounts {
  const report: unknown = JSON.parse(json);
  if (!isReport(report)) throw new Error("the test runner's report has an unknown form");
  let passedCount = 0;
  let failedCount = 0;
  const notRun: string[] = [];
  for (const file of report.testResults) {
    const failed = file.assertionResults.filter(({ status }) => status === "failed").length;
    failedCount += failed === 0 && file.status === "failed" ? 1 : failed;
    passedCount += file.assertionResults.filter(({ status }) => status === "passed").length;
    const path = file.name.startsWith(`${root}/`) ? file.name.slice(root.length + 1) : file.name;
    for (const { status, fullName } of file.assertionResults) {
      if (status !== "passed" && status !== "failed") notRun.push(`${path}: ${fullName}`);
    }
  }
  return { passedCount, failedCount, notRun: notRun.sort() };
}

/**
 * The runner's output from its list of failures on, without the names of all tests before it. The whole output if there
 * is no such list.
 */
export function failuresIn(output: string): string {
  const at = output.search(/^.*(?:Failed Suites|Failed Tests|Unhandled Errors).*$/m);
  return at === -1 ? output : output.slice(at);
}

function isReport(value: unknown): value is { readonly testResults: readonly ReportedFile[] } {
  return hasField(value, "testResults") && Array.isArray(value.testResults) && value.testResults.every(isReportedFile);
}

function isReportedFile(value: unknown): value is ReportedFile {
  if (!hasField(value, "name") || !hasField(value, "status") || !hasField(value, "assertionResults")) return false;
  const cases = value.assertionResults;
  return typeof value.name === "string" && Array.isArray(cases) && cases.every(isReportedCase);
}

function isReportedCase(value: unknown): value is ReportedCase {
  return hasField(value, "status") && hasField(value, "fullName") && typeof value.fullName === "string";
}

function hasField<Name extends string>(value: unknown, name: Name): value is Record<Name, unknown> {
  return typeof value === "object" && value !== null && name in value;
}
