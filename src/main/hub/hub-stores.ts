// SPDX-License-Identifier: Apache-2.0
import { chmodSync } from "node:fs";
import type { Clock } from "../../base/time/clock.ts";
import { type DataPaths, lockDataDirectory } from "../../store/data-directory.ts";
import type { FleetLog } from "../../store/fleet-log/fleet-log.ts";
import { openFleetLog } from "../../store/fleet-log/open-fleet-log.ts";
import { openHubStore } from "../../store/sqlite/open-hub-store.ts";
import type { Store } from "../../store/store.ts";

/** A locked data directory with its open stores. Disposing closes them and releases the lock. */
export interface HubStores extends AsyncDisposable {
  readonly store: Store;
  readonly fleetLog: FleetLog;
}

/** Opens the stores of one hub. After a failure everything opened before is closed again. */
export async function openHubStores(
  paths: DataPaths,
  options: { readonly clock: Clock; readonly encryptedResources: readonly string[] },
): Promise<HubStores> {
  await using opening = new AsyncDisposableStack();
  opening.use(lockDataDirectory(paths.folder));
  chmodSync(paths.folder, 0o700);
  const { clock, encryptedResources } = options;
  const store = await openHubStore({ file: paths.hubDb, keyFile: paths.keyFile, encryptedResources }, { clock });
  opening.defer(() => store.close());
  const fleetLog = await openFleetLog(paths.fleetDb);
  opening.defer(() => fleetLog.close());
  const opened = opening.move();
  return { store, fleetLog, [Symbol.asyncDispose]: () => opened.disposeAsync() };
}
