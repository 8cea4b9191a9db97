// SPDX-License-Identifier: Apache-2.0
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { sourceMessage, sourceUrl } from "./strip-url-credentials.ts";

test.each([
  ["https://git.example/fleet.git", "https://git.example/fleet.git"],
  ["https://git.example:8443/fleet", "https://git.example:8443/fleet"],
  ["https://user:tok@git.example/fleet", "https://git.example/fleet"],
  ["https://tok@git.example:8443", "https://git.example:8443"],
  ["https://user:p@ss@git.example/a", "https://git.example/a"],
  ["https://user:p/ss@git.example/a", "https://git.example/a"],
  ["https://git.example/a?token=tok#tok", "https://git.example/a"],
  ["https://git.example?a=b@c", "https://git.example"],
  ["https://git.example/@scope/a@1", "https://git.example/@scope/a@1"],
  ["https://[2001:db8::1]:443/a", "https://[2001:db8::1]:443/a"],
  ["https://u:tok@[2001:db8::1]/a", "https://[2001:db8::1]/a"],
  ["ssh://git@git.example/fleet", "ssh://git.example/fleet"],
  ["git@git.example:platform/fleet.git", "git.example:platform/fleet.git"],
  ["oci://registry.example/a@sha256:abc", "oci://registry.example/a@sha256:abc"],
  ["registry.example/a@sha256:abc", "registry.example/a@sha256:abc"],
  ["file:///opt/filters/a.wasm", "file:///opt/filters/a.wasm"],
  ["*", "*"],
  ["", ""],
])("[L18] the address %s is told as %s", (url, expected) => {
  expect(sourceUrl(url)).toBe(expected);
});

test.each([
  ["all is well", "all is well"],
  ["mail to ops@git.example", "mail to ops@git.example"],
  ["unable to clone 'https://u:tok@git.example/a': denied", "unable to clone 'https://git.example/a': denied"],
  ['Get "https://h/a?sig=tok,tok;tok": EOF', 'Get "https://h/a": EOF'],
  ["https://u:t,k'k@h/a, then https://tok@h/b.", "https://h/a, then https://h/b."],
  ["tried (https://u:tok@h/a,https://u:tok@h/b)", "tried (https://h/a,https://h/b)"],
])("[L18] the message %j is told as %j", (message, expected) => {
  expect(sourceMessage(message)).toBe(expected);
});

test("[L18] no password or query of a URL gets through, alone or in a sentence", () => {
  const host = fc.constantFrom("git.example", "git.example:8443", "[2001:db8::1]", "10.0.0.1");
  const wild = fc.stringMatching(/^[a-zA-Z0-9:@!$&'()*+,;=._~%-]{0,12}$/);
  fc.assert(
    fc.property(wild, wild, host, wild, (user, around, at, query) => {
      const url = `https://${user}:MARK${around}@${at}/path?${query}MARK`;
      expect(sourceUrl(url)).toBe(`https://${at}/path`);
      const told = sourceMessage(`failed: "${url.replaceAll(/["'`<>]/g, "")}" was refused`);
      expect(told).toBe(`failed: "https://${at}/path" was refused`);
    }),
  );
});

test("a long hostile text is cleaned in the time it takes to read it", () => {
  const texts = ["a".repeat(1_000_000), "://".repeat(300_000), "://a:b@".repeat(100_000), "://a?".repeat(100_000)];
  for (const text of texts) expect(sourceMessage(text).length).toBeLessThanOrEqual(text.length);
});
