// SPDX-License-Identifier: Apache-2.0
// A fleet in memory with the reads of the fleet API, answered the plain way.
import { FlotillaError } from "../../../base/error.ts";
import { checkQuery } from "../../../index/language/check-query.ts";
import { parseQuery } from "../../../index/language/parse-query.ts";
import { holdsFor } from "../../../index/scan/testing/holds-for.ts";
import { defaultKinds } from "../../../kinds/all-kinds.ts";
import { resolveKindName } from "../../../kinds/resolve-kind-name.ts";
import { resourceIdText } from "../../../model/gvr.ts";
import {
  type ColumnType,
  type ColumnValue,
  type RowContent,
  toResourceVersion,
  toRowHash,
} from "../../../model/rows/row.ts";
import type { Subject } from "../../../model/subject.ts";
import { compareUtf8 } from "../../../model/text.ts";
import { ChangeFeed } from "../../rows/change-feed.ts";
import type { FleetQuery, FleetQueryAnswer, FoundFleetRow } from "../../rows/fleet-queries.ts";
import type { ChangeReader, FlushChanges, RowChange } from "../../rows/fleet-reader.ts";
import type { FleetApiReader } from "../fleet-api-parts.ts";

/** A row to put into the fleet. What is left out is empty. */
export interface SmallRow extends Partial<Omit<RowContent, "columns" | "labels">> {
  readonly cluster: string;
  readonly resource?: string;
  readonly kind?: string;
  readonly name: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly columns?: Readonly<Record<string, ColumnValue>>;
}

/** The region and environment of a cluster. */
export interface SmallCluster {
  readonly region?: string;
  readonly environment?: string;
}

const builtIn = defaultKinds.map(({ resource, kind }) => ({ resource: resourceIdText(resource), kind, version: "" }));

let lastHash = 0n;

/** The row of a Pod, unless another resource is given. */
export function toFoundRow(given: SmallRow): FoundFleetRow {
  const { cluster, resource = "pods", kind = "Pod", labels = {}, columns = {}, ...content } = given;
  lastHash += 1n;
  const row = {
    namespace: "shop",
    uid: `uid-${cluster}-${given.name}`,
    resourceVersion: toResourceVersion("1"),
    generation: 0,
    createdAt: 0,
    status: "healthy" as const,
    reason: "",
    message: "",
    annotations: new Map(),
    ...content,
    labels: new Map(Object.entries(labels)),
    columns: new Map(Object.entries(columns)),
    rowHash: toRowHash(lastHash),
  };
  return { cluster, resource, kind, row, troubledSinceMs: undefined };
}

/** Whether a row is visible to a user. */
export type CanSee = (user: string, found: FoundFleetRow) => boolean;

/** Changes are made by `put` and `remove`. Every change is a flush of its own unless `flush` is given several. */
export class SmallFleet {
  readonly clusters = new Map<string, SmallCluster>();
  readonly feed: ChangeFeed;
  /** The queries so far, as texts. */
  readonly asked: string[] = [];
  readonly #rows = new Map<string, FoundFleetRow>();
  #canSee: CanSee = () => true;
  #accessVersion = 0;

  constructor(feedBytes?: number) {
    this.feed = new ChangeFeed("feed_test", feedBytes);
  }

  /** Changes what users see. It is no change of a row. */
  setVisibility(canSee: CanSee): void {
    this.#canSee = canSee;
    this.#accessVersion += 1;
  }

  put(...rows: readonly SmallRow[]): void {
    this.flush(rows.map(toFoundRow), []);
  }

  remove(...rows: readonly SmallRow[]): void {
    this.flush([], rows.map(toFoundRow));
  }

