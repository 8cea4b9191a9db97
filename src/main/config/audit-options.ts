// SPDX-License-Identifier: Apache-2.0
import type { OptionSpec } from "./option.ts";

/** Arguments of `audit`: flags only, each for a single call. */
export const auditOptions = [
  {
    name: "verify",
    type: "boolean",
    default: "false",
    sources: ["flag"],
    verbs: ["audit"],
    description:
      "Recompute the hash chain of the whole log instead of listing records. A broken chain fails with exit code 7.",
  },
  {
    name: "noted",
    type: "string",
    default: "",
    sources: ["flag"],
    verbs: ["audit"],
    description: "With --verify: SEQUENCE:HASH from an earlier --verify, which must still be part of the chain.",
  },
  {
    name: "actor",
    type: "string",
    default: "",
    sources: ["flag"],
    verbs: ["audit"],
    description: "Only changes by this user.",
  },
  {
    name: "action",
    type: "string",
    default: "",
    sources: ["flag"],
    verbs: ["audit"],
    description:
      "Only this action, such as cluster.pause, or all actions on one kind of target, such as cluster or token.",
  },
  {
    name: "since",
    type: "duration",
    default: "0",
    sources: ["flag"],
    verbs: ["audit"],
    description: "Only changes within this time, such as 24h. 0 means all.",
  },
  {
    name: "limit",
    type: "integer",
    min: 1,
    max: 100_000,
    default: "100",
    sources: ["flag"],
    verbs: ["audit"],
    description: "Maximum number of records to print, newest first.",
  },
] as const satisfies readonly OptionSpec[];
