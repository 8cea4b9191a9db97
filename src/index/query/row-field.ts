// SPDX-License-Identifier: Apache-2.0
// Opens a field of rows in one table after another, for orders, facets and groups.
import { unreachable } from "../../base/assert.ts";
import { statuses } from "../../model/status.ts";
import type { FieldRef } from "../language/field-ref.ts";
import type { ClusterTexts } from "../table/cluster-texts.ts";
import { ContainerImages } from "./container-images.ts";
import { type CodeArray, type CodeSpace, type FieldSource, noText, type TableView } from "./field-source.ts";
import { fromNumberColumn, type OwnColumn, openOwnColumns } from "./own-columns.ts";

const none: FieldSource = { kind: "none" };

/** `/` as a byte. */
const slash = 0x2f;

const statusSpace: CodeSpace = {
  count: statuses.length,
  textsOf: (rank) => statuses.slice(rank, rank + 1),
};

const booleanSpace: CodeSpace = {
  count: 3,
  isBoolean: true,
  textsOf: (code) => ["false", "true"].slice(code - 1, code),
};

/**
 * One field, opened for the tables of one cluster after another. Its spaces hold for the tables of a cluster until
 * `release`, which a query calls before it waits: dictionaries may grow meanwhile.
 */
export class RowField {
  readonly ref: FieldRef;
  #cluster: ClusterTexts | undefined;
  readonly #spaces = new Map<string, CodeSpace>();

  constructor(ref: FieldRef) {
    this.ref = ref;
  }

  release(): void {
    this.#cluster = undefined;
    this.#spaces.clear();
  }

  open(view: TableView): FieldSource {
    const { table, fields, resource, nowMs } = view;
    const { cluster } = table;
    if (this.#cluster !== cluster) this.release();
    this.#cluster = cluster;
    const { field, name } = this.ref;
    switch (field) {
      case "cluster":
      case "region":
      case "environment":
        return constant(fields[field]);
      case "kind":
        return constant(resource);
      case "status":
        return fromArray(table.statuses.values, statusSpace);
      case "namespace":
        return fromArray(
          table.namespaces.values,
          this.#space("namespace", () => namespaceSpace(cluster)),
        );
      case "name":
        return fromArray(table.names.values, this.#texts(cluster));
      case "reason":
        return fromArray(table.reasons.values, this.#texts(cluster));
      case "message":
        return fromArray(table.messages.values, this.#texts(cluster));
      case "created":
        return fromNumberColumn(table.creationTimes);
      case "age": {
        const { at } = fromNumberColumn(table.creationTimes);
        return { kind: "numbers", at: (row) => nowMs - at(row) };
      }
      case "owner":
        return fromArray(
          table.owners.values,
          this.#space("owner", () => ownerSpace(cluster)),
        );
      case "uid":
        return { kind: "texts", at: (row) => table.uidOf(row) };
      case "label.":
        return this.#fromSets(table.labels.values, cluster);
      case "annotation.":
        return this.#fromSets(table.annotations.values, cluster);
      case "image":
        return this.#images(view);
      case "field.":
        return this.#join(openOwnColumns(table, name), cluster);
      default:
        return unreachable(field, "field");
    }
  }

  #space<Space extends CodeSpace>(key: string, create: () => Space): Space {
    // A key always has the same type of space.
    const known = this.#spaces.get(key) as Space | undefined;
    if (known !== undefined) return known;
    const created = create();
    this.#spaces.set(key, created);
    return created;
  }

  #texts(cluster: ClusterTexts): CodeSpace {
    return this.#space("text", () => textSpace(cluster));
  }

  /** The values of a key in label or annotation sets. Without a key the values are the keys, which completion lists. */
  #fromSets(codes: CodeArray, cluster: ClusterTexts): FieldSource {
    const { name } = this.ref;
    if (name === "")
      return fromArray(
        codes,
        this.#space("keys", () => keySpace(cluster)),
      );
    const keyId = cluster.texts.find(name);
    if (keyId === undefined) return none;
    const via = cluster.labels.valuesOf(keyId);
    const space = this.#space("column", () => columnSpace(cluster));
    return { kind: "codes", space, array: { codes, via }, at: (row) => via[codes[row] ?? 0] ?? 0 };
  }

  #images({ table }: TableView): FieldSource {
    const { cluster } = table;
    const lists = openOwnColumns(table, "images").filter(({ type }) => type === "list");
    if (lists.length > 0) return this.#join(lists, cluster);
    return this.#space("containers", () => new ContainerImages(cluster)).open(table);
  }

