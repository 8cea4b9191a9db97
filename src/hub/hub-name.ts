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
export function loadHubName(store: Store, random: Random): Promise<string> {
  return loadOrCreate(store, "hub", () => createId(idPrefixes.hub, random));
}

/** The key that signs the cursors of queries. A page that was begun before a restart of the hub can be continued. */
export async function loadCursorKey(store: Store, random: Random): Promise<Uint8Array> {
  const text = await loadOrCreate(store, "cursors", () =>
    [idPrefixes.hub, idPrefixes.hub].map((prefix) => createId(prefix, random)).join(""),
  );
  return new TextEncoder().encode(text);
}

async function loadOrCreate(store: Store, name: string, create: () => string): Promise<string> {
  const key = [store.workspace, `${fleetApiGroup}/hubs`, "", name];
  for (;;) {
    const row = await store.get(objects, key);
    if (row !== undefined) return new TextDecoder().decode(row.value.body);
    const body = new TextEncoder().encode(create());
    // When two replicas start at once, one commit conflicts and that replica reads the other's text.
    await store.commit([put(objects, key, { body }, "absent")]);
  }
}
