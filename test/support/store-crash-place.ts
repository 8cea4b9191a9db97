// SPDX-License-Identifier: Apache-2.0

import { createInThreadPort } from "../../src/base/in-thread-port.ts";
import { systemRandom } from "../../src/base/system-random.ts";
import type { Clock } from "../../src/base/time/clock.ts";
import { createStore } from "../../src/store/create-store.ts";
import { BodyCipher } from "../../src/store/keys/body-cipher.ts";
import { openKeyFile } from "../../src/store/keys/key-file.ts";
import { SqliteEngine } from "../../src/store/sqlite/sqlite-engine.ts";
import type { Store } from "../../src/store/store.ts";
import type { StoreEngine } from "../../src/store/store-engine.ts";

/** The files that a writer writes and its parent looks at. */
export interface CrashPlace {
  readonly file: string;
  readonly keyFile: string;
}

/** The engine as the hub's thread runs it, in this one: that much sooner open. */
export function openCrashedStore({ file, keyFile }: CrashPlace, clock: Clock): Promise<Store> {
  const keys = openKeyFile(keyFile, systemRandom);
  const cipher = new BodyCipher({ keys, random: systemRandom, resources: ["secrets"] });
  const engine = new SqliteEngine({ file, clock, random: systemRandom, cipher });
  return createStore(createInThreadPort<StoreEngine>(engine), { clock });
}
