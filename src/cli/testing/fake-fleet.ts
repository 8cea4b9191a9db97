// SPDX-License-Identifier: Apache-2.0
import { create, type MessageInitShape } from "@bufbuild/protobuf";
import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import { createRouterTransport, type ServiceImpl } from "@connectrpc/connect";
import { createSeededRandom } from "../../base/random.ts";
import { SystemService } from "../../gen/flotilla/admin/v1/admin_pb.ts";
import { ClusterStateService } from "../../gen/flotilla/fleet/v1/cluster_state_pb.ts";
import {
  type Cluster,
  ClusterSchema,
  ClusterService,
  ConnectionSchema,
  JoinTokenService,
  RowService,
  SessionSchema,
} from "../../gen/flotilla/fleet/v1/fleet_pb.ts";
import { createErrorTransport } from "../../rpc/client/error-transport.ts";
import type { OutputFormat } from "../output/output.ts";
import type { FakeCall } from "./fake-hub.ts";
import { instantClock, recordIo, testNowMs } from "./recorded-io.ts";

/** A live cluster that connected five minutes before the tests' time. */
export function fakeCluster(fields: MessageInitShape<typeof ClusterSchema> = {}): Cluster {
  return create(ClusterSchema, {
    id: "east",
    region: "eu-1",
    environment: "production",
    kubernetesVersion: "v1.36.3",
    source: "agent",
    rowCount: 1_200n,
    connection: create(ConnectionSchema, { state: "live", sinceMsAgo: 300_000n, seenMsAgo: 400n }),
    session: create(SessionSchema, {
      isActive: true,
      agentId: "agt_1",
      agentVersion: "0.1.0",
      address: "10.0.0.7:40000",
      connectedAt: timestampFromMs(testNowMs - 300_000),
      lastMessageMsAgo: 400n,
    }),
    ...fields,
  });
}

/** The services of a fake fleet. */
export interface FakeFleet {
  readonly clusters?: Partial<ServiceImpl<typeof ClusterService>>;
  readonly joins?: Partial<ServiceImpl<typeof JoinTokenService>>;
  readonly rows?: Partial<ServiceImpl<typeof RowService>>;
  readonly states?: Partial<ServiceImpl<typeof ClusterStateService>>;
}

/** A call to an in-memory hub. */
export function fakeFleetCall(
  { clusters = {}, joins = {}, rows = {}, states = {} }: FakeFleet,
  output: OutputFormat = "text",
): FakeCall {
  const recorded = recordIo();
  const stop = new AbortController();
  const inner = createRouterTransport(({ service }) => {
    service(SystemService, { getVersion: () => ({ version: "0.1.0" }) });
    service(ClusterService, clusters);
    service(JoinTokenService, joins);
    service(RowService, rows);
    service(ClusterStateService, states);
  });
  const transport = createErrorTransport(inner, { url: "https://127.0.0.1", timeoutMs: 30_000 });
  const { signal } = stop;
  const random = createSeededRandom(1);
  return { ...recorded, stop, call: { transport, io: recorded.io, output, signal, clock: instantClock, random } };
}
