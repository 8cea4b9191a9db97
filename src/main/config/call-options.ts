// SPDX-License-Identifier: Apache-2.0
import type { OptionSpec } from "./option.ts";
import { checkHubUrl, checkNotEmpty, checkPin } from "./option-checks.ts";
import { callVerbs, loginVerbs, storeVerbs } from "./verb-groups.ts";

/** How a hub is called, and in what form the answer is printed. */
export const callOptions = [
  {
    name: "hub",
    type: "string",
    verbs: [...callVerbs, "agent", "agent manifest"],
    check: checkHubUrl,
    description:
      "URL of the hub. Left out, the one that runs in data-dir, else the one that you have logged in to (login, context use).",
  },
  {
    name: "ca-file",
    type: "path",
    verbs: [...callVerbs, "agent", "agent manifest", "login"],
    description:
      "Certificates in PEM that the hub's own must come from. Left out, the running hub's, or with --hub the system's.",
  },
  {
    name: "token",
    type: "secret",
    verbs: [...callVerbs, "login"],
    description:
      "Access token for the hub. Left out, the admin token of the one that runs in data-dir; with --hub it must be given, unless you have logged in there.",
  },
  {
    name: "pin",
    type: "string",
    sources: ["flag"],
    verbs: ["login"],
    check: checkPin,
    description:
      "Fingerprint of a certificate that the hub shows, as sha256:HEX. The hub is trusted by that certificate alone. Left out, the hub's certificate must come from an authority that this machine trusts.",
  },
  {
    name: "name",
    type: "string",
    sources: ["flag"],
    verbs: ["login"],
    check: checkNotEmpty,
    description: "What the context is called. Left out, as the host and port of the hub.",
  },
  {
    name: "output",
    type: "choice",
    choices: ["text", "json", "yaml"],
    default: "text",
    short: "o",
    verbs: ["up", ...callVerbs, ...storeVerbs, ...loginVerbs, "config"],
    description: "Form of what is printed.",
  },
] as const satisfies readonly OptionSpec[];
