// SPDX-License-Identifier: Apache-2.0
import { callHub } from "./call-hub.ts";
import { defineVerb, type Verb } from "./verb.ts";

const cluster = { name: "NAME" } as const;

/** Verbs for the playground clusters of a running `flotilla up`. */
export const playgroundVerbs: readonly Verb[] = [
  defineVerb({
    name: "playground list",
    summary: "Lists the playground clusters with their troubles, and the available troubles.",
    load: async () => {
      const { listPlayground } = await import("../../cli/print-playground.ts");
      return ({ config, runtime }) => callHub(config, runtime, listPlayground);
    },
  }),
  defineVerb({
    name: "playground stop",
    summary: "Stops the API server of a playground cluster; its objects stay.",
    args: [cluster],
    load: async () => {
      const { setPower } = await import("../../cli/print-playground.ts");
      return ({ config, args: [name = ""], runtime }) => callHub(config, runtime, (hub) => setPower(hub, name, false));
    },
  }),
  defineVerb({
    name: "playground start",
    summary: "Starts the API server of a playground cluster again.",
    args: [cluster],
    load: async () => {
      const { setPower } = await import("../../cli/print-playground.ts");
      return ({ config, args: [name = ""], runtime }) => callHub(config, runtime, (hub) => setPower(hub, name, true));
    },
  }),
  defineVerb({
    name: "playground cut",
    summary: "Cuts the network of a playground cluster.",
    args: [cluster],
    load: async () => {
      const { cutNetwork } = await import("../../cli/print-playground.ts");
      return ({ config, args: [name = ""], runtime }) =>
        callHub(config, runtime, (hub) => cutNetwork(hub, name, config.silent));
    },
  }),
  defineVerb({
    name: "playground heal",
    summary: "Opens the network of a playground cluster again, or ends the named trouble.",
    args: [cluster, { name: "TROUBLE", isOptional: true }],
    load: async () => {
      const { heal } = await import("../../cli/print-playground.ts");
      return ({ config, args: [name = "", trouble], runtime }) =>
        callHub(config, runtime, (hub) => heal(hub, name, trouble));
    },
  }),
  defineVerb({
    name: "playground trouble",
    summary: "Adds trouble to a playground cluster: a crash loop, a lost node and the like.",
    args: [cluster, { name: "TROUBLE" }],
    load: async () => {
      const { makeTrouble } = await import("../../cli/print-playground.ts");
      return ({ config, args: [name = "", trouble = ""], runtime }) =>
        callHub(config, runtime, (hub) => makeTrouble(hub, name, trouble));
    },
  }),
];
