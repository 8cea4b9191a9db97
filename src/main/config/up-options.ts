// SPDX-License-Identifier: Apache-2.0
import type { OptionSpec } from "./option.ts";

/** Options of `flotilla up` and of playground clusters. */
export const upOptions = [
  {
    // One machine can run 50; bench/apiserver.ts measures the cost of one.
    name: "clusters",
    type: "integer",
    min: 0,
    max: 50,
    default: "3",
    verbs: ["up"],
    description:
      "How many playground clusters to run: built-in Kubernetes API servers with simulated workloads, in two regions. 0 runs none.",
  },
  {
    name: "silent",
    type: "boolean",
    default: "false",
    sources: ["flag"],
    verbs: ["playground cut"],
    description:
      "Accept connections and forward nothing, like a network that drops packets. By default connections are refused at once.",
  },
  {
    name: "open",
    type: "boolean",
    default: "true",
    verbs: ["up"],
    description:
      "Open the page in a browser if up runs in a terminal on a desktop. Otherwise only the login link is printed.",
  },
] as const satisfies readonly OptionSpec[];
