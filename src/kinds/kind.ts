// SPDX-License-Identifier: Apache-2.0
import type { ResourceId } from "../model/gvr.ts";
import type { ColumnSpec, ColumnValue } from "../model/row.ts";
import type { StatusReport } from "../model/status.ts";
import type { ReconcileFacts } from "../model/status-rules.ts";

/** A column of a kind. */
export interface KindColumn extends ColumnSpec {
  /** Each text of the list is the JSON of one element (KI7). */
  readonly isJson?: boolean;
  /** Shown in a table of this kind without being asked for. */
  readonly isMain?: boolean;
  /** Never cut: an object whose row does not fit with it is refused instead (KI18). For what would mean something else when shortened. */
  readonly isWhole?: boolean;
  /** Most bytes of this list where those that Kubernetes itself makes are longer than KI6 allows by default. */
  readonly maxBytes?: number;
}

/** What is known of the cluster beyond the object at hand (KI17). */
export interface ClusterFacts {
  /** Root namespaces of the meshes found; a policy without selector there counts for the whole mesh. */
  readonly meshRootNamespaces: ReadonlySet<string>;
  /** What the mesh configurations found name as root namespace, by `namespace/name` of their ConfigMap (KI21). Left out: none is known. */
  readonly meshConfigRoots?: ReadonlyMap<string, string>;
}

/** Collects the columns of one row; a value that is absent is not set. Bounds are kept by whoever takes them over (KI6). */
export type Columns = Map<string, ColumnValue>;

/** What a kind makes of one object, beside the metadata that all have. */
export interface Projected {
  readonly columns: Columns;
  /** The kind's own rule; asked where the fixed rules have no answer (KI9). Undefined: by the standard conditions (KI10). */
  readonly status?: StatusReport | undefined;
  /** How a Pod or Job ended (CO14). */
  readonly outcome?: "succeeded" | "failed" | undefined;
  /** It wants Pods and has none that is ready: it either starts or has lost them all, and the object does not say which (KI20). */
  readonly isWithoutAny?: boolean;
  /** How far the controller has come (CO16); undefined for kinds that no controller looks at. */
  readonly reconcile?: ReconcileFacts | undefined;
}

/** One kind: which resource it reads and what becomes of an object of it. Pure and total (KI3). */
export interface Kind {
  readonly resource: ResourceId;
  readonly kind: string;
  /** The API versions it reads, best first (KI13). */
  readonly versions: readonly string[];
  readonly isNamespaced: boolean;
  readonly columns: readonly KindColumn[];
  /** Only configures: healthy once it exists, unless its conditions say otherwise (KI11). */
  readonly isConfiguration?: boolean;
  /** Its rows depend on `ClusterFacts` (KI17). */
  readonly usesFacts?: boolean;
  /** Its status depends on for how long the observer has seen the object at its generation (KI20). */
  readonly needsGenerationAge?: boolean;
  project(object: unknown, facts: ClusterFacts): Projected;
}

/** A kind whose rows come from objects of another (KI16). */
export interface DerivedKind {
  readonly resource: ResourceId;
  readonly kind: string;
  readonly isNamespaced: boolean;
  readonly columns: readonly KindColumn[];
  /** The resource whose objects it looks at. */
  readonly from: ResourceId;
  /** Its rows depend on `ClusterFacts` (KI17). */
  readonly usesFacts?: boolean;
  /** The row of that object, or undefined where it is none of this kind. Its metadata are those of the object it came from. */
  derive(object: unknown, facts: ClusterFacts): Projected | undefined;
}

/** A list of structured values as a column: each element's JSON with its fields in the order given, absent ones left out (KI7). */
export function jsonTexts(elements: Iterable<Readonly<Record<string, unknown>>>): string[] {
  return Array.from(elements, (element) => JSON.stringify(element));
}

/** Sets a column unless its value is absent or an empty list. */
export function setColumn(columns: Columns, name: string, value: ColumnValue | undefined): void {
  if (value === undefined || (Array.isArray(value) && value.length === 0)) return;
  columns.set(name, value);
}

/** Sets a column of milliseconds since 1970 unless the time was not reported (CO21). */
export function setTime(columns: Columns, name: string, atMs: number): void {
  if (atMs !== 0) columns.set(name, atMs);
}
