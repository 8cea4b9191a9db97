// SPDX-License-Identifier: Apache-2.0

/** Verbs that run a hub. */
export const hubVerbs = ["up", "hub"] as const;

/** Verbs that call a hub. */
export const callVerbs = [
  "token create",
  "token list",
  "token revoke",
  "token watch",
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
  "changes",
  "audit",
  "doctor",
  "version",
] as const;

/** Verbs that read or write the files of a data directory. */
export const storeVerbs = ["backup", "restore", "keys rotate"] as const;

/** Verbs about the hubs that a user has logged in to. */
export const loginVerbs = ["login", "logout", "context list", "context use", "context remove"] as const;
