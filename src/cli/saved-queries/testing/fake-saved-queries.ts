// SPDX-License-Identifier: Apache-2.0
import { create, type MessageInitShape } from "@bufbuild/protobuf";
import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import { createRouterTransport, type ServiceImpl, type Transport } from "@connectrpc/connect";
import { createSeededRandom } from "../../../base/random.ts";
import { QueryService } from "../../../gen/flotilla/query/v1/query_pb.ts";
import {
  type SavedQuery,
  SavedQuerySchema,
  SavedQueryService,
  type StandingQuery,
  StandingQuerySchema,
} from "../../../gen/flotilla/query/v1/saved_query_pb.ts";
import { createErrorTransport } from "../../../rpc/client/error-transport.ts";
import type { OutputFormat } from "../../output/output.ts";
import type { FakeQueryService } from "../../query/testing/fake-query.ts";
import type { FakeCall } from "../../testing/fake-hub.ts";
import { instantClock, recordIo, testNowMs } from "../../testing/recorded-io.ts";

export type FakeSavedQueryService = Partial<ServiceImpl<typeof SavedQueryService>>;

/** A call to an in-memory hub that keeps queries and answers them. */
export function fakeSavedCall(
  service: FakeSavedQueryService,
  output: OutputFormat = "text",
  queries: FakeQueryService = {},
): FakeCall {
  const recorded = recordIo();
  const stop = new AbortController();
  const transport = fakeSavedTransport(service, queries);
  const random = createSeededRandom(1);
  const { signal } = stop;
  return { ...recorded, stop, call: { transport, io: recorded.io, output, signal, clock: instantClock, random } };
}

export function fakeSavedTransport(service: FakeSavedQueryService, queries: FakeQueryService = {}): Transport {
  const inner = createRouterTransport(({ service: add }) => {
    add(SavedQueryService, service);
    add(QueryService, queries);
  });
  return createErrorTransport(inner, { url: "https://127.0.0.1", timeoutMs: 30_000 });
}

type SavedFields = Exclude<MessageInitShape<typeof SavedQuerySchema>, SavedQuery>;
type StandingFields = Exclude<MessageInitShape<typeof StandingQuerySchema>, StandingQuery>;

/** A shared query of ann that was changed five minutes before the tests' time. */
export function fakeSavedQuery(fields: SavedFields = {}): SavedQuery {
  const query: SavedFields = {
    name: "broken",
    owner: "ann",
    content: { query: "status=unhealthy", description: "what is broken" },
    createdAt: timestampFromMs(testNowMs - 900_000),
    updatedAt: timestampFromMs(testNowMs - 300_000),
    revision: 7n,
  };
  return create(SavedQuerySchema, { ...query, ...fields });
}

/** A standing query of ann with one delivery a minute before the tests' time. */
export function fakeStandingQuery(fields: StandingFields = {}): StandingQuery {
  const query: StandingFields = {
    name: "broken",
    owner: "ann",
    query: "status=unhealthy",
    condition: { on: "enter" },
    webhookUrl: "https://hooks.example.com/x",
    intervalSeconds: 60,
    createdAt: timestampFromMs(testNowMs - 900_000),
    revision: 9n,
    status: { phase: "active", total: 3n, deliveredCount: 1n, lastDeliveredAt: timestampFromMs(testNowMs - 60_000) },
  };
  return create(StandingQuerySchema, { ...query, ...fields });
}
