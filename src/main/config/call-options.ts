// SPDX-License-Identifier: Apache-2.0
import type { OptionSpec } from "./option.ts";
import { checkHubUrl, checkNotEmpty, checkPin, checkToken } from "./option-checks.ts";
import { callVerbs, formatVariants, loginVerbs, storeVerbs } from "./verb-groups.ts";

/** Options of calls to a hub. */
export const callOptions = [
  {
    name: "hub",
    type: "string",
    verbs: [...callVerbs, "agent", "agent manifest"],
    check: checkHubUrl,
    description:
      "URL of the hub. Default: the hub running in data-dir, else the one you have logged in to (login, context use).",
  },
  {
    name: "ca-file",
    type: "path",
    verbs: [...callVerbs, "agent", "agent manifest", "login"],
    description:
      "CA certificates in PEM that must have signed the hub's certificate. Default: the running hub's CA, or with --hub the system's.",
  },
  {
    name: "token",
    type: "secret",
    verbs: [...callVerbs, "login"],
    check: checkToken,
    description:
      "Access token for the hub. Default: the admin token of the hub running in data-dir. Required with --hub, unless you have logged in there.",
  },
  {
    name: "pin",
    type: "string",
    sources: ["flag"],
    verbs: ["login"],
    check: checkPin,
    description:
      "Fingerprint of a certificate that the hub presents, as sha256:HEX. Only that certificate is trusted. Default: the hub's certificate must be signed by a CA that this machine trusts.",
  },
  {
    name: "name",
    type: "string",
    sources: ["flag"],
    verbs: ["login"],
    check: checkNotEmpty,
    description: "Name of the context. Default: host and port of the hub.",
  },
  {
    name: "output",
    type: "choice",
    choices: ["text", "json", "yaml"],
    default: "text",
    short: "o",
    verbs: ["up", ...callVerbs, ...storeVerbs, ...loginVerbs, "config"],
    description: "Output format.",
    variants: formatVariants,
  },
] as const satisfies readonly OptionSpec[];
