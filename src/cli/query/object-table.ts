// SPDX-License-Identifier: Apache-2.0
import type { FoundObject } from "../../gen/flotilla/query/v1/query_pb.ts";
import type { Io } from "../output/io.ts";
import { AlignedLines } from "./aligned-lines.ts";
import type { FieldColumns } from "./field-columns.ts";
import { rowOf } from "./found-object-json.ts";
import { columnsOfKind, columnsOfMixedKinds, type ObjectColumns, type TableLayout } from "./object-columns.ts";

/** What is known of the table before its first row. */
export type GivenLayout = Pick<TableLayout, "isWide" | "hasKindInName" | "hasRemoval"> & {
  /** Undefined: NAMESPACE is shown if an object of the first rows has one. */
  readonly hasNamespace?: boolean;
  /** Undefined: the columns of the kinds. */
  readonly columns?: FieldColumns | undefined;
  /** Titles of columns before CLUSTER. */
  readonly leading?: readonly string[];
};

/** An object and its cells before CLUSTER. */
export interface TableEntry {
  readonly object: FoundObject;
  readonly leading?: readonly string[];
}

interface BegunTable {
  readonly lines: AlignedLines;
  readonly columns: ObjectColumns;
}

/**
 * A table of objects that is printed in parts. Objects of one kind get the columns that kubectl prints of it. When the
 * first object of another kind comes, a table with the columns of all kinds begins below.
 */
export class ObjectTable {
  readonly #io: Io;
  readonly #given: GivenLayout;
  #begun: BegunTable | undefined;
  /** The only kind so far; "" for several. */
  #resource: string | undefined;

  constructor(io: Io, given: GivenLayout) {
    this.#io = io;
    this.#given = given;
  }

  print(entries: readonly TableEntry[]): void {
    if (entries.length === 0) return;
    const resources = new Set(entries.map(({ object }) => rowOf(object).resource));
    if (this.#resource !== undefined && this.#resource !== "") resources.add(this.#resource);
    const [only = ""] = resources;
    const resource = this.#given.columns !== undefined || this.#resource === "" || resources.size > 1 ? "" : only;
    const begun = resource === this.#resource ? this.#begun : undefined;
    const { lines, columns } = begun ?? this.#begin(resource, entries);
    const nowMs = this.#io.now();
    lines.print(entries.map(({ object, leading = [] }) => [...leading, ...columns.cellsOf(object, nowMs)]));
  }

  #begin(resource: string, entries: readonly TableEntry[]): BegunTable {
    if (this.#begun !== undefined) this.#io.stdout.write("\n");
    const { hasNamespace = entries.some(({ object }) => rowOf(object).namespace !== ""), leading = [] } = this.#given;
    const layout = { ...this.#given, hasNamespace: resource === "" || hasNamespace };
    const columns =
      this.#given.columns ?? (resource === "" ? columnsOfMixedKinds(layout) : columnsOfKind(resource, layout));
    const lines = new AlignedLines(this.#io.stdout, [...leading, ...columns.titles]);
    this.#resource = resource;
    this.#begun = { lines, columns };
    return this.#begun;
  }
}
