// SPDX-License-Identifier: Apache-2.0
// How our server keeps its objects: for benches that fill a store without asking the server.
import { encodeBody } from "../../src/apiserver/storage/stored-body.ts";
import type { HubStoreFiles } from "../../src/store/sqlite/open-hub-store.ts";
import { put, type Write } from "../../src/store/store.ts";
import { objects } from "../../src/store/tables.ts";
import { configMaps, namespaceOf } from "./objects.ts";

/** The logical cluster whose objects are measured. */
export const clusterName = "bench";

/** The files of our server in a folder of its own. */
export function filesIn(folder: string): HubStoreFiles {
  return { file: `${folder}/hub.db`, keyFile: `${folder}/keys`, encryptedResources: [] };
}

/** The write that stores a ConfigMap as the server would. */
export function storedConfigMap(serial: number, version: number): Write {
  const namespace = namespaceOf(serial);
  const name = `object-${String(serial).padStart(6, "0")}`;
  const object = JSON.parse(configMaps.text(name, version)) as Record<string, never> & { metadata: object };
  const uid = `00000000-0000-4000-8000-${String(serial).padStart(12, "0")}`;
  const metadata = { ...object.metadata, namespace, uid, creationTimestamp: "2026-01-01T00:00:00Z" };
  return put(objects, [clusterName, "configmaps", namespace, name], { body: encodeBody({ ...object, metadata }) });
}
