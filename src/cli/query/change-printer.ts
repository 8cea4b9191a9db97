// SPDX-License-Identifier: Apache-2.0
import type { JsonObject } from "@bufbuild/protobuf";
import { FlotillaError } from "../../base/error.ts";
import type { Row } from "../../gen/flotilla/fleet/v1/fleet_pb.ts";
import type { FieldChange, ObjectChange } from "../../gen/flotilla/query/v1/query_pb.ts";
import { toRowObject } from "../cluster/cluster-rows.ts";
import type { Io } from "../output/io.ts";
import { toJsonText } from "../output/output.ts";
import { toTerminalText } from "../output/terminal-text.ts";
import { AlignedLines } from "./aligned-lines.ts";
import { toCsvLine } from "./csv-text.ts";
import { DocumentWriter } from "./document-writer.ts";
import { kindWord } from "./found-object-json.ts";
import type { QueryFormat } from "./query-format.ts";

/** Prints changes of objects page by page, in one format. */
export interface ChangePrinter {
  print(changes: readonly ObjectChange[]): Promise<void>;
  /** Ends the output. `fields` are the parts of the answer beside its changes, for `json` and `yaml`. */
  end(fields: JsonObject): Promise<void>;
}

export function createChangePrinter(io: Io, format: QueryFormat): ChangePrinter {
  const { stdout } = io;
  switch (format) {
    case "table":
    case "wide": {
      const table = new AlignedLines(stdout, tableTitles);
      return linePrinter((changes) => table.print(changes.flatMap(tableRows)));
    }
    case "json":
    case "yaml": {
      const document = new DocumentWriter(stdout, format, "changes");
      return {
        print: (changes) => document.add(changes.map(toChangeJson)),
        end: (fields) => document.end(fields),
      };
    }
    case "ndjson":
      return linePrinter((changes) =>
        stdout.write(changes.map((each) => `${toJsonText(toChangeJson(each))}\n`).join("")),
      );
    case "name":
      return linePrinter((changes) => stdout.write(changes.map(nameLine).join("")));
    case "csv":
      stdout.write(toCsvLine(csvTitles));
      return linePrinter((changes) => stdout.write(changes.flatMap(csvLines).join("")));
  }
}

function linePrinter(print: (changes: readonly ObjectChange[]) => void): ChangePrinter {
  return {
    print: (changes) => {
      if (changes.length > 0) print(changes);
      return Promise.resolve();
    },
    end: () => Promise.resolve(),
  };
}

const tableTitles = ["STATE", "CLUSTER", "NAMESPACE", "KIND", "NAME", "FIELD", "BEFORE", "AFTER"];

const csvTitles = ["state", "cluster", "resource", "kind", "namespace", "name", "field", "before", "after"];

/** One line per field. An object that was created or deleted has one line with its status. */
function tableRows(change: ObjectChange): string[][] {
  const { namespace, kind, name } = rowOf(change);
  return factsOf(change).map(({ field, before, after }) => [
    change.state,
    change.cluster,
    namespace,
    kind,
    name,
    field,
    before ?? "(none)",
    after ?? "(none)",
  ]);
}

function csvLines(change: ObjectChange): string[] {
  const { resource, namespace, kind, name } = rowOf(change);
  return factsOf(change).map(({ field, before = "", after = "" }) =>
    toCsvLine([change.state, change.cluster, resource, kind, namespace, name, field, before, after]),
  );
}

type Fact = Pick<FieldChange, "field" | "before" | "after">;

function factsOf({ before, after, fields }: ObjectChange): readonly Fact[] {
  if (before === undefined) return [{ field: "(created)", ...(after && { after: after.status }) }];
  if (after === undefined) return [{ field: "(deleted)", before: before.status }];
  return fields.length > 0 ? fields : [{ field: "(age)" }];
}

function toChangeJson(change: ObjectChange): JsonObject {
  const { resource, kind, namespace, name } = rowOf(change);
  const { cluster, state, before, after, fields } = change;
  return {
    cluster,
    resource,
    kind,
    namespace,
    name,
    state,
    fields: fields.map((each) => ({ field: each.field, before: each.before ?? null, after: each.after ?? null })),
    before: before === undefined ? null : toRowObject(before),
    after: after === undefined ? null : toRowObject(after),
  };
}

/** As the rows of a query: `CLUSTER/NAMESPACE/KIND/NAME`. */
function nameLine(change: ObjectChange): string {
  const row = rowOf(change);
  return `${toTerminalText([change.cluster, row.namespace || "-", kindWord(row), row.name].join("/"))}\n`;
}

/** The newest row. Throws MALFORMED if the hub sent none. */
function rowOf({ before, after }: ObjectChange): Row {
  const row = after ?? before;
  if (row === undefined) throw new FlotillaError("MALFORMED", "the hub sent a change without a row");
  return row;
}
