// SPDX-License-Identifier: Apache-2.0
import type { OptionSpec } from "./option.ts";

/** Options of `flotilla up` for its page. */
export const pageOptions = [
  {
    name: "open",
    type: "boolean",
    default: "true",
    verbs: ["up"],
    description:
      "Open the page in a browser if up runs in a terminal on a desktop. Otherwise only the login link is printed.",
  },
] as const satisfies readonly OptionSpec[];
