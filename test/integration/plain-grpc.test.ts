// SPDX-License-Identifier: Apache-2.0
// What `proto/` promises to clients that are not ours: the fleet services and the session, as plain gRPC.
import { readFileSync } from "node:fs";
import { create, fromBinary, type MessageInitShape, toBinary } from "@bufbuild/protobuf";
import { type Client, createClient } from "@connectrpc/connect";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { TokenService } from "../../src/gen/flotilla/admin/v1/admin_pb.ts";
import {
  type Cluster,
  ClusterService,
  CreateJoinTokenRequestSchema,
  CreateJoinTokenResponseSchema,
  ListClustersRequestSchema,
  ListClustersResponseSchema,
  WatchClustersRequestSchema,
  WatchClustersResponseSchema,
} from "../../src/gen/flotilla/fleet/v1/fleet_pb.ts";
import { type FleetCluster, FleetUpdateSchema, PageService } from "../../src/gen/flotilla/page/v1/page_pb.ts";
import {
  ConnectRequestSchema,
  type ConnectResponse,
  ConnectResponseSchema,
  JoinRequestSchema,
  JoinResponseSchema,
} from "../../src/gen/flotilla/session/v1/session_pb.ts";
import { encodeRows, makeRow } from "../../src/hub/fleet/testing/test-rows.ts";
import { mergeCluster } from "../../src/hub/page/testing/merge-cluster.ts";
import type { Row } from "../../src/model/rows/row.ts";
import { createAgentKey } from "../../src/rpc/auth/ed25519.ts";
import { zstdCodec } from "../../src/rpc/client/zstd-codec.ts";
import { proofBytes } from "../../src/session/proof.ts";
import { eventually } from "../e2e/fleet/eventually.ts";
import { type GrpcCall, openGrpc } from "../support/plain-grpc.ts";
import { type RunningHub, startHub } from "../support/running-hub.ts";
import { openTempFolder } from "../support/temp-folder.ts";

const fleetPath = "/flotilla.fleet.v1";
const sessionPath = "/flotilla.session.v1.SessionService";
type Message = NonNullable<MessageInitShape<typeof ConnectRequestSchema>["message"]>;

