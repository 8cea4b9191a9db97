// SPDX-License-Identifier: Apache-2.0
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { parseAllDocuments } from "yaml";
import { defaultKinds, derivedKinds } from "../../kinds/all-kinds.ts";
import { configMapKind } from "../../kinds/config-map-kind.ts";
import { deploymentKind } from "../../kinds/deployment-kind.ts";
import { fieldOf, listOf, textMapOf, textOf, textsOf } from "../../kinds/fields.ts";
import { istioControlPlaneKind } from "../../kinds/istio/control-plane.ts";
import { namespaceKind } from "../../kinds/namespace-kind.ts";
import { nodeKind } from "../../kinds/node-kind.ts";
import { podKind } from "../../kinds/pod-kind.ts";
import { secretKind } from "../../kinds/secret-kind.ts";
import { parseClusterId } from "../../model/cluster-id.ts";
import { resourceIdText } from "../../model/gvr.ts";
import { smallMallocVariables } from "../small-process.ts";
import { createAgentManifest, renderAgentManifest } from "./agent-manifest.ts";
import type { AgentManifestOptions, CollectedKind, KubeObject } from "./manifest-options.ts";

const ca = "-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n";

function optionsWith(changes: Partial<AgentManifestOptions> = {}): AgentManifestOptions {
  return {
    hub: new URL("https://hub.example.com:7443"),
    ca,
    clusterId: parseClusterId("production-east"),
    region: "eu-1",
    environment: "production",
    namespaces: [],
    excludeNamespaces: [],
    kinds: [...defaultKinds, ...derivedKinds],
    readsAsViewer: false,
    kindTexts: [],
    objectReads: false,
    constrainedImpersonation: false,
    image: "registry.example.com/flotilla:1.2.3",
    agentImagePullSecrets: [],
    joinSecret: "flotilla-join-token",
    version: "1.2.3",
    viewerGroups: [],
    ...changes,
  };
}

function find(objects: readonly KubeObject[], kind: string, name: string): KubeObject {
  const found = objects.find((object) => object.kind === kind && object.metadata.name === name);
  if (found === undefined) throw new Error(`there is no ${kind} ${name}`);
  return found;
}

/** Each right as a line: `verb group/resource`, with `=name` where it is of one name, or `verb /path`. */
function rightsOf(role: KubeObject): string[] {
  return listOf(role, "rules").flatMap((rule) => {
    const names = textsOf(rule, "resourceNames");
    const resources = textsOf(rule, "apiGroups").flatMap((group) =>
      textsOf(rule, "resources").map((resource) => resourceIdText({ group, resource })),
    );
    const named = names.length === 0 ? resources : resources.flatMap((text) => names.map((name) => `${text}=${name}`));
    const targets = [...named, ...textsOf(rule, "nonResourceURLs")];
    return textsOf(rule, "verbs").flatMap((verb) => targets.map((target) => `${verb} ${target}`));
  });
}

const selfRights = [
  "get namespaces=kube-system",
  ...["/api", "/api/*", "/apis", "/apis/*", "/livez", "/version"].map((path) => `get ${path}`),
  "create authorization.k8s.io/subjectaccessreviews",
];

function readingOf(kinds: readonly CollectedKind[]): string[] {
  const texts = new Set(kinds.map(({ resource, from = resource }) => resourceIdText(from)));
  return [...texts].flatMap((text) => ["get", "list", "watch"].map((verb) => `${verb} ${text}`));
}

