// SPDX-License-Identifier: Apache-2.0
import { FlotillaError } from "../../../base/error.ts";
import { createInThreadPort } from "../../../base/in-thread-port.ts";
import { KeyedMutex } from "../../../base/queues/keyed-mutex.ts";
import { createSeededRandom } from "../../../base/random.ts";
import { ManualClock } from "../../../base/testing/manual-clock.ts";
import { createSubject } from "../../../model/subject.ts";
import { createStore } from "../../../store/create-store.ts";
import type { Store } from "../../../store/store.ts";
import { MemoryEngine } from "../../../store/testing/memory-engine.ts";
import { createBuiltinResources } from "../../builtin-resources.ts";
import { type ClusterClient, createClusterClient } from "../../controllers/cluster-client.ts";
import { followDefinitions } from "../../controllers/crd-controller.ts";
import { ResourceRegistry } from "../../resources/resource-registry.ts";
import { loadSchemaTable } from "../../schema/load-schema-table.ts";
import { ObjectCache } from "../../storage/object-cache.ts";
import { ObjectWriter } from "../../storage/object-writer.ts";

const cluster = "test";

/** A logical cluster over a memory store: the verbs of the server and no controller. Its clock stands still. */
export interface TestCluster extends AsyncDisposable {
  readonly store: Store;
  readonly clock: ManualClock;
  readonly resources: ResourceRegistry;
  readonly client: ClusterClient;
  /** Of the newest write. */
  readonly revision: number;
}

/** Opens a cluster; over the store of one that was opened before, to start that one again. */
export async function openTestCluster(
  options: { readonly store?: Store; readonly clusterIpRange?: string } = {},
): Promise<TestCluster> {
  const clock = new ManualClock();
  const engine = new MemoryEngine({ clock, storeId: "st_test" });
  const store = options.store ?? (await createStore(createInThreadPort(engine), { clock }));
  const closing = new AbortController();
  const { cache, failed } = await ObjectCache.open({ store, cluster }, closing.signal);
  const resources = new ResourceRegistry(createBuiltinResources(loadSchemaTable(), options));
  const writer = new ObjectWriter(store, cluster, cache);
  const parts = {
    store,
    cluster,
    cache,
    clock,
    random: createSeededRandom(1),
    writer,
    resources,
    sharedDraws: new KeyedMutex(),
  };
  const client = createClusterClient(parts, createSubject({ user: "system:apiserver" }));
  const unfollow = followDefinitions(client, resources);
  return {
    store,
    clock,
    resources,
    client,
    get revision() {
      return Number(store.revision);
    },
    async [Symbol.asyncDispose]() {
      unfollow();
      closing.abort(new FlotillaError("UNAVAILABLE", "the cluster is closing"));
      await failed.catch(() => undefined);
      if (options.store === undefined) await store.close();
    },
  };
}
