// SPDX-License-Identifier: Apache-2.0
import { type ClusterClient, isRefusal } from "../../apiserver/controllers/cluster-client.ts";
import { copyJson } from "../../apiserver/json/json.ts";
import { textAt } from "../../apiserver/json/json-fields.ts";
import type { ScenarioObject } from "./build-workload.ts";

/** Creates an object unless one of that name exists. */
export async function createMissing(client: ClusterClient, { resource, object }: ScenarioObject): Promise<void> {
  const namespace = textAt(object, "metadata", "namespace") ?? "";
  if (client.objects.get(resource, namespace, textAt(object, "metadata", "name") ?? "") !== undefined) return;
  try {
    await client.create(resource, copyJson(object));
  } catch (reason) {
    if (!isRefusal(reason, "AlreadyExists")) throw reason;
  }
}
