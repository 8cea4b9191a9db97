// SPDX-License-Identifier: Apache-2.0
import type { OptionSpec } from "./option.ts";

/** How `flotilla up` shows its page. */
export const pageOptions = [
  {
    name: "open",
    type: "boolean",
    default: "true",
    verbs: ["up"],
    description:
      "Open the page in a browser, where up runs in a terminal of a desktop. Elsewhere, or without it, the login link is printed and nothing else.",
  },
] as const satisfies readonly OptionSpec[];
