// SPDX-License-Identifier: Apache-2.0
// What a cluster's objects were at every moment, as rows: the truth that the hub's rows is held against.
import type { Clock } from "../../../src/base/time/clock.ts";
import type { Kind } from "../../../src/kinds/kind.ts";
import { projectRow } from "../../../src/kinds/project-row.ts";
import { parseClusterId } from "../../../src/model/cluster-id.ts";
import { resourceIdText } from "../../../src/model/gvr.ts";
import type { Row, RowHash } from "../../../src/model/rows/row.ts";
import { RowSealer } from "../../../src/model/rows/row-sealer.ts";
import { hasher } from "./keys.ts";

/** One state of one object, until the next one or its deletion. */
interface Version {
  readonly uid: string;
  readonly resourceVersion: string;
  readonly hash: RowHash;
  /** When it stopped being true; Infinity while it is. */
  untilMs: number;
}

interface History {
  readonly versions: Version[];
  /** When the object that is there, or was there last, came to be. */
  bornAtMs: number;
}

const observation = { facts: { meshRootNamespaces: new Set<string>() }, terminatingForMs: 0 };

/** The past and present of one cluster. */
export class ClusterTruth {
  readonly #clock: Clock;
  readonly #kinds: ReadonlyMap<string, { readonly kind: Kind; readonly sealer: RowSealer }>;
  readonly #histories = new Map<string, Map<string, History>>();

  constructor(cluster: string, kinds: readonly Kind[], clock: Clock) {
    this.#clock = clock;
    this.#kinds = new Map(
      kinds.map((kind) => {
        const sealer = new RowSealer(parseClusterId(cluster), kind.resource, hasher);
        return [resourceIdText(kind.resource), { kind, sealer }];
      }),
    );
  }

  get resources(): readonly string[] {
    return [...this.#kinds.keys()];
  }

  /** The object is this from now on. */
  put(resource: string, json: string): void {
    const known = this.#kinds.get(resource);
    if (known === undefined) return;
    const object: unknown = JSON.parse(json);
    const row = known.sealer.seal(projectRow(known.kind, object, observation));
    const { uid, resourceVersion, rowHash: hash } = row;
    const nowMs = this.#clock.nowMs();
    const history = this.#end(resource, row, nowMs);
    history.versions.push({ uid, resourceVersion, hash, untilMs: Number.POSITIVE_INFINITY });
  }

  /** The object is gone from now on. */
  delete(resource: string, key: { readonly namespace: string; readonly name: string }): void {
    if (this.#kinds.has(resource)) this.#end(resource, key, this.#clock.nowMs());
  }

  /** Whether an object of this uid is there now. */
  isAlive(resource: string, key: { readonly namespace: string; readonly name: string }, uid: string): boolean {
    const newest = this.#find(resource, key)?.versions.at(-1);
    return newest?.uid === uid && newest.untilMs === Number.POSITIVE_INFINITY;
  }

  /** Whether the object ever was as this row says. */
  wasEver(resource: string, row: Row): boolean {
    return this.#versionOf(resource, row) !== undefined;
  }

  /** What rows of a kind say that was not so at any moment of the last `withinMs`, one sentence each; 0 = now. */
  findDifferences(resource: string, rows: Iterable<Row>, withinMs: number): readonly string[] {
    const sinceMs = this.#clock.nowMs() - withinMs;
    const found: string[] = [];
    const seen = new Set<string>();
    for (const row of rows) {
      seen.add(textOf(row));
      const version = this.#versionOf(resource, row);
      if (version === undefined) found.push(`${resource} ${textOf(row)} of ${row.resourceVersion} never was`);
      else if (version.untilMs <= sinceMs) found.push(`${resource} ${textOf(row)} is still of ${row.resourceVersion}`);
    }
    for (const [key, { versions, bornAtMs }] of this.#histories.get(resource) ?? []) {
      const isThere = versions.at(-1)?.untilMs === Number.POSITIVE_INFINITY;
      if (isThere && bornAtMs <= sinceMs && !seen.has(key)) found.push(`${resource} ${key} is missing`);
    }
    return found;
  }

  #versionOf(resource: string, row: Row): Version | undefined {
    return this.#find(resource, row)?.versions.find(
      ({ uid, resourceVersion, hash }) =>
        uid === row.uid && resourceVersion === row.resourceVersion && hash === row.rowHash,
    );
  }

  #find(resource: string, key: { readonly namespace: string; readonly name: string }): History | undefined {
    return this.#histories.get(resource)?.get(textOf(key));
  }

  #end(resource: string, key: { readonly namespace: string; readonly name: string }, nowMs: number): History {
    const ofKind = this.#histories.get(resource) ?? new Map<string, History>();
    this.#histories.set(resource, ofKind);
    const history = ofKind.get(textOf(key)) ?? { versions: [], bornAtMs: nowMs };
    ofKind.set(textOf(key), history);
    const newest = history.versions.at(-1);
    if (newest?.untilMs === Number.POSITIVE_INFINITY) newest.untilMs = nowMs;
    else history.bornAtMs = nowMs;
    return history;
  }
}

function textOf({ namespace, name }: { readonly namespace: string; readonly name: string }): string {
  return `${namespace}/${name}`;
}
