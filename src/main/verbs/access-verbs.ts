// SPDX-License-Identifier: Apache-2.0
import { FlotillaError } from "../../base/error.ts";
import { callHub } from "./call-hub.ts";
import { defineVerb, type Verb } from "./verb.ts";

const cluster = { name: "CLUSTER" } as const;

/** Verbs about what users may see, by each cluster's own RBAC. */
export const accessVerbs: readonly Verb[] = [
  defineVerb({
    name: "access explain",
    summary: "Explains why a user sees an object or not: the binding, role and rule, or the missing verb.",
    args: [{ name: "USER|-" }, cluster, { name: "KIND" }, { name: "NAME", isOptional: true }],
    examples: [
      "access explain - prod-east-1 pod web-1 -n shop",
      "access explain ann prod-east-1 pod web-1 -n shop --groups dev,oncall",
    ],
    load: async () => {
      const { explainAccess } = await import("../../cli/access/explain-access.ts");
      return ({ config, args: words, runtime }) =>
        callHub(config, runtime, (hub) => explainAccess(hub, { ...config, words }));
    },
  }),
  defineVerb({
    name: "access who",
    summary: "Lists the users, groups and service accounts that see an object.",
    args: [cluster, { name: "KIND" }, { name: "NAME" }],
    examples: ["access who prod-east-1 pod web-1 -n shop"],
    load: async () => {
      const { listViewers } = await import("../../cli/access/list-viewers.ts");
      return ({ config, args: [id = "", kind = "", name = ""], runtime }) =>
        callHub(config, runtime, (hub) => listViewers(hub, { cluster: id, kind, namespace: config.namespace, name }));
    },
  }),
  defineVerb({
    name: "access rules",
    summary: "Lists what a user may see in each cluster; without USER what you may see.",
    args: [{ name: "USER", isOptional: true }],
    examples: ["access rules", "access rules ann --groups dev --cluster 'prod-*' -o wide"],
    load: async () => {
      const { listAccessRules } = await import("../../cli/access/list-access-rules.ts");
      return ({ config, args: [user = ""], runtime }) => {
        const isWide = config.output === "wide";
        const output = config.output === "wide" ? "text" : config.output;
        const { groups, cluster: clusters } = config;
        const wanted = { user, groups, clusters, isWide };
        return callHub({ ...config, output }, runtime, (hub) => listAccessRules(hub, wanted));
      };
    },
  }),
  defineVerb({
    name: "access what-if",
    summary: "Shows which rows would appear or disappear for users if RBAC objects were applied to a cluster.",
    args: [cluster],
    examples: ["access what-if prod-east-1 -f binding.yaml"],
    load: async () => {
      const { previewAccess } = await import("../../cli/access/preview-access.ts");
      return async ({ config, args: [id = ""], runtime }) => {
        const path = config.filename;
        const file = runtime.readFile(path === "-" ? "/dev/stdin" : path);
        if (file.kind === "unreadable") throw new FlotillaError("INVALID_ARGUMENT", `--filename: ${file.reason}`);
        await callHub(config, runtime, (hub) => previewAccess(hub, id, { path, text: file.text }));
      };
    },
  }),
];
