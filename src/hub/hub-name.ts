// SPDX-License-Identifier: Apache-2.0
import { createId } from "../base/id.ts";
import type { Random } from "../base/random.ts";
import { fleetApiGroup, idPrefixes } from "../model/names.ts";
import { put, type Store } from "../store/store.ts";
import { objects } from "../store/tables.ts";

/**
 * What this hub calls itself in challenges (SE6): made once, the same for all replicas of its store, and kept through backup and restore, so
 * that agents who joined it know it again.
 */
export async function loadHubName(store: Store, random: Random): Promise<string> {
  const key = [store.workspace, `${fleetApiGroup}/hubs`, "", "hub"];
  for (;;) {
    const row = await store.get(objects, key);
    if (row !== undefined) return new TextDecoder().decode(row.value.body);
    const body = new TextEncoder().encode(createId(idPrefixes.hub, random));
    // Of two replicas that begin at once one is refused, and reads what the other made.
    await store.commit([put(objects, key, { body }, "absent")]);
  }
}
