// SPDX-License-Identifier: Apache-2.0
import type { OptionSpec } from "./option.ts";

/** The playground clusters of `flotilla up`, and what is done to them. */
export const playgroundOptions = [
  {
    // One machine bears 50: see bench/apiserver.ts for what one of them costs.
    name: "clusters",
    type: "integer",
    min: 0,
    max: 50,
    default: "3",
    verbs: ["up"],
    description:
      "How many playground clusters to run: Kubernetes API servers of Flotilla's own with simulated workloads, in two regions. 0 runs none.",
  },
  {
    name: "silent",
    type: "boolean",
    default: "false",
    sources: ["flag"],
    verbs: ["playground cut"],
    description:
      "Take connections and pass nothing, as a network that drops packets does. Left out, they are refused at once.",
  },
] as const satisfies readonly OptionSpec[];
