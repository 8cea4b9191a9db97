// SPDX-License-Identifier: Apache-2.0
import { openWorkerPort, workerModule } from "../../base/worker-port.ts";
import { createStore, type StoreOptions } from "../create-store.ts";
import type { Store } from "../store.ts";
import type { StoreEngine } from "../store-engine.ts";

/** The files of the embedded store, and the resources of `objects` that it encrypts. */
export interface HubStoreFiles {
  readonly file: string;
  readonly keyFile: string;
  readonly encryptedResources: readonly string[];
}

/** Opens the embedded store. Its engine runs in its own thread, so that a commit never blocks the event loop. */
export async function openHubStore(files: HubStoreFiles, options: StoreOptions): Promise<Store> {
  const port = await openWorkerPort<StoreEngine>(workerModule("hub-store-worker", import.meta.url), files);
  return createStore(port, options);
}
