// SPDX-License-Identifier: Apache-2.0
import { createId } from "../base/id.ts";
import type { Random } from "../base/random.ts";
import { fleetApiGroup, idPrefixes } from "../model/names.ts";
import { put, type Store } from "../store/store.ts";
import { objects } from "../store/tables.ts";

/**
 * The hub's name in challenges (SE6). Created once, shared by all replicas of a store, and kept through backup and
 * restore, so that registered agents recognise the hub.
 */
export async function loadHubName(store: Store, random: Random): Promise<string> {
  const key = [store.workspace, `${fleetApiGroup}/hubs`, "", "hub"];
  for (;;) {
    const row = await store.get(objects, key);
    if (row !== undefined) return new TextDecoder().decode(row.value.body);
    const body = new TextEncoder().encode(createId(idPrefixes.hub, random));
    // When two replicas start at once, one commit conflicts and that replica reads the other's name.
    await store.commit([put(objects, key, { body }, "absent")]);
  }
}
