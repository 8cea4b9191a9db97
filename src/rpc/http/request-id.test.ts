// SPDX-License-Identifier: Apache-2.0
import { expect, test } from "vitest";
import { createSeededRandom } from "../../base/random.ts";
import { chooseRequestId } from "./request-id.ts";

test.each([
  "a",
  "01J8-abc.def_~",
  "a".repeat(128),
  "3f2504e0-4f89-11d3-9a0c-0305e82c3301",
  "1-67891233-abcdef012345678912345678",
])("[RP18] a sane id is kept: %s", (sent) => {
  expect(chooseRequestId(sent, createSeededRandom(1))).toBe(sent);
});

test.each([undefined, "", "a".repeat(129), "a b", 'a"b', "a\nb", "{a}", "ä"])(
  "[RP18] anything else is replaced: %j",
  (sent) => {
    expect(chooseRequestId(sent, createSeededRandom(1))).toMatch(/^req_[0-9a-z]{20}$/);
  },
);
