// SPDX-License-Identifier: Apache-2.0
// What belongs to an object and what it belongs to: a breadth-first search along visible rows (RL1 to RL5).
import { FlotillaError } from "../../base/error.ts";
import { type Status, statuses } from "../../model/status.ts";
import { atOneMoment } from "./at-one-moment.ts";
import { type FoundHolder, resolveTarget, WantedRows } from "./find-links.ts";
import { compareIndexKeys, type IndexKey } from "./index-key.ts";
import { type EdgeType, edgeTypes, linkRules } from "./link-rules.ts";
import {
  type PlacedRow,
  placeId,
  type ReadableFleet,
  type VisibilityOf,
  type VisibleCluster,
} from "./visible-cluster.ts";

/** The most objects of an answer, and the default: more cannot be drawn or read. */
export const maxRelationNodes = 500;

/** The most steps away from the object. The longest chains in practice have six. */
export const maxRelationDepth = 8;

/** The most edges, and the most references, for each object of the answer. */
const maxPerNode = 4;

export interface RelationsRequest {
  readonly key: IndexKey;
  readonly visibilityOf: VisibilityOf;
  /** 1 to `maxRelationNodes`. */
  readonly maxNodes?: number;
}

/** A visible object. */
export interface RelationNode {
  readonly key: IndexKey;
  readonly kind: string;
  readonly status: Status;
  readonly reason: string;
}

/** An edge between two nodes, by their places in `nodes`. */
export interface RelationEdge {
  readonly from: number;
  readonly to: number;
  readonly type: EdgeType;
}

/**
 * An object that a visible row names, and that is hidden or does not exist: the text of the row, and nothing more.
 */
export interface RelationReference {
  /** The place in `nodes` of the object whose row names it. */
  readonly of: number;
  readonly type: EdgeType;
  readonly kind: string;
  /** Undefined for owners: they are in the namespace of the object or at cluster scope. */
  readonly namespace: string | undefined;
  readonly name: string;
}

export interface RelationsAnswer {
  /** The object itself, then the nearest ones. */
  readonly nodes: readonly RelationNode[];
  readonly edges: readonly RelationEdge[];
  readonly references: readonly RelationReference[];
  /** There are more objects, edges or references. */
  readonly isTruncated: boolean;
}

/**
 * Finds the relations of an object, as of one moment. Undefined if the object is hidden or does not exist. Throws
 * INVALID_ARGUMENT for a bound out of range. Yields after bounded work.
 */
export function* findRelations(
  fleet: ReadableFleet,
  request: RelationsRequest,
): Generator<void, RelationsAnswer | undefined, undefined> {
  const { key, visibilityOf, maxNodes = maxRelationNodes } = request;
  if (!Number.isInteger(maxNodes) || maxNodes < 1 || maxNodes > maxRelationNodes)
    throw new FlotillaError(
      "INVALID_ARGUMENT",
      `the number of related objects must be an integer from 1 to ${maxRelationNodes}, it is ${maxNodes}`,
    );
  return yield* atOneMoment(fleet, key.cluster, visibilityOf, function* (cluster) {
    const start = cluster.find(key.resource, key.namespace, key.name);
    if (start === undefined) return undefined;
    const search = new RelationSearch(cluster, start, maxNodes);
    for (let depth = 0; depth <= maxRelationDepth && search.hasMore; depth += 1)
      yield* search.step(depth < maxRelationDepth);
    return search.answer();
  });
}

/** Towards what the object runs, owns and routes to, or back towards what owns it and routes to it. */
type Direction = "forward" | "backward";

interface FoundEdge {
  readonly direction: Direction;
  readonly type: EdgeType;
  /** The place of the node from which the search went on. */
  readonly of: number;
  readonly other: PlacedRow;
}

class RelationSearch {
  readonly #cluster: VisibleCluster;
  readonly #maxNodes: number;
  readonly #placed: PlacedRow[] = [];
  readonly #places = new Map<number, number>();
  readonly #reached = { forward: new Set<number>(), backward: new Set<number>() };
  #next: Readonly<Record<Direction, readonly number[]>> = { forward: [0], backward: [0] };
  readonly #edges = new Map<string, RelationEdge>();
  readonly #references = new Map<string, RelationReference>();
  #isTruncated = false;

