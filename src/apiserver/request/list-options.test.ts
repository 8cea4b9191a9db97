// SPDX-License-Identifier: Apache-2.0
import { describe, expect, test } from "vitest";
import { parseListOptions } from "./list-options.ts";

const parse = (query: string): ReturnType<typeof parseListOptions> => parseListOptions(new URLSearchParams(query));

test("without a word everything is listed", () => {
  expect(parse("")).toEqual({
    isWatch: false,
    labels: [],
    fields: [],
    limit: 0,
    continueToken: "",
    resourceVersion: "",
    match: "",
    wantsBookmarks: false,
    sendInitialEvents: undefined,
    timeoutSeconds: undefined,
  });
});

test.each([
  ["watch", true],
  ["watch=", true],
  ["watch=1", true],
  ["watch=maybe", true],
  ["watch=False", false],
  ["watch=0", false],
])("%s watches: %s", (query, isWatch) => expect(parse(query).isWatch).toBe(isWatch));

describe("wrong options are refused in the real server's words", () => {
  const match = "resourceVersionMatch";
  test.each([
    ["limit=abc&labelSelector=a=b=c", 'strconv.ParseInt: parsing "abc": invalid syntax'],
    ["limit=99999999999999999999", 'strconv.ParseInt: parsing "99999999999999999999": value out of range'],
    ["labelSelector=a%3Db%3Dc", "found '=', expected: ',' or 'end of string'"],
    ["fieldSelector=metadata.name", "invalid selector: 'metadata.name'; can't understand 'metadata.name'"],
    [`${match}=Exact`, `${match}: Forbidden: ${match} is forbidden unless resourceVersion is provided`],
    [`${match}=Exact&resourceVersion=0`, `${match}: Forbidden: ${match} "exact" is forbidden for resourceVersion "0"`],
    ["sendInitialEvents=true", "sendInitialEvents: Forbidden: sendInitialEvents is forbidden for list"],
    [
      "watch=1&sendInitialEvents=true",
      `${match}: Forbidden: sendInitialEvents requires setting ${match} to NotOlderThan`,
    ],
    [
      `watch=1&${match}=NotOlderThan`,
      `${match}: Forbidden: ${match} is forbidden for watch unless sendInitialEvents is provided`,
    ],
    ["watch=1&continue=x", `${match}: Forbidden: ${match} is forbidden when continue is provided`],
  ])("%s", (query, message) => expect(() => parse(query)).toThrow(message));

  test("a watch from a version may carry a token, which means nothing", () => {
    expect(() => parse("watch=1&continue=x&resourceVersion=5")).not.toThrow();
  });
});
