// SPDX-License-Identifier: Apache-2.0
import { describe, expect, test } from "vitest";
import { canonicalMicroTime, canonicalTime, GoTimeError } from "./go-time.ts";

describe("times", () => {
  test.each([
    ["2020-01-01T00:00:00Z", "2020-01-01T00:00:00Z"],
    ["2020-01-01T00:00:00.999Z", "2020-01-01T00:00:00Z"],
    ["2020-01-01T00:00:00,5Z", "2020-01-01T00:00:00Z"],
    ["2020-01-01T02:00:00+02:00", "2020-01-01T00:00:00Z"],
    ["2020-01-01T0:00:00Z", "2020-01-01T00:00:00Z"],
    ["2020-02-29T23:59:59-00:30", "2020-03-01T00:29:59Z"],
    ["2020-01-01T00:00:00+24:00", "2019-12-31T00:00:00Z"],
    ["9999-12-31T23:59:59-01:00", "10000-01-01T00:59:59Z"],
    ["0000-01-01T00:00:00Z", "0000-01-01T00:00:00Z"],
    ["0099-01-01T00:00:00Z", "0099-01-01T00:00:00Z"],
    ["0001-01-01T00:00:00Z", undefined],
    ["0001-01-01T00:00:00.5Z", "0001-01-01T00:00:00Z"],
  ])("%s is printed as %s", (text, canonical) => {
    expect(canonicalTime(text)).toBe(canonical);
  });

  // Sentences of kube-apiserver 1.36.3.
  const layout = '"2006-01-02T15:04:05Z07:00"';
  test.each([
    ["abc", `parsing time "abc" as ${layout}: cannot parse "abc" as "2006"`],
    ["", `parsing time "" as ${layout}: cannot parse "" as "2006"`],
    ["20200101", `parsing time "20200101" as ${layout}: cannot parse "0101" as "-"`],
    ["2020-1-01T00:00:00Z", `parsing time "2020-1-01T00:00:00Z" as ${layout}: cannot parse "1-01T00:00:00Z" as "01"`],
    ["2020-01-01t00:00:00z", `parsing time "2020-01-01t00:00:00z" as ${layout}: cannot parse "t00:00:00z" as "T"`],
    ["2020-01-01T00:00:00", `parsing time "2020-01-01T00:00:00" as ${layout}: cannot parse "" as "Z07:00"`],
    ["2020-01-01T00:00:00.Z", `parsing time "2020-01-01T00:00:00.Z" as ${layout}: cannot parse ".Z" as "Z07:00"`],
    ["2020-13-01T00:00:00Z", 'parsing time "2020-13-01T00:00:00Z": month out of range'],
    ["2020-02-30T00:00:00Z", 'parsing time "2020-02-30T00:00:00Z": day out of range'],
    ["2019-02-29T00:00:00Z", 'parsing time "2019-02-29T00:00:00Z": day out of range'],
    ["2020-01-00T00:00:00Z", 'parsing time "2020-01-00T00:00:00Z": day out of range'],
    ["2020-01-01T24:00:00Z", 'parsing time "2020-01-01T24:00:00Z": hour out of range'],
    ["2020-01-01T00:61:00Z", 'parsing time "2020-01-01T00:61:00Z": minute out of range'],
    ["2020-01-01T23:59:60Z", 'parsing time "2020-01-01T23:59:60Z": second out of range'],
    ["2020-01-01T00:00:00+25:00", 'parsing time "2020-01-01T00:00:00+25:00": time zone offset hour out of range'],
    ["2020-01-01T00:00:00Zx", 'parsing time "2020-01-01T00:00:00Zx": extra text: "x"'],
    ["é", `parsing time "\\xc3\\xa9" as ${layout}: cannot parse "\\xc3\\xa9" as "2006"`],
  ])("%s is refused", (text, sentence) => {
    expect(() => canonicalTime(text)).toThrow(new GoTimeError(sentence));
  });
});

describe("times of microseconds", () => {
  test.each([
    ["2020-01-01T02:00:00.000001+02:00", "2020-01-01T00:00:00.000001Z"],
    ["2020-01-01T00:00:00,123456Z", "2020-01-01T00:00:00.123456Z"],
    ["0001-01-01T00:00:00.000000Z", undefined],
  ])("%s is printed as %s", (text, canonical) => {
    expect(canonicalMicroTime(text)).toBe(canonical);
  });

  const layout = '"2006-01-02T15:04:05.000000Z07:00"';
  test.each([
    ["2020-01-01T00:00:00Z", "Z", ".000000"],
    ["2020-01-01T00:00:00.9Z", ".9Z", ".000000"],
    ["2020-01-01T00:00:00.123456789Z", "789Z", "Z07:00"],
  ])("%s needs six decimals", (text, rest, part) => {
    const sentence = `parsing time "${text}" as ${layout}: cannot parse "${rest}" as "${part}"`;
    expect(() => canonicalMicroTime(text)).toThrow(new GoTimeError(sentence));
  });
});