describe("what an agent may do", () => {
  test("[L18] by default it reads what it collects and nothing else; no secret is among that", () => {
    const objects = createAgentManifest(optionsWith());
    const rights = rightsOf(find(objects, "ClusterRole", "flotilla-agent"));
    expect(rights.toSorted()).toEqual([...selfRights, ...readingOf(defaultKinds)].toSorted());
    expect(rights.filter((right) => right.includes("secrets") || right.includes("*"))).toEqual([
      "get /api/*",
      "get /apis/*",
    ]);
    expect(objects.filter(({ kind }) => kind === "ClusterRole")).toHaveLength(1);
  });

  test("for any choice of kinds the rights are get, list and watch of exactly those", () => {
    const all: readonly CollectedKind[] = [...defaultKinds, secretKind, ...derivedKinds];
    fc.assert(
      fc.property(fc.shuffledSubarray([...all]), (kinds) => {
        const objects = createAgentManifest(optionsWith({ kinds }));
        const rights = rightsOf(find(objects, "ClusterRole", "flotilla-agent"));
        expect(rights.toSorted()).toEqual([...selfRights, ...readingOf(kinds)].toSorted());
      }),
    );
  });

  test("[SE64] it may create SubjectAccessReviews, unless that is left out; then it does not answer the hub's samples", () => {
    const right = "create authorization.k8s.io/subjectaccessreviews";
    const argument = "--access-reviews=false";
    const shown = (changes: Partial<AgentManifestOptions>): string[] => {
      const objects = createAgentManifest(optionsWith(changes));
      const [container] = listOf(
        find(objects, "Deployment", "flotilla-agent"),
        "spec",
        "template",
        "spec",
        "containers",
      );
      const rights = rightsOf(find(objects, "ClusterRole", "flotilla-agent"));
      return [...rights, ...textsOf(container, "args")].filter((text) => text === right || text === argument);
    };
    expect(shown({})).toEqual([right]);
    expect(shown({ namespaces: ["shop"] })).toEqual([right]);
    expect(shown({ accessReviews: false })).toEqual([argument]);
  });

  test("a derived kind needs its source, and no right of its own", () => {
    const objects = createAgentManifest(optionsWith({ kinds: [istioControlPlaneKind] }));
    const rights = rightsOf(find(objects, "ClusterRole", "flotilla-agent"));
    expect(rights.filter((right) => !selfRights.includes(right))).toEqual(readingOf([deploymentKind]));
  });

  test("[TU7] [TU8] to read objects for users it may act for users and groups besides, and only where that is asked for", () => {
    const rightsWith = (objectReads: boolean): string[] =>
      rightsOf(find(createAgentManifest(optionsWith({ objectReads })), "ClusterRole", "flotilla-agent"));
    const added = rightsWith(true).filter((right) => !rightsWith(false).includes(right));
    expect(added).toEqual(["impersonate users", "impersonate groups"]);
    expect(rightsWith(true)).toHaveLength(rightsWith(false).length + 2);
    // Limited to namespaces it acts for users of the whole cluster all the same: who they are lies in none.
    const limited = createAgentManifest(optionsWith({ objectReads: true, namespaces: ["shop"] }));
    expect(rightsOf(find(limited, "ClusterRole", "flotilla-agent"))).toEqual(expect.arrayContaining(added));
    expect(rightsOf(find(limited, "ClusterRole", "flotilla-agent-namespaced")).join()).not.toContain("impersonate");
  });

  test("[TU7] [TU8] in the words of Kubernetes 1.36 it may be users, and as them get what it collects, Secrets excepted", () => {
    const acting = "impersonate-on:user-info:get";
    const changes = { kinds: [podKind, nodeKind, secretKind], objectReads: true, constrainedImpersonation: true };
    const actingOf = (objects: readonly KubeObject[], role: string): string[] =>
      rightsOf(find(objects, "ClusterRole", role)).filter((right) => right.startsWith("impersonate"));
    const be = [
      "impersonate:user-info authentication.k8s.io/users",
      "impersonate:user-info authentication.k8s.io/groups",
    ];
    expect(actingOf(createAgentManifest(optionsWith(changes)), "flotilla-agent").toSorted()).toEqual(
      [...be, `${acting} /livez`, `${acting} nodes`, `${acting} pods`].toSorted(),
    );
    const limited = createAgentManifest(optionsWith({ ...changes, namespaces: ["shop"] }));
    expect(actingOf(limited, "flotilla-agent").toSorted()).toEqual(
      [...be, `${acting} /livez`, `${acting} nodes`].toSorted(),
    );
    expect(actingOf(limited, "flotilla-agent-namespaced")).toEqual([`${acting} pods`]);
  });

  test("[L15] of Secrets it may read and change its own key, and create one in its own namespace", () => {
    const objects = createAgentManifest(optionsWith());
    const role = find(objects, "Role", "flotilla-agent-key");
    expect(role.metadata.namespace).toBe("flotilla");
    expect(rightsOf(role)).toEqual([
      "get secrets=flotilla-agent-key",
      "update secrets=flotilla-agent-key",
      "create secrets",
    ]);
    expect(objects.filter(({ kind }) => kind === "Role")).toHaveLength(1);
  });

  test("[KI27] kinds that no rule can name are read by what the cluster grants to viewers", () => {
    const objects = createAgentManifest(optionsWith({ readsAsViewer: true }));
    expect(find(objects, "ClusterRole", "flotilla-agent-kinds")).toMatchObject({
      aggregationRule: {
        clusterRoleSelectors: [
          { matchLabels: { "rbac.authorization.k8s.io/aggregate-to-view": "true" } },
          { matchLabels: { "flotilla.dev/aggregate-to-agent": "true" } },
        ],
      },
      rules: [],
    });
    expect(find(objects, "ClusterRoleBinding", "flotilla-agent-kinds")).toMatchObject({
      roleRef: { kind: "ClusterRole", name: "flotilla-agent-kinds" },
    });
    const limited = createAgentManifest(optionsWith({ readsAsViewer: true, namespaces: ["shop"] }));
    expect(find(limited, "RoleBinding", "flotilla-agent-kinds").metadata.namespace).toBe("shop");
    expect(
      limited.some(({ kind, metadata: { name } }) => kind === "ClusterRoleBinding" && name.endsWith("-kinds")),
    ).toBe(false);
    const plain = createAgentManifest(optionsWith());
    expect(plain.some(({ metadata }) => metadata.name === "flotilla-agent-kinds")).toBe(false);
  });

  test("[N-59] limited to namespaces, what lies in namespaces may be read there alone", () => {
    const kinds = [namespaceKind, nodeKind, podKind, configMapKind];
    const namespaces = ["shop", "pay", "shop", "secret-one"];
    const objects = createAgentManifest(optionsWith({ kinds, namespaces, excludeNamespaces: ["secret-one"] }));
    expect(rightsOf(find(objects, "ClusterRole", "flotilla-agent")).toSorted()).toEqual(
      [
        ...selfRights,
        ...readingOf([nodeKind]),
        ...["get", "list", "watch"].flatMap((verb) => [`${verb} namespaces=pay`, `${verb} namespaces=shop`]),
      ].toSorted(),
    );
    expect(rightsOf(find(objects, "ClusterRole", "flotilla-agent-namespaced"))).toEqual(
      readingOf([configMapKind, podKind]).toSorted((a, b) => a.split(" ")[0]!.localeCompare(b.split(" ")[0]!)),
    );
    const bound = objects.filter(({ kind, metadata }) => kind === "RoleBinding" && metadata.namespace !== "flotilla");
    expect(bound.map(({ metadata }) => metadata.namespace)).toEqual(["pay", "shop"]);
    expect(bound.map((object) => textOf(object, "roleRef", "name"))).toEqual(
      Array(2).fill("flotilla-agent-namespaced"),
    );
    expect(objects.filter(({ kind }) => kind === "ClusterRoleBinding")).toHaveLength(1);
  });

  test("[IN31] the hub's administrators may read what is collected, except Secrets; other groups or none can be named", () => {
    const { viewerGroups: _, ...byDefault } = optionsWith({ kinds: [podKind, secretKind], namespaces: ["shop"] });
    const objects = createAgentManifest(byDefault);
    expect(rightsOf(find(objects, "ClusterRole", "flotilla-viewers-namespaced"))).toEqual(readingOf([podKind]));
    const bound = find(objects, "RoleBinding", "flotilla-viewers-namespaced");
    expect(bound.metadata.namespace).toBe("shop");
    expect(listOf(bound, "subjects").map((each) => textOf(each, "name"))).toEqual(["flotilla:admins"]);
    const wide = createAgentManifest(optionsWith({ kinds: [podKind, nodeKind], viewerGroups: ["sre", "dev"] }));
    expect(rightsOf(find(wide, "ClusterRole", "flotilla-viewers")).toSorted()).toEqual(
      readingOf([podKind, nodeKind]).toSorted(),
    );
    expect(listOf(find(wide, "ClusterRoleBinding", "flotilla-viewers"), "subjects")).toHaveLength(2);
    const none = createAgentManifest(optionsWith());
    expect(none.some(({ metadata }) => metadata.name.startsWith("flotilla-viewers"))).toBe(false);
  });

  test("every grant is to its own ServiceAccount, by a role that is there", () => {
    const objects = createAgentManifest(optionsWith({ namespaces: ["shop"] }));
    for (const object of objects.filter(({ kind }) => kind.endsWith("Binding"))) {
      expect(fieldOf(object, "subjects")).toEqual([
        { kind: "ServiceAccount", name: "flotilla-agent", namespace: "flotilla" },
      ]);
      find(objects, textOf(object, "roleRef", "kind") ?? "", textOf(object, "roleRef", "name") ?? "");
    }
    find(objects, "ServiceAccount", "flotilla-agent");
  });
});

