// SPDX-License-Identifier: Apache-2.0
import type { JsonObject } from "@bufbuild/protobuf";
import type { FoundObject } from "../../gen/flotilla/query/v1/query_pb.ts";
import type { Io } from "../output/io.ts";
import { toJsonText } from "../output/output.ts";
import { toTerminalText } from "../output/terminal-text.ts";
import { toCsvLine } from "./csv-text.ts";
import { DocumentWriter } from "./document-writer.ts";
import { kindWord, rowOf, toFoundJson, toTimeText } from "./found-object-json.ts";
import { ownerText } from "./object-columns.ts";
import { type GivenLayout, ObjectTable } from "./object-table.ts";
import type { QueryFormat } from "./query-format.ts";

/** Prints the objects of an answer page by page, in one format. Holds at most one page. */
export interface ObjectPrinter {
  print(objects: readonly FoundObject[]): Promise<void>;
  /** Ends the output. `fields` are the parts of the answer beside its objects, for `json` and `yaml`. */
  end(fields: JsonObject): Promise<void>;
}

export function createObjectPrinter(io: Io, format: QueryFormat, layout: Omit<GivenLayout, "isWide">): ObjectPrinter {
  switch (format) {
    case "table":
    case "wide": {
      const table = new ObjectTable(io, { ...layout, isWide: format === "wide" });
      return linePrinter((objects) => table.print(objects.map((object) => ({ object }))));
    }
    case "json":
    case "yaml": {
      const document = new DocumentWriter(io.stdout, format, "objects");
      return {
        print: (objects) => document.add(objects.map(toFoundJson)),
        end: (fields) => document.end(fields),
      };
    }
    case "ndjson":
      return linePrinter(writeEach(io, (object) => `${toJsonText(toFoundJson(object))}\n`));
    case "name":
      return linePrinter(writeEach(io, nameLine));
    case "csv": {
      const { columns } = layout;
      io.stdout.write(toCsvLine(columns?.fields ?? csvTitles));
      const nowMs = io.now();
      return linePrinter(
        writeEach(io, (object) =>
          columns === undefined ? csvLine(object) : toCsvLine(columns.cellsOf(object, nowMs)),
        ),
      );
    }
  }
}

function linePrinter(print: (objects: readonly FoundObject[]) => void): ObjectPrinter {
  return {
    print: (objects) => {
      print(objects);
      return Promise.resolve();
    },
    end: () => Promise.resolve(),
  };
}

function writeEach(io: Io, toLine: (object: FoundObject) => string): (objects: readonly FoundObject[]) => void {
  return (objects) => {
    if (objects.length > 0) io.stdout.write(objects.map(toLine).join(""));
  };
}

/** `CLUSTER/NAMESPACE/KIND/NAME`, with `-` for the namespace of a cluster-scoped object: always four parts. */
function nameLine(object: FoundObject): string {
  const row = rowOf(object);
  return `${toTerminalText([object.cluster, row.namespace || "-", kindWord(row), row.name].join("/"))}\n`;
}

/** The same for all kinds, so that programs may rely on them. */
const csvTitles = [
  "cluster",
  "resource",
  "kind",
  "namespace",
  "name",
  "uid",
  "status",
  "reason",
  "message",
  "createdAt",
  "owner",
  "labels",
  "removedAt",
];

function csvLine(object: FoundObject): string {
  const row = rowOf(object);
  const { resource, kind, namespace, name, uid, status, reason, message } = row;
  const labels = Object.entries(row.labels).map(([key, value]) => `${key}=${value}`);
  return toCsvLine([
    object.cluster,
    resource,
    kind,
    namespace,
    name,
    uid,
    status,
    reason,
    message,
    toTimeText(row.createdAt) ?? "",
    ownerText(row),
    labels.join(","),
    toTimeText(object.removedAt) ?? "",
  ]);
}
