// SPDX-License-Identifier: Apache-2.0
import { isCancellation, untilAborted } from "../../../base/abort.ts";
import { FlotillaError } from "../../../base/error.ts";
import { parseQuery } from "../../../index/language/parse-query.ts";
import { printQuery } from "../../../index/language/print-query.ts";
import { refuseQuery } from "../../../index/language/query-error.ts";
import { type Row, toResourceVersion, toRowHash } from "../../../model/rows/row.ts";
import type { Status } from "../../../model/status.ts";
import type { Subject } from "../../../model/subject.ts";
import type { FleetQuery, FleetQueryAnswer, FoundFleetRow, LiveQueryUpdate } from "../../rows/fleet-queries.ts";
import type { ViewerQueries } from "../read-members.ts";

/** A Pod `CLUSTER/NAME` of the namespace shop. */
export function podRow(path: string, status: Status = "unhealthy"): FoundFleetRow {
  const [cluster = "", name = ""] = path.split("/");
  const row: Row = {
    namespace: "shop",
    name,
    uid: `uid-${name}`,
    resourceVersion: toResourceVersion("1"),
    generation: 1,
    createdAt: 0,
    status,
    reason: "CrashLoopBackOff",
    message: `back-off of ${name}`,
    labels: new Map(),
    annotations: new Map(),
    columns: new Map(),
    rowHash: toRowHash(0n),
  };
  return { cluster, resource: "pods", kind: "Pod", row, troubledSinceMs: undefined };
}

/** The rows that every query has, whatever its text. A kind `nope` is unknown, as to a user who cannot see it. */
export class FakeFleet {
  /** By `CLUSTER/NAME`. */
  readonly rows = new Map<string, FoundFleetRow>();
  /** Clusters whose rows are not in answers. */
  readonly hidden = new Set<string>();
  /** Rows that no user may see by the RBAC objects of their cluster. */
  readonly forbidden = new Set<string>();
  /** Users who may not list rows. */
  readonly denied = new Set<string>();
  /** Thrown by every list while it is set. */
  fault: FlotillaError | undefined;
  listCount = 0;
  readonly #watchers = new Set<() => void>();

  /** Replaces the rows, and notifies the live views. */
  set(...paths: readonly string[]): void {
    this.rows.clear();
    for (const path of paths) this.rows.set(path, podRow(path));
    this.notify();
  }

  notify(): void {
    for (const wake of this.#watchers) wake();
  }

  /** Number of open live views. */
  get viewCount(): number {
    return this.#watchers.size;
  }

  queriesOf(subject: Subject): ViewerQueries {
    return {
      list: (query) => this.#list(subject, query),
      watch: (_query, signal) => this.#watch(signal),
      accessMarks: async () => this.#marks(subject),
    };
  }

  #shown(): readonly (readonly [string, FoundFleetRow])[] {
    return [...this.rows]
      .filter(([path, { cluster }]) => !this.hidden.has(cluster) && !this.forbidden.has(path))
      .sort(([a], [b]) => (a < b ? -1 : 1));
  }

  /** The mark of a cluster is what is forbidden in it. */
  #marks({ user }: Subject): ReadonlyMap<string, string> {
    if (this.denied.has(user)) throw new FlotillaError("PERMISSION_DENIED", `user "${user}" may not list rows`);
    const shown = ["east", "west"].filter((cluster) => !this.hidden.has(cluster));
    const forbidden = [...this.forbidden].sort();
    return new Map(
      shown.map((cluster) => [cluster, `-${forbidden.filter((path) => path.startsWith(cluster)).join()}`]),
    );
  }

  async #list({ user }: Subject, query: FleetQuery): Promise<FleetQueryAnswer> {
    this.listCount += 1;
    if (this.denied.has(user)) throw new FlotillaError("PERMISSION_DENIED", `user "${user}" may not list rows`);
    if (this.fault !== undefined) throw this.fault;
    const canonicalText = printQuery(parseQuery(query.text));
    const unknown = query.text.indexOf("nope");
    if (unknown >= 0) refuseQuery(unknown, 'no cluster has a kind "nope"');
    const shown = this.#shown();
    const page = shown.filter(([path]) => path > query.cursor).slice(0, query.limit);
    const last = page.at(-1)?.[0] ?? "";
    return {
      rows: page.map(([, row]) => row),
      total: shown.length,
      next: query.limit > 0 && last !== shown.at(-1)?.[0] ? last : "",
      facets: [],
      groups: [],
      leftOutGroupCount: 0,
      canonicalText,
      clusters: [...new Set([...this.rows.values()].map(({ cluster }) => cluster)).union(this.hidden)],
      resources: undefined,
      plan: [],
      rowsRead: 0,
      tookMs: 0,
    };
  }

  async *#watch(signal: AbortSignal): AsyncGenerator<LiveQueryUpdate> {
    let changed = Promise.withResolvers<void>();
    const wake = (): void => changed.resolve();
    this.#watchers.add(wake);
    try {
      for (let isSnapshot = true; ; isSnapshot = false) {
        yield {
          isSnapshot,
          rows: [],
          places: [],
          left: [],
          total: this.rows.size,
          facets: [],
          position: "1",
          clusters: [],
          resources: undefined,
        };
        await Promise.race([changed.promise, untilAborted(signal)]);
        changed = Promise.withResolvers();
      }
    } catch (reason) {
      if (!isCancellation(signal, reason)) throw reason;
    } finally {
      this.#watchers.delete(wake);
    }
  }
}
