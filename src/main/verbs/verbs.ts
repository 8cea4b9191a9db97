// SPDX-License-Identifier: Apache-2.0
// The verbs of the command line, in the order of `flotilla help`. Each loads its own code.
import { accessVerbs } from "./access-verbs.ts";
import { agentVerbs } from "./agent-verbs.ts";
import { applicationVerbs } from "./application-verbs.ts";
import { callHub, findCalledHub } from "./call-hub.ts";
import { clusterVerbs } from "./cluster-verbs.ts";
import { configVerb } from "./config-verb.ts";
import { createHelpVerb } from "./help-verb.ts";
import { hubVerbs } from "./hub-verbs.ts";
import { loginVerbs } from "./login-verbs.ts";
import { playgroundVerbs } from "./playground-verbs.ts";
import { queryVerbs } from "./query-verbs.ts";
import { savedQueryVerbs } from "./saved-query-verbs.ts";
import { storeVerbs } from "./store-verbs.ts";
import { defineVerb, type Verb } from "./verb.ts";
import { versionVerb } from "./version-verb.ts";

const tokenVerbs: readonly Verb[] = [
  defineVerb({
    name: "token create",
    summary: "Creates an access token and prints it; it cannot be shown again.",
    load: async () => {
      const { createToken } = await import("../../cli/tokens/token-create.ts");
      return ({ config, runtime }) => callHub(config, runtime, (hub) => createToken(hub, config));
    },
  }),
  defineVerb({
    name: "token list",
    summary: "Lists access tokens.",
    load: async () => {
      const { listTokens } = await import("../../cli/tokens/token-list.ts");
      return ({ config, runtime }) => callHub(config, runtime, listTokens);
    },
  }),
  defineVerb({
    name: "token revoke",
    summary: "Revokes an access token at once and ends its open streams.",
    args: [{ name: "ID" }],
    load: async () => {
      const { revokeToken } = await import("../../cli/tokens/token-revoke.ts");
      return ({ config, args: [id = ""], runtime }) => callHub(config, runtime, (hub) => revokeToken(hub, id));
    },
  }),
  defineVerb({
    name: "token watch",
    summary: "Shows access tokens and each change of them as it happens.",
    load: async () => {
      const { watchTokens } = await import("../../cli/tokens/token-watch.ts");
      return ({ config, runtime }) => callHub(config, runtime, (hub) => watchTokens(hub, config.cursor));
    },
  }),
  defineVerb({
    name: "kubeconfig",
    summary: "Prints a kubeconfig with your token, whose context fleet lets kubectl read all clusters.",
    examples: ["kubeconfig"],
    load: async () => {
      const { printFleetKubeconfig } = await import("../../cli/hub/fleet-kubeconfig.ts");
      return ({ config, runtime }) => printFleetKubeconfig(runtime.io, config.output, findCalledHub(config, runtime));
    },
  }),
  defineVerb({
    name: "login-link",
    summary: "Creates a link that logs in to the page once, as yourself or as USER.",
    args: [{ name: "USER", isOptional: true }],
    load: async () => {
      const { createLoginLink } = await import("../../cli/hub/login-link.ts");
      const { findPageUrl } = await import("../../cli/hub/find-hub.ts");
      const { loadContexts } = await import("./context-store.ts");
      return ({ config, args: [user = ""], runtime }) => {
        const { hub: url, dataDir } = config;
        const pageUrl = findPageUrl({ hub: url, dataDir, contexts: loadContexts(runtime) }, runtime.readFile);
        return callHub(config, runtime, (hub) => createLoginLink(hub, { user, groups: config.groups, pageUrl }));
      };
    },
  }),
];

const auditVerb = defineVerb({
  name: "audit",
  summary:
    "Lists administrative changes: actor, action, time, old and new values; --verify checks that none was altered.",
  args: [{ name: "CLUSTER", isOptional: true }],
  load: async () => {
    const { listAuditRecords, verifyAuditLog } = await import("../../cli/hub/audit.ts");
    return ({ config, args: [cluster = ""], runtime }) =>
      callHub(config, runtime, (hub) =>
        config.verify ? verifyAuditLog(hub, config.noted) : listAuditRecords(hub, cluster, config),
      );
  },
});

const verbsWithoutHelp: readonly Verb[] = [
  ...hubVerbs,
  ...agentVerbs,
  ...queryVerbs,
  ...savedQueryVerbs,
  ...accessVerbs,
  ...applicationVerbs,
  ...clusterVerbs,
  ...playgroundVerbs,
  ...loginVerbs,
  ...tokenVerbs,
  auditVerb,
  ...storeVerbs,
  configVerb,
  versionVerb,
];

/** Every verb. */
export const verbs: readonly Verb[] = [...verbsWithoutHelp, createHelpVerb(verbsWithoutHelp)];
