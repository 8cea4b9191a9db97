// SPDX-License-Identifier: Apache-2.0
import { type Json, type JsonObject } from "../json/json.ts";
import { textAt } from "../json/json-fields.ts";
import type { Column, Printer } from "../resources/printer.ts";
import { type MetaVersion, toPartialMetadata } from "./partial-metadata.ts";

/** The object in each row, in addition to its cells. */
export type IncludeObject = "None" | "Metadata" | "Object";

export interface TableOptions {
  /** The time for ages. */
  readonly nowMs: number;
  readonly includeObject: IncludeObject;
  /** False for events of a watch after the first: the client has the columns. True by default. */
  readonly withColumns?: boolean;
  /**
   * Metadata of a list: resourceVersion, continue, remainingItemCount. Without it, the table has the first object's
   * resourceVersion.
   */
  readonly listMeta?: JsonObject;
  /** `v1` by default. */
  readonly version?: MetaVersion;
}

/**
 * Converts objects to a Table of meta.k8s.io: of a list, of one object, or of a watch event (bookmarks too, with empty
 * rows).
 */
export function toTable(printer: Printer, objects: readonly JsonObject[], options: TableOptions): JsonObject {
  const { withColumns = true, listMeta, version = "v1" } = options;
  return {
    kind: "Table",
    apiVersion: `meta.k8s.io/${version}`,
    metadata: listMeta ?? metadataOf(objects[0]),
    columnDefinitions: withColumns ? printer.columns.map(toDefinition) : null,
    rows: objects.map((object) => {
      const { cells, conditions } = printer.row(object, options.nowMs);
      return {
        cells,
        ...(conditions === undefined ? {} : { conditions }),
        object: includedObject(object, options.includeObject, version),
      };
    }),
  };
}

function metadataOf(object: JsonObject | undefined): JsonObject {
  const resourceVersion = object === undefined ? undefined : textAt(object, "metadata", "resourceVersion");
  return resourceVersion === undefined ? {} : { resourceVersion };
}

function toDefinition({ name, type, format, description, priority }: Column): JsonObject {
  return { name, type, format, description, priority };
}

function includedObject(object: JsonObject, include: IncludeObject, version: MetaVersion): Json {
  if (include === "None") return null;
  return include === "Object" ? object : toPartialMetadata(object, version);
}
