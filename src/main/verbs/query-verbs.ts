// SPDX-License-Identifier: Apache-2.0
import { type CallConfig, callHub } from "./call-hub.ts";
import { defineVerb, type Verb } from "./verb.ts";

/** The options of a call whose output the verb prints by itself, in its own formats. */
function withOwnFormat(config: Omit<CallConfig, "output">): CallConfig {
  return { ...config, output: "text" };
}

/** Verbs that ask for objects of the whole fleet. */
export const queryVerbs: readonly Verb[] = [
  defineVerb({
    name: "query",
    summary:
      "Prints the objects of all clusters that match a query, such as 'kind:Pod status:unhealthy cluster:prod-*'.",
    args: [{ name: "QUERY", isOptional: true }],
    examples: [
      "query 'kind:Pod status=unhealthy'",
      "query 'kind:Pod field.restarts>5 age<1h' --sort -field.restarts",
      "query 'kind:Deployment ns:in(shop,payments) label.app=web' --columns cluster,name,image",
      "query 'kind:Node field.kubeletVersion<1.31' --facets cluster --limit 0",
      "query status=unhealthy --group-by cluster,kind",
      "query '\"back-off\" cluster:prod-*' --watch",
    ],
    load: async () => {
      const { queryObjects } = await import("../../cli/query/query-objects.ts");
      const { toQueryFormat } = await import("../../cli/query/query-format.ts");
      return ({ config, args: [query = ""], runtime }) => {
        const format = toQueryFormat(config.output);
        return callHub(withOwnFormat(config), runtime, (hub) => queryObjects(hub, { ...config, query, format }));
      };
    },
  }),
  defineVerb({
    name: "get",
    summary: "Prints objects of one or more kinds over all clusters, as kubectl get does for one.",
    args: [{ name: "KIND[,KIND]" }, { name: "NAME ...", isOptional: true, isRepeated: true }],
    examples: [
      "get pods -A --status unhealthy",
      "get deploy -l app=web -o wide",
      "get pods,svc -n shop --cluster 'prod-*'",
      "get nodes --watch",
    ],
    load: async () => {
      const { getObjects } = await import("../../cli/query/get-objects.ts");
      const { toQueryFormat } = await import("../../cli/query/query-format.ts");
      return ({ config, args: [kind = "", ...names], runtime }) => {
        const { cluster: clusters, status: statuses } = config;
        const wanted = { ...config, kind, names, clusters, statuses, format: toQueryFormat(config.output) };
        return callHub(withOwnFormat(config), runtime, (hub) => getObjects(hub, wanted));
      };
    },
  }),
  defineVerb({
    name: "problems",
    summary: "Groups the unhealthy objects of all clusters by cause; with the ID of a problem it lists its objects.",
    args: [{ name: "QUERY|ID", isOptional: true }],
    examples: ["problems", "problems 'cluster:prod-* ns:shop' --degraded", "problems 0123456789abcdef"],
    load: async () => {
      const { listProblems } = await import("../../cli/query/list-problems.ts");
      return ({ config, args: [queryOrId = ""], runtime }) => {
        const { degraded: includeDegraded, at, limit } = config;
        return callHub(config, runtime, (hub) => listProblems(hub, { queryOrId, at, includeDegraded, limit }));
      };
    },
  }),
  defineVerb({
    name: "compare",
    summary: "Compares the same objects between clusters: where they are missing and which fields differ.",
    args: [{ name: "QUERY" }],
    examples: ["compare 'kind:Deployment ns:shop'", "compare 'kind:ConfigMap name:coredns' --golden prod-east-1"],
    load: async () => {
      const { printComparison } = await import("../../cli/query/print-comparison.ts");
      return ({ config, args: [query = ""], runtime }) => {
        const { cluster: clusters, golden: goldenCluster, all, at, limit } = config;
        const wanted = { query, at, clusters, goldenCluster, all, limit };
        return callHub(config, runtime, (hub) => printComparison(hub, wanted));
      };
    },
  }),
  defineVerb({
    name: "relations",
    summary: "Prints what an object belongs to and what belongs to it, as a tree.",
    args: [{ name: "CLUSTER" }, { name: "KIND" }, { name: "NAME" }],
    examples: ["relations prod-east-1 deploy web -n shop"],
    load: async () => {
      const { showRelations } = await import("../../cli/query/show-relations.ts");
      return ({ config, args: [cluster = "", kind = "", name = ""], runtime }) =>
        callHub(config, runtime, (hub) => showRelations(hub, { cluster, kind, namespace: config.namespace, name }));
    },
  }),
];