describe("the agent's Deployment", () => {
  const container = (changes: Partial<AgentManifestOptions> = {}): unknown => {
    const deployment = find(createAgentManifest(optionsWith(changes)), "Deployment", "flotilla-agent");
    return listOf(deployment, "spec", "template", "spec", "containers")[0];
  };

  test("is one Pod, ended before the next, without any privilege, within its memory", () => {
    const deployment = find(createAgentManifest(optionsWith()), "Deployment", "flotilla-agent");
    expect(deployment).toMatchObject({
      spec: {
        replicas: 1,
        strategy: { type: "Recreate" },
        template: {
          spec: {
            serviceAccountName: "flotilla-agent",
            securityContext: { runAsNonRoot: true, seccompProfile: { type: "RuntimeDefault" } },
          },
        },
      },
    });
    expect(container()).toMatchObject({
      image: "registry.example.com/flotilla:1.2.3",
      resources: { requests: { memory: "96Mi" }, limits: { memory: "192Mi" } },
      livenessProbe: { httpGet: { path: "/livez", port: "health" } },
      readinessProbe: { httpGet: { path: "/readyz", port: "health" } },
      securityContext: {
        allowPrivilegeEscalation: false,
        readOnlyRootFilesystem: true,
        capabilities: { drop: ["ALL"] },
        seccompProfile: { type: "RuntimeDefault" },
      },
    });
  });

  test("[N-31] is told hub, cluster id and filters as they were given, and only those given", () => {
    expect(textsOf(container(), "args")).toEqual([
      "agent",
      "--hub=https://hub.example.com:7443",
      "--ca-file=/etc/flotilla/hub-ca/ca.crt",
      "--cluster-id=production-east",
      "--region=eu-1",
      "--environment=production",
      "--join-token-file=/etc/flotilla/join/token",
      "--admin-address=0.0.0.0",
      "--admin-port=8080",
    ]);
    const changes = { ca: undefined, region: "$(HOME) $1", environment: "", namespaces: ["a", "b"] };
    const filters = { excludeNamespaces: ["c"], kindTexts: ["default", "cert-manager.io/*"] };
    expect(textsOf(container({ ...changes, ...filters }), "args")).toEqual([
      "agent",
      "--hub=https://hub.example.com:7443",
      "--cluster-id=production-east",
      "--region=$$(HOME) $$1",
      "--namespaces=a,b",
      "--exclude-namespaces=c",
      "--kinds=default,cert-manager.io/*",
      "--join-token-file=/etc/flotilla/join/token",
      "--admin-address=0.0.0.0",
      "--admin-port=8080",
    ]);
  });

  test("[IN7] names the Secrets with which its image is pulled, and only those given", () => {
    const podSpec = (agentImagePullSecrets: readonly string[]): unknown => {
      const objects = createAgentManifest(optionsWith({ agentImagePullSecrets }));
      return fieldOf(find(objects, "Deployment", "flotilla-agent"), "spec", "template", "spec");
    };
    expect(fieldOf(podSpec(["pull-one", "pull-two"]), "imagePullSecrets")).toEqual([
      { name: "pull-one" },
      { name: "pull-two" },
    ]);
    expect(podSpec([])).not.toHaveProperty("imagePullSecrets");
  });

  test("[TU7] is told to read objects for users where that is asked for, else nothing of it", () => {
    expect(textsOf(container({ objectReads: true }), "args")).toContain("--object-reads=true");
    expect(textsOf(container(), "args").join()).not.toContain("object-reads");
  });

  test("[L18] the join token is named by its Secret; no object holds a value of one", () => {
    const objects = createAgentManifest(optionsWith({ joinSecret: "given-by-us" }));
    expect(objects.some(({ kind }) => kind === "Secret")).toBe(false);
    const deployment = find(objects, "Deployment", "flotilla-agent");
    expect(listOf(deployment, "spec", "template", "spec", "volumes")[0]).toMatchObject({
      secret: { secretName: "given-by-us", optional: true, items: [{ key: "token", path: "token" }] },
    });
    const names = listOf(container(), "env").map((each) => textOf(each, "name"));
    expect(names).toEqual(Object.keys(smallMallocVariables));
  });

  test("[L18] the join token has a Secret of its own, apart from the agent's key", () => {
    expect(() => createAgentManifest(optionsWith({ joinSecret: "flotilla-agent-key" }))).toThrow(
      "the Secret flotilla-agent-key is where the agent keeps its key; give the join token one of its own",
    );
  });

  test("the hub's authority is pinned by a ConfigMap, and another one makes another Pod", () => {
    const objects = createAgentManifest(optionsWith());
    expect(textMapOf(find(objects, "ConfigMap", "flotilla-agent-hub-ca"), "data")).toEqual(new Map([["ca.crt", ca]]));
    const templateOf = (given: string | undefined): unknown => {
      const deployment = find(createAgentManifest(optionsWith({ ca: given })), "Deployment", "flotilla-agent");
      return fieldOf(deployment, "spec", "template");
    };
    expect(templateOf(ca)).not.toEqual(templateOf(`${ca}\n`));
    expect(JSON.stringify(templateOf(undefined))).not.toContain("hub-ca");
    expect(createAgentManifest(optionsWith({ ca: undefined })).some(({ kind }) => kind === "ConfigMap")).toBe(false);
  });
});

describe("the text", () => {
  test("reads back as the same objects, one document each, in YAML 1.1 as kubectl reads it and in 1.2", () => {
    // Each of these is something else than text to one of them when it is not quoted.
    const namespaces = ["no", "on", "y", "1e3", "0x10", "012", "null", "123"];
    const objects = createAgentManifest(optionsWith({ namespaces, region: "yes", environment: "1:30" }));
    const text = renderAgentManifest(objects);
    for (const version of ["1.1", "1.2"] as const) {
      const documents = parseAllDocuments(text, { version });
      expect(documents.map((document) => document.toJS() as unknown)).toEqual(objects);
    }
    expect(text).not.toMatch(/[&*]a\d/);
  });

  test("every object has the labels that say whose it is; a version that is no label value is made one", () => {
    for (const object of createAgentManifest(optionsWith({ version: "1.2.3-rc.1+abc.+", namespaces: ["shop"] }))) {
      expect(object.metadata.labels).toMatchObject({
        "app.kubernetes.io/name": "flotilla-agent",
        "app.kubernetes.io/part-of": "flotilla",
        "app.kubernetes.io/managed-by": "flotilla",
        "app.kubernetes.io/version": "1.2.3-rc.1_abc",
      });
    }
  });
});
