// SPDX-License-Identifier: Apache-2.0
import type { OptionSpec } from "./option.ts";
import { atLeastMs, checkNotEmpty } from "./option-checks.ts";
import { hubVerbs } from "./verb-groups.ts";

/** Settings of a hub for the queries of its users. */
export const fleetQueryOptions = [
  {
    name: "fleet-queries",
    type: "boolean",
    default: "true",
    verbs: hubVerbs,
    description:
      "Answer queries over the fleet: query, get, problems, compare, relations, saved and standing queries, and /fleet-api. With false each of them is refused with one sentence, and standing queries are kept and not evaluated.",
  },
  {
    name: "standing-queries-per-owner",
    type: "integer",
    min: 0,
    max: 200,
    default: "8",
    verbs: hubVerbs,
    description: "Maximum standing queries of one user. 0 means that users cannot create any. A hub keeps at most 200.",
  },
  {
    name: "allow-loopback-webhooks",
    type: "boolean",
    default: "false",
    verbs: hubVerbs,
    description:
      "Accept standing queries whose webhook is on this machine, with http too. Leave it off unless every user who may create standing queries may also connect to all services on the hub's loopback address.",
  },
] as const satisfies readonly OptionSpec[];

const standingWriteVerbs = ["standing-query create", "standing-query update"] as const;

/** Arguments of the verbs about saved and standing queries: flags only, except the secret. */
export const savedQueryOptions = [
  {
    name: "private",
    type: "boolean",
    default: "false",
    sources: ["flag"],
    verbs: ["saved-query create", "saved-query update", "saved-query get", "saved-query delete", "saved-query run"],
    description: "A query that only you can see. By default it is shared: all users can see it.",
  },
  {
    name: "columns",
    type: "list",
    default: "",
    sources: ["flag"],
    verbs: ["query", "saved-query create", "saved-query update"],
    description:
      "Fields to show in tables and CSV, such as cluster,name,label.app; at most 32. Default: the columns of the kind.",
  },
  {
    name: "owner",
    type: "string",
    default: "",
    sources: ["flag"],
    verbs: ["saved-query delete", "standing-query get", "standing-query delete", "standing-query pause"],
    description: "Owner of the query, for administrators. For saved-query delete only with private. Default: you.",
  },
  {
    name: "all-owners",
    type: "boolean",
    default: "false",
    sources: ["flag"],
    verbs: ["standing-query list"],
    description: "Standing queries of all users, for administrators. Texts and row counts of others are not shown.",
  },
  {
    name: "on",
    type: "choice",
    choices: ["enter", "leave", "enterOrLeave", "threshold"],
    default: "enterOrLeave",
    sources: ["flag"],
    verbs: standingWriteVerbs,
    description: "Changes that are delivered: rows that enter the answer, rows that leave it, both, or a threshold.",
  },
  {
    name: "above",
    type: "integer",
    min: 0,
    max: 1_000_000_000,
    sources: ["flag"],
    verbs: standingWriteVerbs,
    description: "With --on threshold, it fires when there are more rows than this.",
  },
  {
    name: "clear-at",
    type: "integer",
    min: 0,
    max: 1_000_000_000,
    sources: ["flag"],
    verbs: standingWriteVerbs,
    description: "With --on threshold, it resolves when there are at most this many rows. Default: the value of above.",
  },
  {
    name: "for",
    type: "duration",
    default: "0",
    sources: ["flag"],
    verbs: standingWriteVerbs,
    description: "With --on threshold, how long the number of rows must be above or cleared. At most 24h.",
  },
  {
    name: "receiver",
    type: "string",
    required: true,
    sources: ["flag"],
    verbs: standingWriteVerbs,
    check: checkNotEmpty,
    description: "URL for signed POST requests, with https.",
  },
  {
    name: "signing-secret",
    type: "secret",
    verbs: standingWriteVerbs,
    description:
      "Secret for the signature of deliveries, 16 to 256 characters. Default for create: the hub creates one, which is printed once; for update: it stays.",
  },
  {
    // A person or a chat channel reads one message a minute.
    name: "interval",
    type: "duration",
    default: "60s",
    sources: ["flag"],
    verbs: standingWriteVerbs,
    check: atLeastMs(10_000, "10s"),
    description: "Least time between two deliveries. Changes meanwhile are one delivery of their net effect.",
  },
] as const satisfies readonly OptionSpec[];
