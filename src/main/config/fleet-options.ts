// SPDX-License-Identifier: Apache-2.0
import type { OptionSpec } from "./option.ts";
import { atLeastMs, checkWebhookUrl, isAboveZero } from "./option-checks.ts";
import { hubVerbs } from "./verb-groups.ts";

/** Limits and thresholds of a hub for its agents' sessions. */
export const fleetOptions = [
  {
    name: "heartbeat-interval",
    type: "duration",
    default: "5s",
    verbs: hubVerbs,
    check: atLeastMs(100, "100ms"),
    description:
      "Time between two heartbeats of an agent; the hub sends it to its agents. Two missed heartbeats end the session.",
  },
  {
    name: "claim-grace-period",
    type: "duration",
    default: "60s",
    verbs: hubVerbs,
    description:
      "How long a cluster stays reserved for the agent that lost its session, before another agent may take over.",
  },
  {
    name: "admission-rate",
    type: "integer",
    min: 1,
    max: 100_000,
    default: "50",
    verbs: hubVerbs,
    description: "Sessions accepted per second. Other agents get a time to retry after.",
  },
  {
    name: "first-syncs",
    type: "integer",
    min: 1,
    max: 10_000,
    default: "8",
    verbs: hubVerbs,
    description:
      "Clusters that may send their first full state at the same time. The others wait in a queue and get their position.",
  },
  {
    name: "ingest-budget",
    type: "bytes",
    default: "256MiB",
    verbs: hubVerbs,
    check: isAboveZero,
    description:
      "Bytes received from agents and not yet durable, over all sessions. Agents wait while the budget is used up.",
  },
  {
    name: "max-cluster-rows",
    type: "integer",
    min: 1,
    max: 100_000_000,
    default: "1000000",
    verbs: hubVerbs,
    description:
      "Maximum rows of one cluster. An agent that sends more is refused with the reason; the hub keeps the rows that it has.",
  },
  {
    name: "max-cluster-kinds",
    type: "integer",
    min: 1,
    max: 4_096,
    default: "2000",
    verbs: hubVerbs,
    description: "Maximum kinds of one cluster. An agent that announces more is refused with the reason.",
  },
  {
    name: "max-cluster-size",
    type: "bytes",
    default: "2GiB",
    verbs: hubVerbs,
    check: isAboveZero,
    description:
      "Maximum memory for the rows of one cluster. An agent that sends more is refused with the reason; the hub keeps the rows that it has.",
  },
  {
    name: "stale-after",
    type: "duration",
    default: "30s",
    verbs: hubVerbs,
    check: isAboveZero,
    description: "A cluster is stale when its oldest unsent change has waited this long at its agent.",
  },
  {
    // 7 days: the rows of 300 clusters for a week fit on a small disk.
    name: "history-retention",
    type: "duration",
    default: "7d",
    verbs: hubVerbs,
    check: atLeastMs(60_000, "1m"),
    description: "How long the history of observed state is kept. Current state is kept regardless of its age.",
  },
  {
    // 1 year: as long as most audit rules require. A thousand changes a day take 200 MB in a year.
    name: "audit-retention",
    type: "duration",
    default: "365d",
    verbs: hubVerbs,
    check: atLeastMs(86_400_000, "1d"),
    description: "How long records of administrative changes are kept (flotilla audit).",
  },
  {
    name: "webhook-url",
    type: "string",
    verbs: hubVerbs,
    check: checkWebhookUrl,
    description:
      "URL for signed POST requests when clusters are lost and when they return: one at the start and one at the end of each incident. Default: no requests.",
  },
  {
    name: "webhook-secret",
    type: "secret",
    verbs: hubVerbs,
    description: "Secret for the signature of the webhook's requests: HMAC-SHA-256 over timestamp and body.",
  },
] as const satisfies readonly OptionSpec[];
