// SPDX-License-Identifier: Apache-2.0
import { expect, test } from "vitest";
import type { PlainOption } from "./parse-value.ts";
import { parseValue } from "./parse-value.ts";

function valueOf(type: "duration" | "bytes", text: string): unknown {
  const spec: PlainOption = { name: "sample", type, verbs: [], description: "A sample." };
  const parsed = parseValue(spec, [text]);
  return parsed.kind === "value" ? parsed.value : parsed.problem;
}

const noDuration = "is not a duration such as 500ms, 30s, 5m, 24h or 7d";
const noSize = "is not a size such as 512KiB or 4MB";

test.each<[string, unknown]>([
  ["0", 0],
  ["250ms", 250],
  ["1h30m", 5_400_000],
  ["7d", 604_800_000],
  ["30", noDuration],
  ["", noDuration],
  ["1.5h", noDuration],
  ["-5s", noDuration],
  ["36526d", noDuration],
])("the duration %j is %j", (text, expected) => {
  expect(valueOf("duration", text)).toBe(expected);
});

test.each<[string, unknown]>([
  ["4MB", 4_000_000],
  ["4MiB", 4_194_304],
  ["65536", 65_536],
  ["4M", noSize],
  ["-1MB", noSize],
  ["9999999999999999GB", noSize],
])("the size %j is %j", (text, expected) => {
  expect(valueOf("bytes", text)).toBe(expected);
});
