// SPDX-License-Identifier: Apache-2.0
// Rows of a test in the index that ships, behind the reader that ships.

import { createInThreadPort } from "../../../base/in-thread-port.ts";
import { silentLogger } from "../../../base/log.ts";
import { ManualClock } from "../../../base/testing/manual-clock.ts";
import type { BuiltRow } from "../../../index/relations/testing/built-fleet.ts";
import { parseClusterId } from "../../../model/cluster-id.ts";
import { parseResourceId } from "../../../model/gvr.ts";
import { encodeRowBatch } from "../../../model/row-batch/encode.ts";
import { RowSealer } from "../../../model/rows/row-sealer.ts";
import { MemoryFleetLog } from "../../../store/testing/memory-fleet-log.ts";
import { hasher, plainCodec } from "../../fleet/testing/test-fleet.ts";
import { createInThreadIndex } from "../../index/testing/in-thread-index.ts";
import { ChangeFeed } from "../change-feed.ts";
import { FleetRows } from "../fleet-rows.ts";
import { IndexFleetReader } from "../index-fleet-reader.ts";

/** A flush of one cluster: rows that changed and rows that went. */
export interface ReadFlush {
  readonly cluster: string;
  readonly brought: readonly BuiltRow[];
  readonly deleted?: readonly BuiltRow[];
}

const keyText = ({ content: { namespace, name } }: BuiltRow): string => `${namespace}/${name}`;

/** Registered clusters, a reader, and flushes that a test folds. Everybody may use the hub. */
export class ReadFleet {
  readonly clock = new ManualClock();
  readonly #index = createInThreadIndex({
    codec: plainCodec,
    hasher,
    clock: this.clock,
    pause: () => Promise.resolve(),
  });
  readonly #rows = new FleetRows(this.#index, silentLogger);
  readonly #feed = new ChangeFeed("feed");
  #position = 0;
  readonly reader: IndexFleetReader;

  constructor(clusters: readonly string[]) {
    for (const cluster of clusters) {
      this.#rows.setFields(cluster, { cluster, region: "", environment: "" });
      this.#rows.setRbacComplete(cluster, true);
    }
    this.reader = new IndexFleetReader({
      clock: this.clock,
      index: this.#index,
      fleetLog: createInThreadPort(new MemoryFleetLog({ clock: this.clock })),
      rows: this.#rows,
      feed: this.#feed,
      clusterIds: () => clusters,
      authorizer: { isAllowed: () => true },
      log: silentLogger,
    });
  }

  /** Rows of several clusters, a flush for each. */
  async foldAll(rows: readonly BuiltRow[], deleted: readonly BuiltRow[] = []): Promise<void> {
    const clusters = new Set([...rows, ...deleted].map(({ cluster }) => cluster));
    for (const cluster of [...clusters].sort()) {
      const ofCluster = (row: BuiltRow): boolean => row.cluster === cluster;
      await this.fold({ cluster, brought: rows.filter(ofCluster), deleted: deleted.filter(ofCluster) });
    }
  }

  /** Makes a flush visible in one step. The order of its rows does not matter. */
  async fold({ cluster, brought, deleted = [] }: ReadFlush): Promise<void> {
    const resources = [...new Set([...brought, ...deleted].map(({ resource }) => resource))].sort();
    const parts = await Promise.all(
      resources.map(async (resource) => {
        const ofKind = (all: readonly BuiltRow[]): readonly BuiltRow[] =>
          all.filter((row) => row.resource === resource).sort((a, b) => (keyText(a) < keyText(b) ? -1 : 1));
        const bytes = await plainCodec.compress(encodePart(resource, ofKind(brought), ofKind(deleted)));
        return { resource, replacedBucket: 0, bytes };
      }),
    );
    const outcome = await this.#rows.prepare(cluster, parts);
    if (outcome.kind !== "prepared") throw new Error(`the flush is ${outcome.kind}`);
    this.#position += 1;
    const place = { position: this.#position, receivedAtMs: this.clock.wallMs() };
    const changes = await this.#rows.commit(cluster, place, { incarnation: "inc", seq: this.#position });
    this.#feed.push(cluster, place.receivedAtMs, changes);
  }

  close(): Promise<void> {
    return this.#index.close();
  }
}

function encodePart(resource: string, brought: readonly BuiltRow[], deleted: readonly BuiltRow[]): Uint8Array {
  const [first] = [...brought, ...deleted];
  if (first === undefined) throw new Error("a part has rows");
  const id = parseResourceId(resource);
  const sealer = new RowSealer(parseClusterId(first.cluster), id, hasher);
  const rows = brought.map(({ content }) => sealer.seal(content));
  const deletes = deleted.map(({ content: { namespace, name } }) => ({ namespace, name, uid: "" }));
  return encodeRowBatch({ resource: id, kind: first.kind, columns: first.columns, rows, deletes }, hasher);
}