  #join(columns: readonly OwnColumn[], cluster: ClusterTexts): FieldSource {
    const sources = columns.map((column) => this.#own(column, cluster));
    const [first] = sources;
    if (first === undefined) return none;
    return sources.length === 1 ? first : { kind: "several", sources };
  }

  #own(column: OwnColumn, cluster: ClusterTexts): FieldSource {
    switch (column.type) {
      case "number":
        return fromNumberColumn(column.numbers);
      case "boolean":
        return fromArray(column.codes, booleanSpace);
      case "text":
        return fromArray(
          column.codes,
          this.#space("column", () => columnSpace(cluster)),
        );
      case "list":
        return fromArray(
          column.codes,
          this.#space("list", () => listSpace(cluster)),
        );
    }
  }
}

function constant(text: string): FieldSource {
  return text === "" ? none : { kind: "constant", text };
}

function fromArray(codes: CodeArray, space: CodeSpace): FieldSource {
  return { kind: "codes", space, array: { codes }, at: (row) => codes[row] ?? 0 };
}

/** A space of codes with at most one text each. */
function single({ texts }: ClusterTexts, count: number, idOf: (code: number) => number): CodeSpace {
  const textsOf = (code: number): readonly string[] => {
    const id = idOf(code);
    return id === noText ? [] : [texts.get(id)];
  };
  return { count, textsOf, single: { dictionary: texts, idOf } };
}

/** Text ids. The empty text means none. */
function textSpace(cluster: ClusterTexts): CodeSpace {
  return single(cluster, cluster.texts.count, (code) => (code === 0 ? noText : code));
}

/** Text ids plus one. The empty text is a value of an own column. */
function columnSpace(cluster: ClusterTexts): CodeSpace {
  return single(cluster, cluster.texts.count + 1, (code) => code - 1);
}

/** Number 0 is that of cluster-scoped objects. */
function namespaceSpace(cluster: ClusterTexts): CodeSpace {
  const { namespaces } = cluster;
  return single(cluster, namespaces.length, (number) => (number === 0 ? noText : (namespaces[number] ?? noText)));
}

function keySpace({ maps, texts }: ClusterTexts): CodeSpace {
  return {
    count: maps.count,
    textsOf: (code) =>
      Array.from(
        maps.get(code).filter((_id, at) => at % 2 === 0),
        (id) => texts.get(id),
      ),
  };
}

/** Numbers of lists plus one. */
function listSpace({ lists, texts }: ClusterTexts): CodeSpace {
  return {
    count: lists.count + 1,
    textsOf: (code) => (code === 0 ? [] : Array.from(new Set(lists.get(code - 1)), (id) => texts.get(id))),
  };
}

/** `Deployment/web`, as `owner:` takes it. */
function ownerSpace({ owners, texts }: ClusterTexts): CodeSpace {
  const { ids } = owners;
  const { bytes } = texts;
  return {
    count: owners.count,
    writeText: (code, target) => {
      if (code === 0) return -1;
      const start = owners.startOf(code);
      const [kind, name] = [ids[start + 1] ?? 0, ids[start + 2] ?? 0];
      const [kindFrom, kindEnd] = [texts.startOf(kind), texts.endOf(kind)];
      const [nameFrom, nameEnd] = [texts.startOf(name), texts.endOf(name)];
      const length = kindEnd - kindFrom + 1 + nameEnd - nameFrom;
      if (length >= target.length) return length;
      let to = 0;
      for (let at = kindFrom; at < kindEnd; at += 1, to += 1) target[to] = bytes[at] ?? 0;
      target[to] = slash;
      to += 1;
      for (let at = nameFrom; at < nameEnd; at += 1, to += 1) target[to] = bytes[at] ?? 0;
      return length;
    },
    textsOf: (code) => {
      if (code === 0) return [];
      const [, kind = 0, name = 0] = owners.get(code);
      return [`${texts.get(kind)}/${texts.get(name)}`];
    },
  };
}
