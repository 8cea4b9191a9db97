// SPDX-License-Identifier: Apache-2.0
// Answers of queries as messages.
import { create, type MessageInitShape } from "@bufbuild/protobuf";
import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import {
  type Facet,
  FacetSchema,
  type FoundObject,
  FoundObjectSchema,
  type ListObjectsRequest,
  type ObjectGroup,
  ObjectGroupSchema,
} from "../../gen/flotilla/query/v1/query_pb.ts";
import { toRowMessage } from "../fleet-services/row-service.ts";
import {
  type FleetFacet,
  type FleetQuery,
  type FoundFleetRow,
  maxQueryRows,
  type QueriedGroup,
} from "../rows/fleet-queries.ts";
import { toDeletedQuery } from "./past-answer-messages.ts";

/** The rows of a page if the request has no limit. */
const defaultLimit = 50;

/** The limit of a request: the default for 0, at most `maxQueryRows`. */
export function limitOf(limit: number): number {
  return Math.min(limit === 0 ? defaultLimit : limit, maxQueryRows);
}

/** A request for objects as a query. */
export function toFleetQuery(request: ListObjectsRequest): FleetQuery {
  return {
    text: request.query,
    limit: limitOf(request.limit),
    cursor: request.cursor,
    sort: request.sort,
    facets: request.facets,
    groupBy: request.groupBy,
    measure: request.measure,
    explain: false,
    deleted: toDeletedQuery(request),
  };
}

export function toFoundObject(found: FoundFleetRow): FoundObject {
  const { cluster, resource, kind, row, troubledSinceMs, removedAtMs } = found;
  return create(FoundObjectSchema, {
    cluster,
    row: toRowMessage(resource, kind, row, troubledSinceMs),
    ...(removedAtMs === undefined ? {} : { removedAt: timestampFromMs(removedAtMs) }),
  });
}

export function toFacet({ field, values, otherCount, noneCount }: FleetFacet): Facet {
  return create(FacetSchema, {
    field,
    values: values.map(({ value, count }) => ({ value, count: BigInt(count) })),
    otherCount: BigInt(otherCount),
    noneCount: BigInt(noneCount),
  });
}

export function toGroup({ values, count, least, greatest }: QueriedGroup): ObjectGroup {
  const init: MessageInitShape<typeof ObjectGroupSchema> = {
    values: values.map((value) => value ?? ""),
    count: BigInt(count),
    ...(least === undefined ? {} : { least }),
    ...(greatest === undefined ? {} : { greatest }),
  };
  return create(ObjectGroupSchema, init);
}