describe("a stock gRPC client", () => {
  const folder = openTempFolder();
  let hub: RunningHub;
  let grpc: Awaited<ReturnType<typeof openGrpc>>;

  beforeAll(async () => {
    // Agents here send no heartbeats.
    const flags = ["--max-streams-per-caller=3", "--max-cluster-rows=200", "--heartbeat-interval=60s"];
    hub = await startHub(folder.path, flags);
    grpc = await openGrpc(hub.record.hubUrl, readFileSync(hub.record.caFile, "utf8"));
  });

  afterAll(async () => {
    grpc[Symbol.dispose]();
    await hub.stop();
    folder[Symbol.dispose]();
  });

  const open = (path: string): GrpcCall => grpc.call(path, { authorization: `Bearer ${hub.adminToken}` });

  /** One message up, one down. */
  async function ask(call: GrpcCall, request: Uint8Array): Promise<Uint8Array> {
    call.send(request);
    call.end();
    const answer = await call.next();
    expect(await call.status()).toBe("0");
    return answer;
  }

  function say(call: GrpcCall, message: Message, seq = 0n): void {
    call.send(toBinary(ConnectRequestSchema, create(ConnectRequestSchema, { seq, message })));
  }

  async function hear<C extends NonNullable<ConnectResponse["message"]["case"]>>(
    call: GrpcCall,
    wanted: C,
  ): Promise<Extract<ConnectResponse["message"], { case: C }>["value"]> {
    for (;;) {
      const { message } = fromBinary(ConnectResponseSchema, await call.next());
      if (message.case === wanted) return message.value as never;
      if (message.case === "rejected") throw new Error(`rejected: ${message.value.detail}`);
    }
  }

  /** Registers a cluster of that name; gives what opens a proven session of it. */
  async function joinCluster(clusterId: string): Promise<() => Promise<GrpcCall>> {
    const wanted = create(CreateJoinTokenRequestSchema, { namePattern: clusterId, uses: 1 });
    const token = fromBinary(
      CreateJoinTokenResponseSchema,
      await ask(open(`${fleetPath}.JoinTokenService/CreateJoinToken`), toBinary(CreateJoinTokenRequestSchema, wanted)),
    );
    const key = createAgentKey();
    const clusterUid = `uid-of-${clusterId}`;
    const wish = create(JoinRequestSchema, {
      joinToken: token.secret,
      clusterId,
      publicKey: key.publicKey,
      clusterUid,
    });
    const { hubName } = fromBinary(
      JoinResponseSchema,
      await ask(grpc.call(`${sessionPath}/Join`), toBinary(JoinRequestSchema, wish)),
    );
    return async () => {
      const session = grpc.call(`${sessionPath}/Connect`);
      const identity = { clusterId, shard: "", agentId: "stock", incarnation: "one" };
      say(session, { case: "hello", value: { protocol: 1, ...identity, clusterUid, resources: ["pods"] } });
      const { nonce } = await hear(session, "challenge");
      say(session, { case: "proof", value: { signature: await key.sign(proofBytes(identity, hubName, nonce)) } });
      expect((await hear(session, "welcome")).heartbeatMs).toBeGreaterThan(0);
      return session;
    };
  }

  test("[N-22] joins, proves itself, sends a hundred changes on one stream, gets each acknowledged, and finds itself in the fleet", async () => {
    const clusterId = "plain";
    const session = await (await joinCluster(clusterId))();
    for (let seq = 1; seq <= 100; seq += 1) {
      const row = makeRow(clusterId, "pods", { name: `pod-${seq}` });
      const batch = await zstdCodec.compress(encodeRows("pods", [row]));
      say(session, { case: "flush", value: { parts: [{ resource: "pods", batch }] } }, BigInt(seq));
      expect((await hear(session, "ack")).seq).toBe(BigInt(seq));
    }
    say(session, { case: "goodbye", value: { reason: "done" } }, 100n);
    session.end();
    expect(await session.status()).toBe("0");

    const request = toBinary(ListClustersRequestSchema, create(ListClustersRequestSchema));
    const answer = await ask(open(`${fleetPath}.ClusterService/ListClusters`), request);
    const { clusters } = fromBinary(ListClustersResponseSchema, answer);
    expect(clusters.map(({ id, kinds }) => [id, kinds.map(({ resource, kind }) => [resource, kind])])).toEqual([
      ["plain", [["pods", "Pod"]]],
    ]);
  });

  test("[PG12][L17] a cluster whose RBAC grants a user nothing shows its kinds without counts, by list, get and watch, also to administrators", async () => {
    const create = async (group: string): Promise<Client<typeof ClusterService>> => {
      const wanted = { user: "vera", groups: [group], description: "", ttlSeconds: 0 };
      const { secret } = await createClient(TokenService, hub.connect()).createToken(wanted);
      return createClient(ClusterService, hub.connect(secret));
    };
    const readAll = async (client: Client<typeof ClusterService>): Promise<(Cluster | undefined)[]> => {
      const { clusters } = await client.listClusters({});
      const { cluster } = await client.getCluster({ id: "plain" });
      const found = [clusters[0], cluster];
      for await (const { cluster: watched } of client.watchClusters({})) {
        found.push(watched);
        break;
      }
      return found;
    };
    for (const group of ["flotilla:viewers", "flotilla:operators", "flotilla:admins"])
      for (const cluster of await readAll(await create(group)))
        expect(cluster).toMatchObject({ id: "plain", kinds: [{ resource: "pods", rowCount: 0n }], rowCount: 0n });
  });

  test("[L14] [SE4] [SE57] [CO24] a hostile agent is told why it is refused, its cluster shows it, and another cluster and an open page go on", async () => {
    const [openCalm, openWild] = [await joinCluster("calm"), await joinCluster("wild")];
    const calm = await openCalm();
    const leaving = new AbortController();
    const shown = new Map<string, FleetCluster>();
    const view = { id: 1, view: { case: "fleet" as const, value: {} } };
    const watching = (async () => {
      const page = createClient(PageService, hub.connect());
      for await (const { update } of page.open({ subscriptions: [view] }, { signal: leaving.signal }))
        for (const cluster of fromBinary(FleetUpdateSchema, update).clusters)
          shown.set(cluster.id, mergeCluster(shown.get(cluster.id), cluster));
    })().catch(() => undefined); // it ends when the test leaves

    const flushOf = async (rows: readonly Row[]): Promise<Message> => {
      const batch = await zstdCodec.compress(encodeRows("pods", rows));
      return { case: "flush", value: { parts: [{ resource: "pods", batch }] } };
    };
    const row = makeRow("wild", "pods", { name: "web" });
    const labels = new Map(Array.from({ length: 2_000 }, (_, at) => [`l${at}`, "x".repeat(60_000)]));
    const many = Array.from({ length: 201 }, (_, at) => makeRow("wild", "pods", { name: `pod-${at}` }));
    const attacks: readonly (readonly [Message, RegExp])[] = [
      [{ case: "heartbeat", value: { number: 1n, oldestWaitingMs: 2n ** 53n - 1n } }, /oldest_waiting_ms is longer/],
      [await flushOf([{ ...row, generation: -1 }]), /"default\/web" has a generation/],
      [await flushOf([{ ...row, name: "../../../etc" }]), /has a name that cannot be a path segment/],
      [await flushOf([{ ...row, createdAt: 2 ** 53 - 1 }]), /has a createdAt/],
      [await flushOf([{ ...row, labels }]), /bytes, the most is 65536/],
      [{ case: "kindStatuses", value: { statuses: [{ resource: "invented.example/things" }] } }, /has not named/],
      [await flushOf(many), /would have 201 rows, the most is 200; .* --max-cluster-rows/],
    ];
    for (const [at, [attack, reason]] of attacks.entries()) {
      const wild = await openWild();
      say(wild, attack, attack.case === "flush" ? 1n : 0n);
      await expect(hear(wild, "ack")).rejects.toThrow(reason);
      say(calm, await flushOf([makeRow("calm", "pods", { name: `pod-${at}` })]), BigInt(at + 1));
      expect((await hear(calm, "ack")).seq).toBe(BigInt(at + 1));
    }
    await eventually(async () => expect(shown.get("wild")?.connection?.sentence).toContain("--max-cluster-rows"));
    expect(shown.get("calm")?.connection?.state).toBe("catchingUp"); // it sent no digests
    const { clusters } = await createClient(ClusterService, hub.connect()).listClusters({});
    expect(clusters.find(({ id }) => id === "wild")?.connection).toMatchObject({
      state: "disconnected",
      reason: "rejected",
    });
    expect(hub.logged.join("")).not.toContain("background task failed");
    leaving.abort();
    await watching;
    say(calm, { case: "goodbye", value: { reason: "done" } }, BigInt(attacks.length));
    calm.end();
    expect(await calm.status()).toBe("0");
  });

  test("[RP47] has so many streams at a time under one token; one more is refused in one sentence, until another ends", async () => {
    const watch = async (): Promise<GrpcCall> => {
      const call = open(`${fleetPath}.ClusterService/WatchClusters`);
      call.send(toBinary(WatchClustersRequestSchema, create(WatchClustersRequestSchema)));
      call.end();
      return call;
    };
    const calls = [await watch(), await watch(), await watch()];
    for (const call of calls) fromBinary(WatchClustersResponseSchema, await call.next());
    const refused = await watch();
    expect(await refused.status()).toBe("8"); // RESOURCE_EXHAUSTED
    calls[0]?.cancel();
    await eventually(async () => void (await (await watch()).next()));
    for (const call of calls) call.cancel();
  });
});
