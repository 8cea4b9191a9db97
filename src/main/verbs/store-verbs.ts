// SPDX-License-Identifier: Apache-2.0
import { defineVerb, type Verb } from "./verb.ts";

/** Verbs that read or write the files of a data directory. */
export const storeVerbs: readonly Verb[] = [
  defineVerb({
    name: "backup",
    summary: "Copies a hub's stores to a folder, while the hub runs or not.",
    load: async () => {
      const { backUp } = await import("../../cli/run-backup.ts");
      const { systemRandom } = await import("../../base/system-random.ts");
      return ({ config, runtime: { io, version, signal } }) =>
        backUp(io, config, { version: version.version, random: systemRandom, signal });
    },
  }),
  defineVerb({
    name: "restore",
    summary: "Creates a data directory from a backup.",
    load: async () => {
      const { restore } = await import("../../cli/run-restore.ts");
      const { systemRandom } = await import("../../base/system-random.ts");
      return ({ config, runtime: { io, signal } }) => restore(io, config, { random: systemRandom, signal });
    },
  }),
  defineVerb({
    name: "keys rotate",
    summary: "Creates a new key for encrypted bodies and re-encrypts all of them. The hub must not be running.",
    load: async () => {
      const { rotateKeys } = await import("../../cli/keys-rotate.ts");
      const { systemClock } = await import("../../base/time/system-clock.ts");
      const { systemRandom } = await import("../../base/system-random.ts");
      return ({ config, runtime }) => rotateKeys(runtime.io, config, { clock: systemClock, random: systemRandom });
    },
  }),
];
