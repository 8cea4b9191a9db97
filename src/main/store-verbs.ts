// SPDX-License-Identifier: Apache-2.0
import { defineVerb, type Verb } from "./verb.ts";

/** The verbs that work on a data directory's files. */
export const storeVerbs: readonly Verb[] = [
  defineVerb({
    name: "backup",
    summary: "Copies a hub's stores to a folder, while the hub runs or not.",
    load: async () => {
      const { backUp } = await import("../cli/backup.ts");
      const { systemRandom } = await import("../base/system-random.ts");
      return ({ config, runtime: { io, version, signal } }) =>
        backUp(io, { ...config, version: version.version, random: systemRandom, signal });
    },
  }),
  defineVerb({
    name: "restore",
    summary: "Makes a data directory from a backup.",
    load: async () => {
      const { restore } = await import("../cli/restore.ts");
      const { systemRandom } = await import("../base/system-random.ts");
      return ({ config, runtime: { io, signal } }) => restore(io, { ...config, random: systemRandom, signal });
    },
  }),
  defineVerb({
    name: "keys rotate",
    summary: "Makes a new key for encrypted bodies and brings all of them under it. The hub must not be running.",
    load: async () => {
      const { rotateKeys } = await import("../cli/keys-rotate.ts");
      const { systemClock } = await import("../base/system-clock.ts");
      const { systemRandom } = await import("../base/system-random.ts");
      return ({ config, runtime }) => rotateKeys(runtime.io, { ...config, clock: systemClock, random: systemRandom });
    },
  }),
];