  /** One flush for each cluster. */
  flush(upserts: readonly FoundFleetRow[], removed: readonly FoundFleetRow[]): void {
    const changes = new Map<string, RowChange[]>();
    const note = (found: FoundFleetRow, kind: RowChange["kind"]): void => {
      const { namespace, name, uid } = found.row;
      const known = changes.get(found.cluster) ?? [];
      changes.set(found.cluster, known);
      known.push({ kind, resource: found.resource, namespace, name, uid });
    };
    for (const found of removed) {
      const last = this.#rows.get(keyOf(found));
      if (last !== undefined) note(last, "removed");
      this.#rows.delete(keyOf(found));
    }
    for (const found of upserts) {
      if (!this.clusters.has(found.cluster)) this.clusters.set(found.cluster, {});
      note(found, this.#rows.has(keyOf(found)) ? "changed" : "added");
      this.#rows.set(keyOf(found), found);
    }
    for (const [cluster, list] of changes)
      this.feed.push(cluster, 0, { length: list.length, sizeBytes: list.length * 100, list: () => list });
  }

  readonly reader: FleetApiReader = {
    loadAccessVersion: () => Promise.resolve(this.#accessVersion),
    listAccessKeys: (subjects) =>
      Promise.resolve(
        subjects.map(({ user }) => new Map([...this.clusters.keys()].map((id) => [id, this.#accessKey(user, id)]))),
      ),
    listClusters: () => Promise.resolve([...this.clusters.keys()]),
    listKinds: (_subject, cluster) => {
      const kinds = new Map(this.#of(cluster).map(({ resource, kind }) => [resource, kind]));
      return Promise.resolve([...kinds].map(([resource, kind]) => ({ resource, kind })));
    },
    snapshot: (_subject, cluster, resources) => {
      const rows = this.#of(cluster).filter(({ resource }) => resources?.has(resource) ?? true);
      const pages = async function* () {
        for (const { resource, kind, row } of rows) yield await Promise.resolve({ resource, kind, rows: [row] });
      };
      return Promise.resolve({ areRowsShown: true, rowCount: rows.length, kinds: [], accessKey: "", pages });
    },
    changes: (subject) => this.#changesOf(subject),
    queries: (subject) => ({ list: (query, signal) => this.#list(subject, query, signal) }),
  };

  #of(cluster: string): readonly FoundFleetRow[] {
    return [...this.#rows.values()].filter((found) => found.cluster === cluster);
  }

  #accessKey(user: string, cluster: string): string {
    return this.#of(cluster)
      .filter((found) => !this.#canSee(user, found))
      .map(keyOf)
      .join();
  }

  #changesOf({ user }: Subject): ChangeReader {
    const { feed } = this;
    const toVisible = (flush: FlushChanges): FlushChanges => {
      const { position, cluster, receivedAtMs } = flush;
      const changes = flush.changes.filter((change) =>
        this.#canSee(user, toFoundRow({ ...change, kind: "", cluster })),
      );
      return { position, cluster, receivedAtMs, changes };
    };
    return {
      get cursor() {
        return feed.cursor;
      },
      get oldest() {
        return feed.oldest;
      },
      assertKept: (cursor) => feed.assertKept(cursor),
      async *read(from, signal) {
        for await (const flush of feed.read(from, signal)) yield toVisible(flush);
      },
      async *readBack() {
        yield* await Promise.resolve([]);
      },
    };
  }

  async #list({ user }: Subject, query: FleetQuery, signal?: AbortSignal): Promise<FleetQueryAnswer> {
    signal?.throwIfAborted();
    this.asked.push(query.text);
    const { filter } = checkQuery(parseQuery(query.text), this.#catalog(user), 0);
    const binding = `${user} ${query.text}`;
    const [boundTo, after = ""] = query.cursor.split("\n");
    if (query.cursor !== "" && boundTo !== binding) throw new FlotillaError("INVALID_ARGUMENT", "a foreign cursor");
    const fieldsOf = (cluster: string) => {
      return { cluster, region: "", environment: "", ...this.clusters.get(cluster) };
    };
    const found = [...this.#rows.values()]
      .filter((each) => this.#canSee(user, each))
      .filter(({ cluster, resource, row }) => holdsFor(filter, { row, resource, fields: fieldsOf(cluster), nowMs: 0 }))
      .sort((a, b) => compareUtf8(keyOf(a), keyOf(b)));
    const rest = found.filter((each) => query.cursor === "" || compareUtf8(keyOf(each), after) > 0);
    const rows = rest.slice(0, query.limit);
    const last = rows.at(-1);
    const selectsCluster = (cluster: string): boolean =>
      holdsFor(clusterPart(filter), {
        row: toFoundRow({ cluster, name: "" }).row,
        resource: "",
        fields: fieldsOf(cluster),
        nowMs: 0,
      });
    return Promise.resolve({
      rows,
      total: found.length,
      next: last === undefined || rest.length === rows.length ? "" : `${binding}\n${keyOf(last)}`,
      facets: [],
      groups: [],
      leftOutGroupCount: 0,
      canonicalText: query.text,
      clusters: [...this.clusters.keys()].filter(selectsCluster),
      resources: undefined,
      plan: [],
      rowsRead: 0,
      tookMs: 0,
    });
  }

  #catalog(user: string) {
    const visible = [...this.#rows.values()].filter((each) => this.#canSee(user, each));
    const kinds = [...builtIn, ...visible.map(({ resource, kind }) => ({ resource, kind, version: "" }))];
    const columns = defaultKinds.flatMap((kind) => kind.columns);
    return {
      findKind: (name: string) => [...new Set(resolveKindName(kinds, name))],
      kindNames: [],
      columnTypes: (name: string): ReadonlySet<ColumnType> =>
        new Set(columns.filter((column) => column.name === name).map(({ type }) => type)),
      columnNames: [],
    };
  }
}

/** The conditions on clusters alone; everything else holds. */
function clusterPart(filter: Parameters<typeof holdsFor>[0]): Parameters<typeof holdsFor>[0] {
  const isOfCluster = (part: typeof filter): boolean =>
    part.kind === "field"
      ? ["cluster", "region", "environment"].includes(part.field)
      : "parts" in part
        ? part.parts.every(isOfCluster)
        : "of" in part && isOfCluster(part.of);
  const parts = filter.kind === "and" ? filter.parts : [filter];
  return { kind: "and", parts: parts.filter(isOfCluster) };
}

function keyOf({ cluster, resource, row: { namespace, name } }: FoundFleetRow): string {
  return `${cluster}/${resource}/${namespace}/${name}`;
}
