// SPDX-License-Identifier: Apache-2.0
import type { OptionSpec } from "./option.ts";
import { checkHubUrl } from "./option-checks.ts";
import { callVerbs, storeVerbs } from "./verb-groups.ts";

/** How a hub is called, and in what form the answer is printed. */
export const callOptions = [
  {
    name: "hub",
    type: "string",
    verbs: [...callVerbs, "agent", "agent manifest"],
    check: checkHubUrl,
    description: "URL of the hub. Left out, the one that runs in data-dir.",
  },
  {
    name: "ca-file",
    type: "path",
    verbs: [...callVerbs, "agent", "agent manifest"],
    description:
      "Certificates in PEM that the hub's own must come from. Left out, the running hub's, or with --hub the system's.",
  },
  {
    name: "token",
    type: "secret",
    verbs: callVerbs,
    description:
      "Access token for the hub. Left out, the admin token of the one that runs in data-dir; with --hub it must be given.",
  },
  {
    name: "output",
    type: "choice",
    choices: ["text", "json", "yaml"],
    default: "text",
    short: "o",
    verbs: ["up", ...callVerbs, ...storeVerbs, "config"],
    description: "Form of what is printed.",
  },
] as const satisfies readonly OptionSpec[];
