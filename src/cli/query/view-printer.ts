// SPDX-License-Identifier: Apache-2.0
import type { WatchObjectsResponse } from "../../gen/flotilla/query/v1/query_pb.ts";
import type { Io } from "../output/io.ts";
import { printOneOfMany } from "../output/output.ts";
import { toFacetObjects } from "./count-tables.ts";
import { toCoverageObject } from "./coverage-line.ts";
import { toFoundJson } from "./found-object-json.ts";
import { ObjectTable } from "./object-table.ts";
import type { QueryFormat } from "./query-format.ts";
import type { ViewEvent } from "./watched-rows.ts";

/** Prints the events of a live view. */
export interface ViewPrinter {
  /** `message` is the message of the hub from which the events come. */
  print(events: readonly ViewEvent[], message: WatchObjectsResponse): Promise<void>;
}

/** `csv` and `name` are refused before. */
export function createViewPrinter(
  io: Io,
  format: QueryFormat,
  { isOneNamespace }: { readonly isOneNamespace: boolean },
): ViewPrinter {
  return format === "table" || format === "wide"
    ? createTablePrinter(io, format === "wide", isOneNamespace)
    : createDocumentPrinter(io, format === "yaml" ? "yaml" : "json");
}

/** A line per event with EVENT first, as `kubectl get -w --output-watch-events`. A moved row has no line. */
function createTablePrinter(io: Io, isWide: boolean, isOneNamespace: boolean): ViewPrinter {
  const table = new ObjectTable(io, {
    isWide,
    hasKindInName: false,
    hasRemoval: false,
    leading: ["EVENT"],
    ...(isOneNamespace ? { hasNamespace: false } : {}),
  });
  return {
    print: (events) => {
      const changes = events.filter(({ type }) => type !== "MOVED");
      table.print(changes.map(({ type, object }) => ({ object, leading: [type] })));
      return Promise.resolve();
    },
  };
}

/**
 * A document per event. After the events of a message, and when one of them has changed, a document of type VIEW has
 * the total, the facets, the coverage and the position.
 */
function createDocumentPrinter(io: Io, format: "json" | "yaml"): ViewPrinter {
  let last = "";
  return {
    print: async (events, { total, facets, coverage, position }) => {
      for (const { type, object, place } of events) {
        const value = { type, ...(place === undefined ? {} : { place }), object: toFoundJson(object) };
        await printOneOfMany(io.stdout, format, { value, text: "" });
      }
      const view = {
        type: "VIEW",
        total: Number(total),
        facets: toFacetObjects(facets),
        coverage: toCoverageObject(coverage),
      };
      const text = JSON.stringify(view);
      if (events.length === 0 && text === last) return;
      last = text;
      await printOneOfMany(io.stdout, format, { value: { ...view, position }, text: "" });
    },
  };
}
