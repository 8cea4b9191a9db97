// SPDX-License-Identifier: Apache-2.0
// A hub store with encrypted secrets, and a look at what of them lies on disk.
import { existsSync, readFileSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { systemClock } from "../../src/base/time/system-clock.ts";
import { openHubStore } from "../../src/store/sqlite/open-hub-store.ts";
import { type Key, put, type Store, type Write } from "../../src/store/store.ts";
import { objects } from "../../src/store/tables.ts";
import { body } from "./store-rows.ts";

/** The files of one store. */
export interface SecretPlace {
  readonly file: string;
  readonly keyFile: string;
}

export function openSecretStore(
  place: SecretPlace,
  encryptedResources: readonly string[] = ["secrets"],
): Promise<Store> {
  return openHubStore({ ...place, encryptedResources }, { clock: systemClock });
}

export function secretKey(name: string): Key {
  return ["root", "secrets", "default", name];
}

export function putSecret(name: string, text: string): Write {
  return put(objects, secretKey(name), body(text));
}

/** Which of the store's files hold this text as it is. */
export function filesHolding({ file }: SecretPlace, text: string): readonly string[] {
  return ["", "-wal", "-shm", "-journal"].filter(
    (suffix) => existsSync(file + suffix) && readFileSync(file + suffix).includes(text),
  );
}

/** How many bodies of the change log and of current rows lie under each key; "" = as they are. */
export function countByKey({ file }: SecretPlace): Readonly<Record<string, number>> {
  using db = new DatabaseSync(file, { readOnly: true });
  const found = db.prepare("SELECT coalesce(key_id, '') AS id, count(*) AS count FROM bodies GROUP BY 1").all();
  return Object.fromEntries(found.map(({ id, count }) => [String(id), Number(count)]));
}
