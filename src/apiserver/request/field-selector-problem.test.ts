// SPDX-License-Identifier: Apache-2.0
import { expect, test } from "vitest";
import { fieldSelectorProblem } from "./field-selector-problem.ts";

// What a real server answered.
test.each([
  ["metadata.name", "invalid selector: 'metadata.name'; can't understand 'metadata.name'"],
  ["metadata.name=a,foo", "invalid selector: 'metadata.name=a,foo'; can't understand 'foo'"],
  ["metadata.name=a=b", "invalid field selector: unescaped character in value: 61"],
  ["metadata.name=a\\x", "invalid field selector: invalid escape sequence: \\x"],
  ["metadata.name=a\\", "invalid field selector: invalid escape sequence: \\"],
])("%s", (text, problem) => expect(fieldSelectorProblem(text)).toBe(problem));
