// SPDX-License-Identifier: Apache-2.0

/** Output formats of rows. `text` is the table. */
const rowFormats = {
  choices: ["text", "table", "wide", "json", "yaml", "csv", "name", "ndjson"],
  description:
    "Output format. text and table are the same. csv and ndjson have one line per row, name one CLUSTER/NAMESPACE/KIND/NAME per line.",
} as const;

/** The formats of verbs that have others than `text`, `json` and `yaml`. */
export const formatVariants = {
  query: rowFormats,
  get: rowFormats,
  "saved-query run": rowFormats,
  "access rules": {
    choices: ["text", "wide", "json", "yaml"],
    description: "Output format. wide adds the binding, its subject and the names that a rule is limited to.",
  },
} as const;

/** Verbs that run a hub. */
export const hubVerbs = ["up", "hub"] as const;

/** Verbs that call a hub. */
export const callVerbs = [
  "token create",
  "token list",
  "token revoke",
  "token watch",
  "kubeconfig",
  "login-link",
  "playground list",
  "playground stop",
  "playground start",
  "playground cut",
  "playground heal",
  "playground trouble",
  "cluster list",
  "cluster get",
  "cluster watch",
  "cluster rows",
  "cluster object",
  "cluster state",
  "cluster join",
  "cluster import",
  "cluster pause",
  "cluster resume",
  "cluster retry",
  "cluster label",
  "cluster approve",
  "cluster accept",
  "cluster rotate",
  "cluster remove",
  "join list",
  "join revoke",
  "hint",
  "changes",
  "query",
  "get",
  "problems",
  "compare",
  "relations",
  "saved-query create",
  "saved-query update",
  "saved-query list",
  "saved-query get",
  "saved-query delete",
  "saved-query run",
  "standing-query create",
  "standing-query update",
  "standing-query list",
  "standing-query get",
  "standing-query delete",
  "standing-query pause",
  "standing-query resume",
  "access explain",
  "access who",
  "access rules",
  "access what-if",
  "application create",
  "application list",
  "application grant",
  "application revoke",
  "application delete",
  "audit",
  "doctor",
  "version",
] as const;

/** Verbs that read or write the files of a data directory. */
export const storeVerbs = ["backup", "restore", "keys rotate"] as const;

/** Verbs about the hubs that a user has logged in to. */
export const loginVerbs = ["login", "logout", "context list", "context use", "context remove"] as const;
