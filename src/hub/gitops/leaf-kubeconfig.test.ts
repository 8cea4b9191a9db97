// SPDX-License-Identifier: Apache-2.0
import { expect, test } from "vitest";
import { ObjectClient } from "../../kube/object-client.ts";
import { type GitopsLeaf, parseGitopsLeaf } from "./gitops-leaf.ts";
import { type LeafKubeconfig, loadLeafKubeconfig, maxSecretBytes, reduceKubeconfig } from "./leaf-kubeconfig.ts";

const never = new AbortController().signal;
const two = `
current-context: b
contexts:
  - { name: a, context: { cluster: ca, user: ua } }
  - { name: b, context: { cluster: cb, user: ub, namespace: shop } }
clusters:
  - { name: ca, cluster: { server: "https://a.example.com" } }
  - { name: cb, cluster: { server: "https://b.example.com" } }
users:
  - { name: ua, user: { token: secret-of-a } }
  - { name: ub, user: { token: secret-of-b } }
`;

function leaf(): GitopsLeaf {
  const object = { spec: { secretRef: { name: "credential" } } };
  const parsed = parseGitopsLeaf(object, { namespace: "fleet", name: "east", uid: "u" });
  if (parsed === undefined) throw new Error("the names are valid");
  return parsed;
}

/** What is loaded where the management cluster answers with this Secret. */
function load(secret: unknown): Promise<LeafKubeconfig> {
  const body = new TextEncoder().encode(JSON.stringify(secret));
  const source = {
    request: () =>
      Promise.resolve({
        status: 200,
        headers: new Map<string, string>(),
        body: (async function* () {
          yield body;
        })(),
      }),
  };
  const client = new ObjectClient({ source, requestTimeoutMs: 1, maxBodyBytes: maxSecretBytes });
  return loadLeafKubeconfig(client, leaf(), never);
}

const base64 = (text: string): string => Buffer.from(text).toString("base64");

test("[IN27] of several contexts the current one is kept, with no other credential", async () => {
  const reduced = await reduceKubeconfig("of a test", two);
  expect(reduced.kind).toBe("kubeconfig");
  const text = reduced.kind === "kubeconfig" ? reduced.text : "";
  expect(JSON.parse(text)).toMatchObject({
    "current-context": "b",
    contexts: [{ name: "b" }],
    clusters: [{ name: "cb" }],
    users: [{ name: "ub" }],
  });
  expect(text).not.toContain("secret-of-a");
  expect(await reduceKubeconfig("of a test", two)).toEqual(reduced);
});

test("[Q-21] the key value goes before value.yaml", async () => {
  const other = two.replace("current-context: b", "current-context: a");
  const [both, one] = await Promise.all([
    load({ data: { value: base64(two), "value.yaml": base64(other) } }),
    load({ data: { "value.yaml": base64(other) } }),
  ]);
  expect(both).toEqual(await reduceKubeconfig("of a test", two));
  expect(one).toEqual(await reduceKubeconfig("of a test", other));
});

test.each([
  [{}, /has neither the key value nor value.yaml/],
  [{ data: { value: "%%" } }, /key value of Secret fleet\/credential is not text/],
  [{ data: { value: Buffer.from([0xff, 0xfe]).toString("base64") } }, /is not text/],
  [{ data: { value: base64("a: [") } }, /the kubeconfig of Secret fleet\/credential is not YAML/],
  [{ data: { value: base64("7") } }, /has no current context among its 0 contexts/],
  [{ data: { value: base64(two.replace("current-context: b", "")) } }, /has no current context among its 2 contexts/],
  [{ data: { value: base64(two.replace("current-context: b", "current-context: c")) } }, /no current context/],
  [{ data: { value: "A".repeat(maxSecretBytes) } }, /has more than 524288 bytes/],
])("[IN29, IN30] %# what cannot be used is named, without its text", async (secret, sentence) => {
  const loaded = await load(secret);
  expect(loaded).toEqual({ kind: "unusable", reason: expect.stringMatching(sentence) as unknown });
  expect(JSON.stringify(loaded)).not.toContain("secret-of");
});
