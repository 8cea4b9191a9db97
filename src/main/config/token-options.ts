// SPDX-License-Identifier: Apache-2.0
import type { OptionSpec } from "./option.ts";
import { checkNotEmpty, checkTtl } from "./option-checks.ts";

/** Arguments of the token verbs: flags only, each for a single call. */
export const tokenOptions = [
  {
    name: "user",
    type: "string",
    required: true,
    sources: ["flag"],
    verbs: ["token create"],
    check: checkNotEmpty,
    description: "Whom the token stands for.",
  },
  {
    name: "groups",
    type: "list",
    default: "",
    sources: ["flag"],
    verbs: ["token create", "login-link"],
    description: "Groups that the user is in.",
  },
  {
    name: "description",
    type: "string",
    default: "",
    sources: ["flag"],
    verbs: ["token create", "cluster join"],
    description: "Why the token exists. Of cluster join only with token-only.",
  },
  {
    // A month: long enough for a person to come back, short enough for a forgotten token to end by itself.
    name: "ttl",
    type: "duration",
    default: "30d",
    sources: ["flag"],
    verbs: ["token create"],
    check: checkTtl,
    description: "How long the token is good for. 0 means that it does not expire.",
  },
  {
    name: "cursor",
    type: "string",
    default: "",
    sources: ["flag"],
    verbs: ["token watch"],
    description: "Where to go on, as an earlier list or watch gave it. Left out, the watch begins with every token.",
  },
] as const satisfies readonly OptionSpec[];
