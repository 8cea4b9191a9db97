// SPDX-License-Identifier: Apache-2.0
// Rows as Tables and as metadata of objects (FA3, FA4).
import type { Json, JsonObject } from "../../apiserver/json/json.ts";
import type { ResourceRegistry } from "../../apiserver/resources/resource-registry.ts";
import type { IncludeObject } from "../../apiserver/table/kube-table.ts";
import type { MetaVersion } from "../../apiserver/table/partial-metadata.ts";
import { type RowTableColumn, type RowTableDefinition, tableOf } from "../../kinds/table/table-of.ts";
import type { Owner } from "../../model/rows/row.ts";
import { isRowTime } from "../../model/rows/row-check.ts";
import type { FoundFleetRow } from "../rows/fleet-queries.ts";
import { type FleetVersion, objectVersion } from "./fleet-version.ts";
import type { RowPlace } from "./select-rows.ts";
import { clusterMark } from "./selected-labels.ts";

/** An object whose row is no longer known. */
export interface GoneObject extends RowPlace {
  readonly uid: string;
}

/** How rows of one resource are written, for one answer or stream. */
export interface RowWriter {
  /** The list up to its first item, without the end. `listMeta` is its metadata. */
  listHead(listMeta: JsonObject): string;
  /** One item of a list. */
  item(found: FoundFleetRow, version: FleetVersion): JsonObject;
  /** The object of an event, of a bookmark if `item` is undefined. Columns are in the first table only. */
  eventObject(item: JsonObject | undefined, resourceVersion: string): JsonObject;
  /** The item of an object that was deleted, if its last row is not known: only its key. */
  goneItem(gone: GoneObject, resourceVersion: string): JsonObject;
}

export interface RowWriterOptions {
  /** The text of the resource id. */
  readonly resource: string;
  readonly registry: ResourceRegistry;
  readonly version: MetaVersion;
  readonly nowMs: () => number;
}

const clusterColumn: RowTableColumn = {
  name: "Cluster",
  type: "string",
  format: "",
  priority: 0,
  description: "The cluster that has the object.",
};

/** Writes tables with kubectl's columns, and the cluster before them. */
export function createTableWriter(options: RowWriterOptions & { readonly includeObject: IncludeObject }): RowWriter {
  const { resource, registry, version, includeObject, nowMs } = options;
  const table = tableOf(resource);
  const columns = [clusterColumn, ...table.columns].map(toDefinition);
  const head = { kind: "Table", apiVersion: `meta.k8s.io/${version}` };
  let hasColumns = false;
  const include = (metadata: JsonObject): Json =>
    includeObject === "None" ? null : { kind: "PartialObjectMetadata", apiVersion: `meta.k8s.io/${version}`, metadata };
  return {
    listHead: (metadata) => openList({ ...head, metadata, columnDefinitions: columns, rows: [] }),
    item: (found, at) => ({
      cells: [found.cluster, ...table.cells(found.row, nowMs())],
      object: include(
        metadataOf(found, registry, { name: found.row.name, resourceVersion: objectVersion(at, found.row) }),
      ),
    }),
    goneItem: (gone, resourceVersion) => ({
      cells: [gone.cluster, ...goneCells(table, gone)],
      object: include(goneMetadata(gone, gone.name, resourceVersion)),
    }),
    eventObject(item, resourceVersion) {
      const columnDefinitions = hasColumns ? null : columns;
      hasColumns = true;
      return { ...head, metadata: { resourceVersion }, columnDefinitions, rows: item === undefined ? [] : [item] };
    },
  };
}

/** Writes metadata. Its names have their cluster, so that no two objects of a list have the same (FA4). */
export function createPartialWriter({ registry, version }: RowWriterOptions): RowWriter {
  const head = { kind: "PartialObjectMetadata", apiVersion: `meta.k8s.io/${version}` };
  return {
    listHead: (metadata) => openList({ ...head, kind: `${head.kind}List`, metadata, items: [] }),
    item: (found, at) => {
      const name = `${found.row.name}@${found.cluster}`;
      return {
        ...head,
        metadata: metadataOf(found, registry, { name, resourceVersion: objectVersion(at, found.row) }),
      };
    },
    goneItem: (gone, resourceVersion) => ({
      ...head,
      metadata: goneMetadata(gone, `${gone.name}@${gone.cluster}`, resourceVersion),
    }),
    eventObject: (item, resourceVersion) => item ?? { ...head, metadata: { resourceVersion } },
  };
}

/** The text of a list whose last key is an empty array, up to that array's end. */
function openList(list: JsonObject): string {
  return JSON.stringify(list).slice(0, -"]}".length);
}

function toDefinition({ name, type, format, priority, description = "" }: RowTableColumn): JsonObject {
  return { name, type, format, description, priority };
}

function goneCells({ columns }: RowTableDefinition, { name }: GoneObject): readonly Json[] {
  return columns.map(({ format }) => (format === "name" ? name : null));
}

function goneMetadata({ cluster, namespace, uid }: GoneObject, name: string, resourceVersion: string): JsonObject {
  return {
    name,
    ...(namespace === "" ? {} : { namespace }),
    ...(uid === "" ? {} : { uid }),
    resourceVersion,
    annotations: { [clusterMark]: cluster },
  };
}

function metadataOf(
  { cluster, row }: FoundFleetRow,
  registry: ResourceRegistry,
  { name, resourceVersion }: { readonly name: string; readonly resourceVersion: string },
): JsonObject {
  const { namespace, uid, generation, createdAt, deletedAt, labels, annotations, owner } = row;
  return {
    name,
    ...(namespace === "" ? {} : { namespace }),
    ...(uid === "" ? {} : { uid }),
    resourceVersion,
    ...(generation === 0 ? {} : { generation }),
    ...timeEntry("creationTimestamp", createdAt),
    ...timeEntry("deletionTimestamp", deletedAt ?? 0),
    ...(labels.size === 0 ? {} : { labels: Object.fromEntries(labels) }),
    annotations: Object.fromEntries([...annotations, [clusterMark, cluster]]),
    ...(owner === undefined || owner.uid === "" ? {} : { ownerReferences: [ownerReference(owner, registry)] }),
  };
}

function timeEntry(key: string, atMs: number): JsonObject {
  return atMs === 0 || !isRowTime(atMs) ? {} : { [key]: `${new Date(atMs).toISOString().slice(0, 19)}Z` };
}

/** Rows have the owner's group and not its version, so the version is the one in which the fleet serves the kind. */
function ownerReference({ group, kind, name, uid }: Owner, registry: ResourceRegistry): JsonObject {
  const served = registry.groups.find((each) => each.group === group);
  const version = served?.versions.find(({ resources }) => resources.some(({ facts }) => facts.kind === kind))?.version;
  const apiVersion = `${group === "" ? "" : `${group}/`}${version ?? "v1"}`;
  return { apiVersion, kind, name, uid };
}
