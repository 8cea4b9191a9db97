// SPDX-License-Identifier: Apache-2.0
// The peer of row batches: protobuf with one message per row.
import { create, createFileRegistry, type DescMessage } from "@bufbuild/protobuf";
import {
  FieldDescriptorProto_Label,
  FieldDescriptorProto_Type,
  FileDescriptorProtoSchema,
} from "@bufbuild/protobuf/wkt";
import type { ColumnSpec, Row } from "../../src/model/rows/row.ts";
import { statusRank } from "../../src/model/status.ts";

function field(name: string, number: number, type: FieldDescriptorProto_Type, extra: object = {}) {
  return { name, number, type, label: FieldDescriptorProto_Label.OPTIONAL, ...extra };
}

/**
 * The peer's schema: a row message per kind with a typed field per column; made by hand so that the bench needs no
 * generated file.
 */
export function createPeerSchema(columns: readonly ColumnSpec[]): DescMessage {
  const { STRING, DOUBLE, UINT32, FIXED64, MESSAGE, INT64 } = FieldDescriptorProto_Type;
  const repeated = { label: FieldDescriptorProto_Label.REPEATED };
  const entry = {
    name: "LabelsEntry",
    field: [field("key", 1, STRING), field("value", 2, STRING)],
    options: { mapEntry: true },
  };
  const columnFields = columns.map(({ name, type }, at) =>
    field(name, 20 + at, type === "integer" ? UINT32 : STRING, type === "stringList" ? repeated : {}),
  );
  const file = create(FileDescriptorProtoSchema, {
    name: "peer.proto",
    package: "peer",
    syntax: "proto3",
    messageType: [
      {
        name: "Owner",
        field: [field("group", 1, STRING), field("kind", 2, STRING), field("name", 3, STRING), field("uid", 4, STRING)],
      },
      {
        name: "Row",
        field: [
          field("namespace", 1, STRING),
          field("name", 2, STRING),
          field("uid", 3, STRING),
          field("resource_version", 4, STRING),
          field("generation", 5, UINT32),
          field("created_at", 6, DOUBLE),
          field("status", 7, UINT32),
          field("reason", 8, STRING),
          field("message", 9, STRING),
          field("labels", 10, MESSAGE, { ...repeated, typeName: ".peer.Row.LabelsEntry" }),
          field("annotations", 11, MESSAGE, { ...repeated, typeName: ".peer.Row.AnnotationsEntry" }),
          field("owner", 12, MESSAGE, { typeName: ".peer.Owner" }),
          field("row_hash", 13, FIXED64),
          field("deleted_at", 14, INT64),
          ...columnFields,
        ],
        nestedType: [entry, { ...entry, name: "AnnotationsEntry" }],
      },
      { name: "Rows", field: [field("rows", 1, MESSAGE, { ...repeated, typeName: ".peer.Row" })] },
    ],
  });
  const list = createFileRegistry(file, () => undefined).getMessage("peer.Rows");
  if (list === undefined) throw new Error("the peer's schema has no Rows");
  return list;
}

export function toPeerRow(row: Row): object {
  const { deletedAt: _, columns, labels, annotations, status, ...fields } = row;
  return {
    ...fields,
    status: statusRank(status),
    labels: Object.fromEntries(labels),
    annotations: Object.fromEntries(annotations),
    ...Object.fromEntries(columns),
  };
}