  constructor(cluster: VisibleCluster, start: PlacedRow, maxNodes: number) {
    this.#cluster = cluster;
    this.#maxNodes = maxNodes;
    this.#placed.push(start);
    this.#places.set(placeId(start), 0);
    for (const reached of Object.values(this.#reached)) reached.add(0);
  }

  get hasMore(): boolean {
    return this.#next.forward.length + this.#next.backward.length > 0;
  }

  /** One step away from what was reached last. Without `mayAdd` it only finds out whether there is more. */
  *step(mayAdd: boolean): Generator<void, void, undefined> {
    const found: FoundEdge[] = [];
    for (const direction of ["forward", "backward"] as const) {
      const wanted = this.#wanted(this.#next[direction]);
      for (const of of this.#next[direction]) found.push(...this.#held(of, direction));
      if (direction === "forward") found.push(...toEdges(yield* wanted.owned(), "owns", direction));
      for (const rule of linkRules) {
        if ((rule.isReversed === true) !== (direction === "forward")) continue;
        found.push(...toEdges(wanted.holders(rule), rule.type, direction));
        yield;
      }
    }
    this.#next = this.#addAll(found, mayAdd);
  }

  answer(): RelationsAnswer {
    return {
      nodes: this.#placed.map((placed) => this.#nodeOf(placed)),
      edges: [...this.#edges.values()],
      references: [...this.#references.values()],
      isTruncated: this.#isTruncated,
    };
  }

  #wanted(places: readonly number[]): WantedRows {
    const rows = places.flatMap((place) => {
      const placed = this.#placed[place];
      return placed === undefined ? [] : [[placed, place] as const];
    });
    return new WantedRows(this.#cluster, rows);
  }

  /** What the row of a node names itself. */
  #held(of: number, direction: Direction): readonly FoundEdge[] {
    const placed = this.#placed[of];
    if (placed === undefined) return [];
    const found: FoundEdge[] = [];
    if (direction === "backward") {
      const owner = placed.table.ownerOf(placed.row);
      const other = this.#cluster.ownerOf(placed);
      if (other !== undefined) found.push({ direction, type: "owns", of, other });
      else if (owner !== undefined)
        this.#refer({ of, type: "owns", kind: owner.kind, namespace: undefined, name: owner.name });
    }
    const namespace = placed.table.namespaceOf(placed.row);
    for (const rule of linkRules) {
      if (rule.holder !== placed.table.resource || (rule.isReversed === true) !== (direction === "backward")) continue;
      for (const target of rule.targetsOf(placed, namespace)) {
        const other = resolveTarget(this.#cluster, target);
        if (other !== undefined) found.push({ direction, type: rule.type, of, other });
        else this.#refer({ of, type: rule.type, kind: target.kind, namespace: target.namespace, name: target.name });
      }
    }
    return found;
  }

  #refer(reference: RelationReference): void {
    const { of, type, kind, namespace, name } = reference;
    this.#put(this.#references, JSON.stringify([of, type, kind, namespace, name]), reference);
  }

  /** Adds what was found in a fixed order, and returns what was reached for the first time in each direction. */
  #addAll(found: readonly FoundEdge[], mayAdd: boolean): Readonly<Record<Direction, readonly number[]>> {
    const next = { forward: [] as number[], backward: [] as number[] };
    const keyed = found.map((edge) => ({ edge, key: this.#cluster.keyOf(edge.other) }));
    keyed.sort(
      (a, b) =>
        a.edge.of - b.edge.of ||
        edgeTypes.indexOf(a.edge.type) - edgeTypes.indexOf(b.edge.type) ||
        compareIndexKeys(a.key, b.key),
    );
    for (const { edge } of keyed) {
      const place = this.#open(edge.other, mayAdd);
      if (place === undefined) {
        this.#isTruncated = true;
        continue;
      }
      const { direction, type } = edge;
      const [from, to] = direction === "forward" ? [edge.of, place] : [place, edge.of];
      this.#put(this.#edges, `${from} ${to} ${type}`, { from, to, type });
      if (this.#reached[direction].has(place)) continue;
      this.#reached[direction].add(place);
      next[direction].push(place);
    }
    return next;
  }

  /** The place of a row among the nodes; undefined if there is no room for it. */
  #open(placed: PlacedRow, mayAdd: boolean): number | undefined {
    const id = placeId(placed);
    const known = this.#places.get(id);
    if (known !== undefined || !mayAdd || this.#placed.length >= this.#maxNodes) return known;
    this.#places.set(id, this.#placed.length);
    this.#placed.push(placed);
    return this.#placed.length - 1;
  }

  #put<Value>(values: Map<string, Value>, key: string, value: Value): void {
    if (values.has(key)) return;
    if (values.size < maxPerNode * this.#maxNodes) values.set(key, value);
    else this.#isTruncated = true;
  }

  #nodeOf(placed: PlacedRow): RelationNode {
    const { table, row } = placed;
    return {
      key: this.#cluster.keyOf(placed),
      kind: table.kind,
      status: statuses[table.statusRankOf(row)] ?? "unknown",
      reason: table.reasonOf(row),
    };
  }
}

function toEdges(holders: readonly FoundHolder[], type: EdgeType, direction: Direction): readonly FoundEdge[] {
  return holders.map(({ holder, wanted }) => ({ direction, type, of: wanted, other: holder }));
}
