// SPDX-License-Identifier: Apache-2.0
import type { OptionSpec } from "./option.ts";
import { checkNotEmpty, checkTtl } from "./option-checks.ts";

const applicationMemberVerbs = ["application create", "application grant", "application revoke"] as const;

/** Arguments of the token verbs: flags only, each for a single call. */
export const tokenOptions = [
  {
    name: "user",
    type: "string",
    required: true,
    sources: ["flag"],
    verbs: ["token create"],
    check: checkNotEmpty,
    description: "User of the token.",
  },
  {
    name: "groups",
    type: "list",
    default: "",
    sources: ["flag"],
    verbs: ["token create", "login-link", "access explain", "access rules", ...applicationMemberVerbs],
    description: "Groups of the user.",
    variants: {
      "application create": { description: "Groups that see the objects." },
      "application grant": { description: "Groups that see the objects from now on." },
      "application revoke": { description: "Groups that see the objects no longer." },
    },
  },
  {
    name: "users",
    type: "list",
    default: "",
    sources: ["flag"],
    verbs: applicationMemberVerbs,
    description: "Users of the application, by their names in the clusters.",
  },
  {
    name: "description",
    type: "string",
    default: "",
    sources: ["flag"],
    verbs: [
      "token create",
      "cluster join",
      "saved-query create",
      "saved-query update",
      "standing-query create",
      "standing-query update",
      "application create",
    ],
    description: "Purpose of the token. For cluster join only with token-only.",
    variants: {
      "saved-query create": { description: "Purpose of the query." },
      "saved-query update": { description: "Purpose of the query." },
      "standing-query create": { description: "Purpose of the query." },
      "standing-query update": { description: "Purpose of the query." },
      "application create": { description: "Purpose of the application." },
    },
  },
  {
    // 30 days: long enough for a person who returns, short enough for a forgotten token to expire.
    name: "ttl",
    type: "duration",
    default: "30d",
    sources: ["flag"],
    verbs: ["token create"],
    check: checkTtl,
    description: "How long the token is valid. 0 means that it does not expire.",
  },
  {
    name: "cursor",
    type: "string",
    default: "",
    sources: ["flag"],
    verbs: ["token watch"],
    description:
      "Cursor to continue from, as printed by an earlier list or watch. By default the watch starts with all tokens.",
  },
] as const satisfies readonly OptionSpec[];
