// SPDX-License-Identifier: Apache-2.0
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { nameInListOptions } from "./rbac-list-options.ts";

const nameOf = (fieldSelector: string, rest: Record<string, string> = {}): string | undefined =>
  nameInListOptions(new URLSearchParams({ fieldSelector, ...rest }));

test.each([
  ["metadata.name=web", "web"],
  ["metadata.name==web", "web"],
  ["spec.nodeName=n1,metadata.name=web", "web"],
  ["metadata.name=web,", "web"],
  ["metadata.name=a\\,b\\=c\\\\", "a,b=c\\"],
  ["metadata.name!=web", undefined],
  ["metadata.namespace=web", undefined],
  [" metadata.name=web", undefined],
  ["", undefined],
])("[RB37] %s names %s", (selector, name) => {
  expect(nameOf(selector)).toBe(name);
});

test.each([
  ["metadata.name=b,metadata.name=a", "a"],
  ["metadata.name=a,metadata.name=b", "a"],
  ["metadata.name=a,metadata.name==b", "b"],
  ["metadata.name==b,metadata.name=1", "1"],
  ["metadata.name=a,metadata.name==b/c", undefined],
])("[RB37] of two names the one counts whose term is first bytewise: %s", (selector, name) => {
  expect(nameOf(selector)).toBe(name);
});

test.each(["metadata.name=web,=x", "metadata.name=web,==", "!=,metadata.name=web"])(
  "[RB37] a term without a field name parses: %s",
  (selector) => {
    expect(nameOf(selector)).toBe("web");
  },
);

test.each(["a/b", "..", ".", "50%"])("[RB37] %s is no path segment, so it names nothing", (name) => {
  expect(nameOf(`metadata.name=${name}`)).toBeUndefined();
});

test.each([
  ["a term without operator", "metadata.name=web,spec", {}],
  ["an escape nobody knows", "metadata.name=web,a=\\x", {}],
  ["an escape that ends the text", "metadata.name=web,a=b\\", {}],
  ["an equals sign in a value", "metadata.name=web,a=b=c", {}],
  ["an equals sign in a value without a field", "metadata.name=web,==b=c", {}],
  ["a label selector nobody understands", "metadata.name=web", { labelSelector: "app in web" }],
  ["a limit that is no number", "metadata.name=web", { limit: "ten" }],
  ["an empty limit", "metadata.name=web", { limit: "" }],
  ["a limit beyond 64 bits", "metadata.name=web", { limit: "9223372036854775808" }],
  ["a timeout with a fraction", "metadata.name=web", { timeoutSeconds: "1.5" }],
])("[RB37] %s makes the whole option set count for nothing", (_what, selector, rest) => {
  expect(nameOf(selector, rest)).toBeUndefined();
});

test("[RB37] options that parse do not take the name away", () => {
  expect(
    nameOf("metadata.name=web", {
      labelSelector: "app in (web)",
      limit: "+500",
      timeoutSeconds: "-9223372036854775808",
    }),
  ).toBe("web");
});

test("[RB37] any object name, escaped, is read back", () => {
  const anyName = fc.string({ unit: fc.constantFrom("a", "b", ",", "=", "\\", "!", "😀", " "), minLength: 1 });
  fc.assert(
    fc.property(anyName, (name) => {
      expect(nameOf(`a=b,metadata.name=${name.replaceAll(/[\\,=]/g, "\\$&")}`)).toBe(name);
    }),
  );
});
