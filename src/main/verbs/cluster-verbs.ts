// SPDX-License-Identifier: Apache-2.0
import { callHub } from "./call-hub.ts";
import { defineVerb, type Verb } from "./verb.ts";

const id = { name: "ID" } as const;

/** Verbs that read clusters. */
const readingVerbs: readonly Verb[] = [
  defineVerb({
    name: "cluster list",
    summary: "Lists the clusters and how each is connected.",
    load: async () => {
      const { listClusters } = await import("../../cli/cluster/cluster-list.ts");
      return ({ config, runtime }) => callHub(config, runtime, (hub) => listClusters(hub, config.selector));
    },
  }),
  defineVerb({
    name: "cluster get",
    summary: "Shows one cluster: its connection, its agent, and how fresh each kind is.",
    args: [id],
    load: async () => {
      const { getCluster } = await import("../../cli/cluster/cluster-list.ts");
      return ({ config, args: [name = ""], runtime }) => callHub(config, runtime, (hub) => getCluster(hub, name));
    },
  }),
  defineVerb({
    name: "cluster watch",
    summary: "Shows the clusters and each change of a connection as it happens.",
    load: async () => {
      const { watchClusters } = await import("../../cli/cluster/cluster-watch.ts");
      return ({ config, runtime }) => callHub(config, runtime, (hub) => watchClusters(hub, config.selector));
    },
  }),
  defineVerb({
    name: "cluster rows",
    summary: "Prints all rows of a cluster that the hub has, one JSON line per row.",
    args: [id],
    load: async () => {
      const { listRows } = await import("../../cli/cluster/cluster-rows.ts");
      return ({ config, args: [name = ""], runtime }) =>
        callHub(config, runtime, (hub) => listRows(hub, name, config.kind));
    },
  }),
  defineVerb({
    name: "cluster object",
    summary: "Prints one complete object, read now from its cluster with your rights there.",
    args: [id, { name: "KIND" }, { name: "NAME" }],
    load: async () => {
      const { showObject } = await import("../../cli/cluster/cluster-object.ts");
      return ({ config, args: [cluster = "", kind = "", name = ""], runtime }) =>
        callHub(config, runtime, (hub) => showObject(hub, { cluster, kind, namespace: config.namespace, name }));
    },
  }),
  defineVerb({
    name: "cluster state",
    summary: "Prints a cluster's services, endpoints, Pods and Istio configuration as one JSON document.",
    args: [id],
    load: async () => {
      const { showClusterState } = await import("../../cli/cluster/cluster-state.ts");
      return ({ config, args: [name = ""], runtime }) => callHub(config, runtime, (hub) => showClusterState(hub, name));
    },
  }),
  defineVerb({
    name: "changes",
    summary: "Shows what was added, changed and removed in the fleet.",
    load: async () => {
      const { showChanges } = await import("../../cli/hub/changes.ts");
      return ({ config, runtime }) => {
        const { cluster: clusters, kind: kinds, position, follow } = config;
        return callHub(config, runtime, (hub) => showChanges(hub, { clusters, kinds, position, follow }));
      };
    },
  }),
  defineVerb({
    name: "doctor",
    summary: "Checks each hop from here to the clusters and prints what to do.",
    load: async () => {
      const { examine } = await import("../../cli/doctor/doctor.ts");
      return ({ config, runtime }) => callHub(config, runtime, examine);
    },
  }),
];

