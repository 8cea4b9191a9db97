// SPDX-License-Identifier: Apache-2.0
import { describe, expect, test } from "vitest";
import { defaultKinds, derivedKinds } from "../kinds/all-kinds.ts";
import { resourceIdText } from "../model/gvr.ts";
import { type AgentManifestWish, type CheckedAgentManifest, printAgentManifest } from "./print-agent-manifest.ts";
import { recordIo } from "./testing/recorded-io.ts";

const wish: AgentManifestWish = {
  hub: "https://hub.example.com:7443/",
  ca: "-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n",
  clusterId: "production-east",
  region: "eu-1",
  environment: "production",
  namespaces: [],
  excludeNamespaces: [],
  kinds: [],
  objectReads: false,
  constrainedImpersonation: false,
  image: "registry.example.com/flotilla:1.2.3",
  agentImagePullSecrets: [],
  joinSecret: "flotilla-join-token",
};

function print(changes: Partial<AgentManifestWish>): { readonly checked: CheckedAgentManifest; readonly text: string } {
  const { io, stdout } = recordIo();
  const rendered: CheckedAgentManifest[] = [];
  printAgentManifest(io, { ...wish, ...changes }, (wanted) => {
    rendered.push(wanted);
    return "kind: Namespace\n";
  });
  const [checked] = rendered;
  if (checked === undefined) throw new Error("nothing was rendered");
  return { checked, text: stdout() };
}

test("standard output is the manifest and nothing else", () => {
  const { checked, text } = print({});
  expect(text).toBe("kind: Namespace\n");
  expect(checked.hub.origin).toBe("https://hub.example.com:7443");
  expect(checked.kinds).toEqual([...defaultKinds, ...derivedKinds]);
  expect(checked).toMatchObject({ readsAsViewer: false, kindTexts: [] });
});

test("[L2] chosen kinds come with RBAC's four; secrets are there when asked for", () => {
  const { checked } = print({ kinds: ["pods", "secrets", "mesh.flotilla.dev/istiocontrolplaneconfigs", "pods"] });
  expect(checked.kinds.map(({ resource }) => resourceIdText(resource))).toEqual([
    "rbac.authorization.k8s.io/clusterroles",
    "rbac.authorization.k8s.io/clusterrolebindings",
    "rbac.authorization.k8s.io/roles",
    "rbac.authorization.k8s.io/rolebindings",
    "pods",
    "secrets",
    "apps/deployments",
    "mesh.flotilla.dev/istiocontrolplaneconfigs",
  ]);
});

test.each([
  ["a name", "certificates.cert-manager.io", ["cert-manager.io/certificates"], false],
  ["a whole group", "cert-manager.io/*", ["cert-manager.io/*"], false],
  ["a part of a name", "*.crossplane.io/*", [], true],
  ["everything", "*", ["limitranges", "serviceaccounts", "apps/*", "storage.k8s.io/*"], true],
])("[KI27] %s is granted as exactly as a rule can say it", (_, text, ruled, readsAsViewer) => {
  const { checked } = print({ kinds: ["pods", text] });
  const known = new Set(defaultKinds.map(({ resource }) => resourceIdText(resource)));
  const others = checked.kinds.map(({ resource }) => resourceIdText(resource)).filter((each) => !known.has(each));
  expect(others).toEqual(expect.arrayContaining([...ruled]));
  expect(others.some((each) => each.includes("*"))).toBe(ruled.some((each) => each.includes("*")));
  expect(checked).toMatchObject({ readsAsViewer, kindTexts: ["pods", text] });
  expect(others).not.toContain("secrets");
});

describe("wrong input is refused with one sentence, and nothing is printed", () => {
  test.each<[Partial<AgentManifestWish>, string]>([
    [
      { clusterId: "a:b" },
      'cluster id "a:b" has ":" at position 2; it must be a DNS label: lower-case letters, digits and "-", such as "production-east"',
    ],
    [{ hub: "hub.example.com" }, 'hub "hub.example.com" is not a URL such as https://hub.example.com:7443'],
    [
      { hub: "http://hub.example.com" },
      "hub must begin with https://, because the agent sends its state and token there",
    ],
    [{ hub: "https://u:secret@hub" }, "hub must not contain a user or password; the agent has a key"],
    [{ hub: "https://hub/path" }, "hub must be a URL without a path"],
    [
      { ca: `${wish.ca}-----BEGIN PRIVATE KEY-----` },
      "the certificate authority contains a private key; give only its certificate",
    ],
    [{ ca: "MIIB" }, "the certificate authority is not a certificate in PEM form"],
    [{ region: "a\nb" }, 'region "a\\nb" must be one line of at most 256 characters'],
    [{ namespaces: ["Shop"] }, 'namespace "Shop" is not a DNS label, such as "shop"'],
    [{ excludeNamespaces: ["a,b"] }, 'namespace "a,b" is not a DNS label, such as "shop"'],
    [
      { namespaces: ["a"], excludeNamespaces: ["a", "b"] },
      "every namespace of --namespaces is also excluded, so nothing would be collected",
    ],
    [
      { kinds: ["widgets"] },
      'kind "widgets" is not one of the core group; write it with its group, such as certificates.cert-manager.io',
    ],
    [{ image: "a b" }, 'image "a b" is not the name of a container image'],
    [{ agentImagePullSecrets: ["pull", "B"] }, 'image pull secret "B" is not the name of a Secret'],
    [{ joinSecret: "A" }, 'join secret "A" is not the name of a Secret'],
  ])("%j", (changes, sentence) => {
    const { io, stdout } = recordIo();
    const render = () => "printed";
    expect(() => {
      printAgentManifest(io, { ...wish, ...changes }, render);
    }).toThrow(expect.objectContaining({ code: "INVALID_ARGUMENT", message: sentence }));
    expect(stdout()).toBe("");
  });
});

test("[N-31] cluster ids of one letter and of 63 are taken, of 64 refused", () => {
  expect(print({ clusterId: "a" }).checked.clusterId).toBe("a");
  expect(print({ clusterId: "a".repeat(63) }).checked.clusterId).toBe("a".repeat(63));
  expect(() => print({ clusterId: "a".repeat(64) })).toThrow("has 64 characters, the most is 63");
});
