// SPDX-License-Identifier: Apache-2.0
// The two databases of a hub on simulated disks, with the engines that ship.

import { adoptRestoredStore } from "../../../src/store/backup/adopt-restored.ts";
import type { FleetLogEngine } from "../../../src/store/fleet-log/fleet-log.ts";
import { SqliteFleetLog } from "../../../src/store/fleet-log/sqlite-fleet-log.ts";
import { BodyCipher } from "../../../src/store/keys/body-cipher.ts";
import { SqliteEngine } from "../../../src/store/sqlite/sqlite-engine.ts";
import type { StoreEngine } from "../../../src/store/store-engine.ts";
import { type MethodKinds, SimDisk, type SimDiskOptions } from "./disk.ts";

type DiskOptions = Omit<SimDiskOptions<never>, "openEngine" | "methods">;

const storeMethods: MethodKinds<StoreEngine> = {
  state: "read",
  commit: "write",
  get: "read",
  list: "read",
  changes: "read",
  compact: "write",
  acquireLease: "write",
  releaseLease: "write",
  rewrapBodies: "write",
};

const fleetLogMethods: MethodKinds<FleetLogEngine> = {
  append: "write",
  raiseEpoch: "write",
  progress: "read",
  resources: "read",
  load: "read",
  headPosition: "read",
  places: "read",
  follow: "read",
  beginCheckpoint: "write",
  addCheckpointPiece: "write",
  completeCheckpoint: "write",
  retain: "write",
  removeCluster: "write",
};

/** Desired state (`StorePort`). */
export function createStoreDisk(options: DiskOptions): SimDisk<StoreEngine> {
  return new SimDisk<StoreEngine>({
    ...options,
    methods: storeMethods,
    openEngine: ({ file, clock, random }) =>
      new SqliteEngine({ file, clock, random, cipher: new BodyCipher({ random, resources: [] }) }),
    adopt: ({ file, clock, random }) => adoptRestoredStore(file, { random, wallMs: clock.wallMs(), keys: undefined }),
  });
}

/** Observed history (`FleetLogPort`). */
export function createFleetLogDisk(options: DiskOptions): SimDisk<FleetLogEngine> {
  return new SimDisk<FleetLogEngine>({
    ...options,
    methods: fleetLogMethods,
    openEngine: ({ file, clock }) => new SqliteFleetLog({ file, clock }),
  });
}