/** Verbs that change registrations. */
const changingVerbs: readonly Verb[] = [
  defineVerb({
    name: "cluster join",
    summary: "Prints one line that installs an agent in a cluster with kubectl.",
    args: [id],
    load: async () => {
      const { createJoinToken } = await import("../../cli/cluster/cluster-join.ts");
      const { createJoinUrl } = await import("../../cli/cluster/join-url.ts");
      return ({ config, args: [name = ""], runtime }) =>
        callHub(config, runtime, (hub) =>
          config.tokenOnly ? createJoinToken(hub, name, config) : createJoinUrl(hub, name, config),
        );
    },
  }),
  defineVerb({
    name: "cluster import",
    summary:
      "Lets the hub connect to clusters itself, with service accounts created through contexts of your kubeconfig.",
    load: async () => {
      const { importClusters } = await import("../../cli/cluster/cluster-import.ts");
      const { planImports } = await import("../../cli/cluster/plan-imports.ts");
      const { createImportedAccount } = await import("../hub/import-account.ts");
      return async ({ config, runtime }) => {
        const plan = await planImports(config, runtime.io.env);
        const createAccount = config.ownCredential ? undefined : createImportedAccount(config, runtime);
        await callHub(config, runtime, (hub) => importClusters(hub, plan, { metadata: config, createAccount }));
      };
    },
  }),
  defineVerb({
    name: "cluster approve",
    summary: "Approves a cluster that joined with a token that needs approval.",
    args: [id],
    load: async () => {
      const { approveCluster } = await import("../../cli/cluster/cluster-change.ts");
      return ({ config, args: [name = ""], runtime }) => callHub(config, runtime, (hub) => approveCluster(hub, name));
    },
  }),
  defineVerb({
    name: "cluster accept",
    summary:
      "Accepts a replacement: the cluster with this uid, which the hub has refused, takes the place of the registered one.",
    args: [id, { name: "UID" }],
    load: async () => {
      const { acceptReplacement } = await import("../../cli/cluster/cluster-change.ts");
      return ({ config, args: [name = "", uid = ""], runtime }) =>
        callHub(config, runtime, (hub) => acceptReplacement(hub, name, uid, config.yes));
    },
  }),
  defineVerb({
    name: "cluster pause",
    summary: "Stops the cluster's agent from sending rows; the hub keeps the rows it has, and they age.",
    args: [id],
    load: async () => {
      const { setPaused } = await import("../../cli/cluster/cluster-change.ts");
      return ({ config, args: [name = ""], runtime }) => callHub(config, runtime, (hub) => setPaused(hub, name, true));
    },
  }),
  defineVerb({
    name: "cluster resume",
    summary: "Resumes a paused cluster; its agent sends at once what changed meanwhile.",
    args: [id],
    load: async () => {
      const { setPaused } = await import("../../cli/cluster/cluster-change.ts");
      return ({ config, args: [name = ""], runtime }) => callHub(config, runtime, (hub) => setPaused(hub, name, false));
    },
  }),
  defineVerb({
    name: "cluster retry",
    summary: "Makes the cluster's agent retry its API server now, without waiting for its next attempt.",
    args: [id],
    load: async () => {
      const { retryCluster } = await import("../../cli/cluster/cluster-change.ts");
      return ({ config, args: [name = ""], runtime }) => callHub(config, runtime, (hub) => retryCluster(hub, name));
    },
  }),
  defineVerb({
    name: "hint",
    summary: "Makes a cluster's agent read one object that was just changed, without waiting for its watch.",
    args: [{ name: "CLUSTER" }, { name: "KIND" }, { name: "NAME" }],
    load: async () => {
      const { hintObject } = await import("../../cli/cluster/hint-object.ts");
      return ({ config, args: [cluster = "", kind = "", name = ""], runtime }) =>
        callHub(config, runtime, (hub) => hintObject(hub, { cluster, kind, namespace: config.namespace, name }));
    },
  }),
  defineVerb({
    name: "cluster label",
    summary: "Sets labels (key=value) of a cluster and removes them (key-).",
    args: [id, { name: "CHANGE", isRepeated: true }],
    load: async () => {
      const { labelCluster } = await import("../../cli/cluster/cluster-change.ts");
      return ({ config, args: [name = "", ...changes], runtime }) =>
        callHub(config, runtime, (hub) => labelCluster(hub, name, changes));
    },
  }),
  defineVerb({
    name: "cluster rotate",
    summary:
      "Prints a join token with which the cluster's agent registers a new key; --revoke ends the present key at once.",
    args: [id],
    load: async () => {
      const { rotateKey } = await import("../../cli/cluster/cluster-change.ts");
      return ({ config, args: [name = ""], runtime }) =>
        callHub(config, runtime, (hub) => rotateKey(hub, name, config.revoke));
    },
  }),
  defineVerb({
    name: "cluster remove",
    summary:
      "Removes a cluster: its registration, keys, rows and their history; audit records and connection history stay.",
    args: [id],
    load: async () => {
      const { removeCluster } = await import("../../cli/cluster/cluster-change.ts");
      return ({ config, args: [name = ""], runtime }) =>
        callHub(config, runtime, (hub) => removeCluster(hub, name, config.yes));
    },
  }),
  defineVerb({
    name: "join list",
    summary: "Lists the join tokens that can still be used.",
    load: async () => {
      const { listJoinTokens } = await import("../../cli/cluster/cluster-join.ts");
      return ({ config, runtime }) => callHub(config, runtime, listJoinTokens);
    },
  }),
  defineVerb({
    name: "join revoke",
    summary: "Revokes a join token; clusters that joined with it stay.",
    args: [id],
    load: async () => {
      const { revokeJoinToken } = await import("../../cli/cluster/cluster-join.ts");
      return ({ config, args: [name = ""], runtime }) => callHub(config, runtime, (hub) => revokeJoinToken(hub, name));
    },
  }),
];

/** The verbs about clusters. */
export const clusterVerbs: readonly Verb[] = [...readingVerbs, ...changingVerbs];
