// SPDX-License-Identifier: Apache-2.0
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { FlotillaError } from "../../base/error.ts";
import { matchGlob } from "../../base/match-glob.ts";
import { type Kubeconfig, parseKubeconfig, resolveContext } from "./parse-kubeconfig.ts";
import { redactExactly, redactSecrets } from "./redact-secrets.ts";

const marker = "s3cr3t-m4rker";
const leaf = fc.oneof(fc.constant(marker), fc.jsonValue({ maxDepth: 1 }));
const key = fc.constantFrom(
  "server",
  "certificate-authority-data",
  "token",
  "tokenFile",
  "username",
  "password",
  "client-key-data",
  "exec",
  "command",
  "args",
  "env",
  "apiVersion",
  "as",
  "as-user-extra",
  "extensions",
  "proxy-url",
  "insecure-skip-tls-verify",
  "__proto__",
);
const fields = fc.dictionary(
  key,
  fc.oneof(leaf, fc.array(leaf, { maxLength: 2 }), fc.dictionary(key, leaf, { maxKeys: 4 })),
  { maxKeys: 6 },
);
const entry = (kind: string) =>
  fc.oneof(
    fields.map((value) => ({ name: "x", [kind]: value })),
    leaf,
  );
const document = fc.record({
  clusters: fc.oneof(fc.array(entry("cluster"), { maxLength: 2 }), leaf),
  users: fc.oneof(fc.array(entry("user"), { maxLength: 2 }), leaf),
  contexts: fc.oneof(
    fc.constant([{ name: "x", context: { cluster: "x", user: "x" } }]),
    fc.array(entry("context"), { maxLength: 2 }),
    leaf,
  ),
});

async function tryAll(text: string): Promise<unknown[]> {
  const failures: unknown[] = [];
  let config: Kubeconfig;
  try {
    config = await parseKubeconfig([{ path: "f", text }]);
  } catch (reason) {
    return [reason];
  }
  for (const name of config.contexts.keys()) {
    try {
      resolveContext(config, name);
    } catch (reason) {
      failures.push(reason);
    }
  }
  return failures;
}

test("[KU9] whatever a kubeconfig holds, it is read or refused with a sentence that shows no value of it", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.oneof(
        document.map((value) => JSON.stringify(value)),
        fc.string(),
      ),
      async (text) => {
        for (const failure of await tryAll(text)) {
          expect(failure).toBeInstanceOf(FlotillaError);
          expect(failure).toMatchObject({ code: "CONFIG_INVALID" });
          expect(String(failure)).not.toContain(marker);
        }
      },
    ),
    { numRuns: 150 },
  );
});

test("[KU9] a secret that is known is nowhere in what is shown", () => {
  const secret = fc.string({ minLength: 6, maxLength: 40 }).filter((text) => !"[hidden]".includes(text));
  fc.assert(
    fc.property(secret, fc.array(fc.string()), (known, texts) => {
      const shown = redactExactly(texts.join(known), [known]);
      // Taking one out may put the rest together anew only with the mark between, so none is left that was there.
      expect(shown.split("[hidden]").some((part) => part.includes(known))).toBe(false);
      expect(redactSecrets(`token: ${known}`, [known])).not.toContain(`token: ${known}`);
    }),
  );
});

test("a glob matches as the regular expression that it stands for", () => {
  const glob = fc.array(fc.constantFrom("a", "b", ".", "*", "?"), { maxLength: 8 }).map((parts) => parts.join(""));
  const text = fc.array(fc.constantFrom("a", "b", "."), { maxLength: 8 }).map((parts) => parts.join(""));
  fc.assert(
    fc.property(glob, text, (pattern, name) => {
      const toSource = (each: string): string => (each === "*" ? ".*" : each === "?" ? "." : RegExp.escape(each));
      const expected = new RegExp(`^${pattern.split("").map(toSource).join("")}$`).test(name);
      expect(matchGlob(pattern, name)).toBe(expected);
    }),
    { numRuns: 500 },
  );
});
