// SPDX-License-Identifier: Apache-2.0
import { create, type MessageInitShape } from "@bufbuild/protobuf";
import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import { createRouterTransport, type ServiceImpl } from "@connectrpc/connect";
import { FlotillaError } from "../../../base/error.ts";
import { createSeededRandom } from "../../../base/random.ts";
import { SystemService } from "../../../gen/flotilla/admin/v1/admin_pb.ts";
import { RowSchema } from "../../../gen/flotilla/fleet/v1/fleet_pb.ts";
import {
  type Coverage,
  CoverageSchema,
  type FoundObject,
  FoundObjectSchema,
  type ListObjectsRequest,
  type ListObjectsResponseSchema,
  QueryService,
} from "../../../gen/flotilla/query/v1/query_pb.ts";
import { createErrorTransport } from "../../../rpc/client/error-transport.ts";
import { toConnectError } from "../../../rpc/rpc-error.ts";
import type { OutputFormat } from "../../output/output.ts";
import type { FakeCall } from "../../testing/fake-hub.ts";
import { instantClock, recordIo, testNowMs } from "../../testing/recorded-io.ts";

export type FakeQueryService = Partial<ServiceImpl<typeof QueryService>>;

/** A call to an in-memory hub that answers queries. */
export function fakeQueryCall(service: FakeQueryService, output: OutputFormat = "text"): FakeCall {
  const recorded = recordIo();
  const stop = new AbortController();
  const transport = createErrorTransport(fakeQueryTransport(service), { url: "https://127.0.0.1", timeoutMs: 30_000 });
  const { signal } = stop;
  const random = createSeededRandom(1);
  return { ...recorded, stop, call: { transport, io: recorded.io, output, signal, clock: instantClock, random } };
}

export function fakeQueryTransport(service: FakeQueryService) {
  return createRouterTransport(({ service: add }) => {
    add(SystemService, { getVersion: () => ({ version: "0.1.0" }) });
    add(QueryService, service);
  });
}

/** The error of a hub that refuses a query at a column, counted from 1. */
export function refusedAt(column: number, fault: string): unknown {
  const error = new FlotillaError("INVALID_ARGUMENT", `query, column ${column}: ${fault}`, { ids: { column } });
  return toConnectError(error, "req_1");
}

/** A Pod of cluster east that was created five minutes before the tests' time. */
export function fakeObject(fields: MessageInitShape<typeof RowSchema> = {}, cluster = "east"): FoundObject {
  const row = create(RowSchema, {
    resource: "pods",
    kind: "Pod",
    namespace: "shop",
    name: "web",
    uid: "u-1",
    resourceVersion: "7",
    status: "unhealthy",
    reason: "CrashLoopBackOff",
    message: "back-off 5m0s",
    createdAt: timestampFromMs(testNowMs - 300_000),
    labels: { app: "web" },
    ...fields,
  });
  return create(FoundObjectSchema, { cluster, row });
}

/** As many Pods as wanted: web-0, web-1 and so on. */
export function fakePods(count: number): FoundObject[] {
  return Array.from({ length: count }, (_value, at) => fakeObject({ name: `web-${at}` }));
}

export const completeCoverage: Coverage = create(CoverageSchema, {
  clusterCount: 2,
  readCount: 2,
  sentence: "2 of 2 clusters",
  isComplete: true,
});

/** Three of 300 clusters are stale; the third has no age. */
export const staleCoverage: Coverage = create(CoverageSchema, {
  clusterCount: 300,
  readCount: 300,
  staleCount: 4,
  sentence: "296 of 300 clusters, 4 stale",
  clusters: [
    { cluster: "a", state: "disconnected", isRead: true, reason: "agentLost", asOfMsAgo: 240_000n },
    { cluster: "b", state: "live", isRead: false, reason: "grants are older than rows" },
    { cluster: "c", state: "neverSeen", isRead: false },
    { cluster: "d", state: "stale", isRead: true, asOfMsAgo: 90_000n },
  ],
  isComplete: false,
});

/** A ListObjects over these objects. The cursor is the number of rows before the page. Requests are recorded. */
export function listOf(
  objects: readonly FoundObject[],
  answer: MessageInitShape<typeof ListObjectsResponseSchema> = {},
) {
  const requests: ListObjectsRequest[] = [];
  const listObjects = (request: ListObjectsRequest) => {
    requests.push(request);
    const from = Number(request.cursor || 0);
    const to = Math.min(objects.length, from + request.limit);
    return {
      objects: objects.slice(from, to),
      total: BigInt(objects.length),
      next: to < objects.length ? String(to) : "",
      coverage: completeCoverage,
      ...answer,
    };
  };
  return { requests, service: { listObjects } satisfies FakeQueryService };
}
