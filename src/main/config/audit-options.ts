// SPDX-License-Identifier: Apache-2.0
import type { OptionSpec } from "./option.ts";

/** Arguments of `audit`: flags only, each for a single call. Queries have `limit` too. */
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
    verbs: ["audit", "query"],
    description: "Only changes within this time, such as 24h. 0 means all.",
    variants: {
      query: {
        description:
          "With --deleted or --include-deleted: objects that were deleted within this time, such as 2h. 0 means one hour; 24h is the most.",
      },
    },
  },
  {
    name: "limit",
    type: "integer",
    min: 1,
    max: 100_000,
    default: "100",
    sources: ["flag"],
    verbs: ["audit", "query", "get", "problems", "compare", "saved-query run"],
    description: "Maximum number of records to print, newest first.",
    variants: {
      query: { min: 0, max: 10_000_000, description: "Maximum number of rows or groups to print. 0 means all." },
      get: { min: 0, max: 10_000_000, default: "0", description: "Maximum number of rows to print. 0 means all." },
      problems: {
        min: 0,
        max: 10_000_000,
        description:
          "Maximum number of problems to print, at most 500, or of objects of one problem. 0 means as many as possible.",
      },
      compare: { min: 0, max: 10_000_000, description: "Maximum number of objects to print. 0 means all." },
      "saved-query run": {
        min: 0,
        max: 10_000_000,
        description: "Maximum number of rows or groups to print. 0 means all.",
      },
    },
  },
] as const satisfies readonly OptionSpec[];
