// SPDX-License-Identifier: Apache-2.0
// The objects of a simulated API server: one line of resourceVersions, a window of history, lists at one version.
import { assert } from "../../../src/base/assert.ts";
import { type Gvr, gvrText } from "../../../src/model/gvr.ts";

/** What the simulated server serves under one path. */
export interface SimResource extends Gvr {
  readonly kind: string;
  readonly isNamespaced: boolean;
}

/** An object with what the server needs of it. */
export interface SimObject {
  readonly namespace: string;
  readonly name: string;
  readonly resourceVersion: string;
  /** As it is sent. */
  readonly json: string;
}

/** One write, as watches see it. */
export interface SimChange {
  readonly revision: number;
  readonly type: "ADDED" | "MODIFIED" | "DELETED";
  readonly object: SimObject;
}

/** What a caller writes: at least a name, and a namespace where the resource has them. */
export interface SimManifest {
  readonly metadata: { readonly name: string; readonly namespace?: string; readonly [field: string]: unknown };
  readonly [field: string]: unknown;
}

/** Objects that a list or a watch is about. */
export type SimFilter = (object: SimObject) => boolean;

/** Paged lists under way that are remembered; the oldest beyond that expire, as they do by compaction. */
const openListLimit = 64;

interface Table {
  readonly resource: SimResource;
  readonly objects: Map<string, SimObject & { readonly uid: string }>;
  /**
   * When it came to be served: nothing of before is known of it, as a watch cache begins with the list it is filled
   * from.
   */
  readonly sinceRevision: number;
  /** Changes after `compactedTo`, oldest first. */
  changes: SimChange[];
}

function keyOf(namespace: string, name: string): string {
  return `${namespace}/${name}`;
}

/** All objects of one simulated cluster. */
export class SimStore {
  readonly #tables = new Map<string, Table>();
  /** The rest of each paged list by its token. */
  readonly #openLists = new Map<string, { readonly revision: number; readonly rest: readonly SimObject[] }>();
  readonly #historyLimit: number;
  #revision = 1;
  #compactedTo = 0;
  #uidCount = 0;
  #listCount = 0;

  constructor(historyLimit: number) {
    this.#historyLimit = historyLimit;
  }

  get revision(): number {
    return this.#revision;
  }

  get resources(): readonly SimResource[] {
    return Array.from(this.#tables.values(), ({ resource }) => resource);
  }

  define(resource: SimResource): void {
    const text = gvrText(resource);
    if (this.#tables.has(text)) return;
    this.#tables.set(text, { resource, objects: new Map(), sinceRevision: this.#revision, changes: [] });
  }

  undefine(gvr: Gvr): void {
    this.#tables.delete(gvrText(gvr));
  }

  find(gvr: Gvr): SimResource | undefined {
    return this.#tables.get(gvrText(gvr))?.resource;
  }

  /** Creates the object or replaces it; its uid stays while it lives. */
  put(gvr: Gvr, manifest: SimManifest): SimChange {
    const table = this.#table(gvr);
    const { name, namespace = "" } = manifest.metadata;
    assert(table.resource.isNamespaced === (namespace !== ""), `${gvrText(gvr)} ${name} has a wrong namespace`);
    const key = keyOf(namespace, name);
    const existing = table.objects.get(key);
    this.#revision += 1;
    const resourceVersion = String(this.#revision);
    if (existing === undefined) this.#uidCount += 1;
    const uid = existing?.uid ?? `uid-${this.#uidCount}`;
    const json = this.#encode(table.resource, {
      ...manifest,
      metadata: { ...manifest.metadata, uid, resourceVersion },
    });
    const object = { namespace, name, resourceVersion, json, uid };
    table.objects.set(key, object);
    return this.#record(table, existing === undefined ? "ADDED" : "MODIFIED", object);
  }

  /** Removes the object; undefined where there is none. */
  delete(gvr: Gvr, namespace: string, name: string): SimChange | undefined {
    const table = this.#table(gvr);
    const key = keyOf(namespace, name);
    const existing = table.objects.get(key);
    if (existing === undefined) return undefined;
    table.objects.delete(key);
    this.#revision += 1;
    const resourceVersion = String(this.#revision);
    const json = existing.json.replace(
      `"resourceVersion":"${existing.resourceVersion}"`,
      `"resourceVersion":"${resourceVersion}"`,
    );
    return this.#record(table, "DELETED", { namespace, name, resourceVersion, json });
  }

  /** What is there now, in the order of keys, as a server lists it. */
  list(gvr: Gvr): readonly SimObject[] {
    const { objects } = this.#table(gvr);
    return Array.from(objects.keys())
      .sort()
      .flatMap((key) => objects.get(key) ?? []);
  }

  /** The first page of a list, or the next of one under way; undefined where its token has expired. */
  page(
    of: { readonly gvr: Gvr; readonly filter: SimFilter } | { readonly token: string },
    limit: number,
  ):
    | {
        readonly revision: number;
        readonly objects: readonly SimObject[];
        readonly token: string;
        readonly restCount: number;
      }
    | undefined {
    const list =
      "token" in of
        ? this.#openLists.get(of.token)
        : { revision: this.#revision, rest: this.list(of.gvr).filter(of.filter) };
    if (list === undefined) return undefined;
    if ("token" in of) this.#openLists.delete(of.token);
    const size = limit === 0 ? list.rest.length : limit;
    const rest = list.rest.slice(size);
    const token = rest.length === 0 ? "" : this.#keepList(list.revision, rest);
    return { revision: list.revision, objects: list.rest.slice(0, size), token, restCount: rest.length };
  }

  /** Changes after a revision; undefined where they are no longer all known. */
  changesAfter(gvr: Gvr, revision: number): readonly SimChange[] | undefined {
    const { changes, sinceRevision } = this.#table(gvr);
    if (revision < Math.max(this.#compactedTo, sinceRevision)) return undefined;
    return changes.filter((change) => change.revision > revision);
  }

  /** Forgets all history: every position but the present one has expired, and so has every list under way. */
  compact(): void {
    this.#compactedTo = this.#revision;
    this.#openLists.clear();
    for (const table of this.#tables.values()) table.changes = [];
  }

  #keepList(revision: number, rest: readonly SimObject[]): string {
    this.#listCount += 1;
    const token = `list-${this.#listCount}`;
    this.#openLists.set(token, { revision, rest });
    const [oldest] = this.#openLists.keys();
    if (this.#openLists.size > openListLimit && oldest !== undefined) this.#openLists.delete(oldest);
    return token;
  }

  #record(table: Table, type: SimChange["type"], object: SimObject): SimChange {
    const change = { revision: this.#revision, type, object };
    table.changes.push(change);
    if (table.changes.length > this.#historyLimit) {
      const dropped = table.changes.splice(0, Math.ceil(this.#historyLimit / 2));
      this.#compactedTo = Math.max(this.#compactedTo, dropped.at(-1)?.revision ?? 0);
    }
    return change;
  }

  #encode({ group, version, kind }: SimResource, object: SimManifest): string {
    return JSON.stringify({ apiVersion: group === "" ? version : `${group}/${version}`, kind, ...object });
  }

  #table(gvr: Gvr): Table {
    const table = this.#tables.get(gvrText(gvr));
    assert(table !== undefined, `${gvrText(gvr)} is not served here`);
    return table;
  }
}
