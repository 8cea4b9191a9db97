// SPDX-License-Identifier: Apache-2.0
// Answers about past moments as messages.
import { create, type MessageInitShape } from "@bufbuild/protobuf";
import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import {
  type FieldChangeSchema,
  type ListObjectsRequest,
  type LoadPastResponse,
  LoadPastResponseSchema,
  type ObjectChange,
  ObjectChangeSchema,
} from "../../gen/flotilla/query/v1/query_pb.ts";
import type { ColumnValue, Row } from "../../model/rows/row.ts";
import { toRowMessage } from "../fleet-services/row-service.ts";
import type { FieldChange } from "../past/field-changes.ts";
import type { PastChange } from "../past/past-changes-page.ts";
import type { CoveredClusters, DeletedQuery, PastRowsProgress } from "../rows/fleet-queries.ts";

/** The deleted objects that a request asks for; undefined for none. */
export function toDeletedQuery({
  includeDeleted,
  onlyDeleted,
  deletedSince,
}: ListObjectsRequest): DeletedQuery | undefined {
  return includeDeleted || onlyDeleted ? { since: deletedSince, isOnly: onlyDeleted } : undefined;
}

/** The field `at` of an answer about a past moment. */
export function toMomentField({ moment }: CoveredClusters): { readonly at?: ReturnType<typeof timestampFromMs> } {
  return moment === undefined ? {} : { at: timestampFromMs(moment.atMs) };
}

export function toObjectChange({ cluster, resource, kind, change, before, after, fields }: PastChange): ObjectChange {
  const rowOf = (row: Row): ReturnType<typeof toRowMessage> => toRowMessage(resource, kind, row, undefined);
  return create(ObjectChangeSchema, {
    cluster,
    state: change,
    ...(before === undefined ? {} : { before: rowOf(before) }),
    ...(after === undefined ? {} : { after: rowOf(after) }),
    fields: fields.map(toFieldChange),
  });
}

export function toLoadPastResponse({ readCount, clusterCount, moments }: PastRowsProgress): LoadPastResponse {
  const [fromMs, toMs] = moments;
  return create(LoadPastResponseSchema, {
    readCount,
    clusterCount,
    ...(fromMs === undefined ? {} : { from: timestampFromMs(fromMs) }),
    ...(toMs === undefined ? {} : { to: timestampFromMs(toMs) }),
  });
}

function toFieldChange({ field, from, to }: FieldChange): MessageInitShape<typeof FieldChangeSchema> {
  return {
    field,
    ...(from === undefined ? {} : { before: toText(from) }),
    ...(to === undefined ? {} : { after: toText(to) }),
  };
}

function toText(value: ColumnValue): string {
  return typeof value === "object" ? value.join(", ") : String(value);
}
