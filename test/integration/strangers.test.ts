// SPDX-License-Identifier: Apache-2.0
// What a sender without a credential may take of a hub: bytes, attempts, connections and time.
import { readFileSync } from "node:fs";
import { connect } from "node:http2";
import { gzipSync } from "node:zlib";
import { create, fromBinary, type MessageInitShape, toBinary } from "@bufbuild/protobuf";
import { createClient } from "@connectrpc/connect";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { ManualClock, settle } from "../../src/base/testing/manual-clock.ts";
import { systemClock } from "../../src/base/time/system-clock.ts";
import { ClusterService, JoinTokenService } from "../../src/gen/flotilla/fleet/v1/fleet_pb.ts";
import {
  ConnectRequestSchema,
  type ConnectResponse,
  ConnectResponseSchema,
  SessionService,
} from "../../src/gen/flotilla/session/v1/session_pb.ts";
import { createAgentKey } from "../../src/rpc/auth/ed25519.ts";
import { createSessionService } from "../../src/rpc/session/session-service.ts";
import { createSessionTransport } from "../../src/rpc/session/session-transport.ts";
import { callMethod } from "../../src/rpc/testing/call.ts";
import { echoEntry } from "../../src/rpc/testing/echo-handlers.ts";
import { echoMethod } from "../../src/rpc/testing/echo-service.ts";
import { connectPlain, connectSecure } from "../../src/rpc/testing/raw-peer.ts";
import { openTestHub, type TestHub } from "../../src/rpc/testing/test-hub.ts";
import { proofBytes } from "../../src/session/proof.ts";
import type { StreamEnd } from "../../src/session/transport.ts";
import { openGrpc } from "../support/plain-grpc.ts";
import { type RunningHub, startHub } from "../support/running-hub.ts";
import { openTempFolder } from "../support/temp-folder.ts";

type Up = NonNullable<MessageInitShape<typeof ConnectRequestSchema>["message"]>;

function encodeUp(message: Up): Uint8Array {
  return toBinary(ConnectRequestSchema, create(ConnectRequestSchema, { message }));
}

async function hear<C extends NonNullable<ConnectResponse["message"]["case"]>>(
  end: StreamEnd,
  wanted: C,
): Promise<Extract<ConnectResponse["message"], { case: C }>["value"]> {
  for await (const bytes of end.receive) {
    const { message } = fromBinary(ConnectResponseSchema, bytes);
    if (message.case === wanted) return message.value as never;
  }
  throw new Error(`the stream ended without ${wanted}`);
}

describe("a running hub", () => {
  const folder = openTempFolder();
  let hub: RunningHub;
  let ca: string;

  beforeAll(async () => {
    hub = await startHub(folder.path, ["--authentication-timeout", "1s", "--max-unauthenticated-connections", "4"]);
    ca = readFileSync(hub.record.caFile, "utf8");
  });

  afterAll(async () => {
    await hub.stop();
    folder[Symbol.dispose]();
  });

  /** Joins a cluster and brings its session to Welcome. */
  async function openSession(clusterId: string): Promise<StreamEnd> {
    const admin = hub.connect();
    const { secret } = await createClient(JoinTokenService, admin).createJoinToken({ namePattern: clusterId, uses: 1 });
    const key = createAgentKey();
    const wish = { joinToken: secret, clusterId, publicKey: key.publicKey, clusterUid: "uid" };
    const { hubName } = await createClient(SessionService, admin).join(wish);
    const wire = { url: hub.record.hubUrl, ca, connectTimeoutMs: 10_000, maxMessageBytes: 4_000_000 };
    const end = await createSessionTransport({ ...wire, clock: systemClock }).dial(new AbortController().signal);
    const identity = { clusterId, shard: "", agentId: "stock", incarnation: "one" };
    await end.send(encodeUp({ case: "hello", value: { protocol: 1, ...identity, clusterUid: "uid" } }));
    const { nonce } = await hear(end, "challenge");
    const signature = await key.sign(proofBytes(identity, hubName, nonce));
    await end.send(encodeUp({ case: "proof", value: { signature } }));
    await hear(end, "welcome");
    return end;
  }

  test("[RP55] a connection is closed when nothing on it was authenticated in time, and that of an agent with its key stays", async () => {
    const agent = await openSession("early");
    const stranger = await connectSecure(hub.record.hubUrl, "h2", ca);
    await stranger.closed; // opened after the agent's
    await agent.send(encodeUp({ case: "heartbeat", value: { number: 1n } }));
    expect((await hear(agent, "heartbeatAnswer")).number).toBe(1n);
    const headers = { authorization: `Bearer ${hub.adminToken}` };
    const metrics = await (await fetch(`${hub.record.httpUrl}/metrics`, { headers })).text();
    expect(metrics).toContain('flotilla_rpc_connections_cut_total{reason="unauthenticated"} 1\n');
    agent.close();
  });

  test("[RP54] a connection more than an address may have without authentication is closed, and the hub answers all others", async () => {
    const admin = createClient(ClusterService, hub.connect());
    await admin.listClusters({});
    const strangers = await Promise.all(Array.from({ length: 5 }, () => connectPlain(hub.record.hubUrl)));
    await Promise.race(strangers.map(({ closed }) => closed));
    await expect(admin.listClusters({})).resolves.toBeDefined();
    for (const { socket } of strangers) socket.destroy();
  });

  const post = (body: string | Uint8Array<ArrayBuffer>, headers: Readonly<Record<string, string>> = {}) =>
    fetch(`${hub.record.httpUrl}/flotilla.session.v1.SessionService/Join`, {
      method: "POST",
      headers: { "content-type": "application/json", ...headers },
      body,
    });

  /** Four megabytes of labels: what took the hub seconds to decode. */
  const manyLabels = (): string => {
    const labels = Object.fromEntries(Array.from({ length: 200_000 }, (_, at) => [`key-${at}`, "v"]));
    return JSON.stringify({ joinToken: "x", clusterId: "a", metadata: { labels } });
  };

  test("[RP51] a Join of 4 MB, and one of some kilobytes that unpack to that, is refused by its size and not decoded", async () => {
    const text = manyLabels();
    const plain = await post(text);
    expect([plain.status, await plain.json()]).toMatchObject([
      429,
      { code: "resource_exhausted", message: "the request is over the limit of 65536 bytes" },
    ]);
    const packed = await post(new Uint8Array(gzipSync(text.slice(0, 10) + " ".repeat(4_000_000))), {
      "content-encoding": "gzip",
    });
    expect([packed.status, await packed.json()]).toMatchObject([429, { code: "resource_exhausted" }]);
  });

  test("[Q-44] the token of a user, also of an administrator, opens no session: rows sent with it are not taken", async () => {
    (await openSession("owned")).close();
    using grpc = await openGrpc(hub.record.hubUrl, ca);
    const headers = { authorization: `Bearer ${hub.adminToken}` };
    const call = grpc.call("/flotilla.session.v1.SessionService/Connect", headers);
    const identity = { clusterId: "owned", agentId: "other", incarnation: "one", clusterUid: "uid" };
    call.send(encodeUp({ case: "hello", value: { protocol: 1, ...identity } }));
    call.send(encodeUp({ case: "flush", value: { parts: [] } }));
    const heard: (string | undefined)[] = [];
    const listening = (async () => {
      for (;;) heard.push(fromBinary(ConnectResponseSchema, await call.next()).message.case);
    })();
    await expect(listening).rejects.toThrow("the call ended");
    expect(heard.filter((each) => each !== "challenge" && each !== "rejected")).toEqual([]);
  });

  test("[RP51] a stream that has proven nothing may send 64 KiB, and nothing that is compressed", async () => {
    using grpc = await openGrpc(hub.record.hubUrl, ca);
    const large = create(ConnectRequestSchema, {
      message: { case: "chunk", value: { bytes: new Uint8Array(70_000) } },
    });
    const call = grpc.call("/flotilla.session.v1.SessionService/Connect");
    call.send(toBinary(ConnectRequestSchema, large));
    expect(await call.status()).toBe("8"); // RESOURCE_EXHAUSTED
    const packed = grpc.call("/flotilla.session.v1.SessionService/Connect", { "grpc-encoding": "gzip" });
    packed.end();
    expect(await packed.status()).toBe("12"); // UNIMPLEMENTED
  });

  test("[RP53] a Join with a label that Kubernetes would not take is refused, and the label named", async () => {
    const answer = await post(JSON.stringify({ joinToken: "x", clusterId: "a", metadata: { labels: { "a b": "c" } } }));
    expect([answer.status, await answer.json()]).toMatchObject([
      400,
      { code: "invalid_argument", message: '"a b" is not a label key' },
    ]);
  });

  test("[SE61] a rotation token that was made before its cluster was removed registers no other cluster", async () => {
    const admin = hub.connect();
    const clusters = createClient(ClusterService, admin);
    (await openSession("gone")).close();
    const { joinToken } = await clusters.rotateKey({ id: "gone" });
    await clusters.removeCluster({ id: "gone" });
    const thief = { joinToken, clusterId: "gone", publicKey: createAgentKey().publicKey, clusterUid: "another-uid" };
    await expect(createClient(SessionService, admin).join(thief)).rejects.toMatchObject({ code: "UNAUTHENTICATED" });
    await expect(clusters.getCluster({ id: "gone" })).rejects.toMatchObject({ code: "NOT_FOUND" });
  });

  test("[RP52] after 20 joins that failed every join of that address is refused for a minute, also with a right token", async () => {
    const admin = hub.connect();
    const { secret } = await createClient(JoinTokenService, admin).createJoinToken({ namePattern: "right", uses: 1 });
    const sessions = createClient(SessionService, admin);
    const wish = { clusterId: "right", publicKey: createAgentKey().publicKey, clusterUid: "uid" };
    const codes: unknown[] = [];
    for (let at = 0; at < 20; at += 1)
      codes.push(await sessions.join({ ...wish, joinToken: "wrong" }).catch(({ code }: { code: string }) => code));
    expect(new Set(codes)).toEqual(new Set(["UNAUTHENTICATED", "OVERLOADED"])); // a test above has failed once already
    await expect(sessions.join({ ...wish, joinToken: secret })).rejects.toMatchObject({
      code: "OVERLOADED",
      message: expect.stringMatching(/^too many joins from this address have failed; try again in \d+ seconds?$/),
    });
    const { clusters } = await createClient(ClusterService, admin).listClusters({});
    expect(clusters.map(({ id }) => id)).not.toContain("right");
  });
});

describe("connections without authentication", () => {
  const echo = echoEntry({ anybody: (text) => text });
  const one = { unauthenticated: { maxCountPerAddress: 1, timeoutMs: 30_000 } };
  const cutCount = (hub: TestHub, reason: string): number | undefined =>
    hub.metrics.value(`flotilla_rpc_connections_cut_total{reason="${reason}"}`);

  test("[RP54] of one address have a share of each listener: one more is closed at once, and those with a token are no part of it", async () => {
    await using hub = await openTestHub({ services: [echo], limits: one });
    // Each proves its token on a connection of its own, one after the other: none takes the place of the next.
    for (const transport of [hub.transport("root"), hub.transport("root"), hub.transport("nobody")])
      await callMethod(transport, echoMethod("Anybody"), { text: "a" });
    const stranger = await connectSecure(hub.url, "h2", hub.ca);
    const second = await connectPlain(hub.url);
    await second.closed;
    expect(cutCount(hub, "share")).toBe(1);
    const other = await connectPlain(hub.plainUrl); // another listener, another share
    other.socket.write("GET /nothing HTTP/1.1\r\nhost: localhost\r\n\r\n");
    await other.until("404");
    other.socket.destroy();
    stranger.socket.destroy();
    await stranger.closed;
    // Its place is free again once the hub has noticed.
    while ((hub.metrics.value('flotilla_rpc_connections{listener="tls"}') ?? 0) > 3) await settle();
    await callMethod(hub.transport("root"), echoMethod("Anybody"), { text: "a" });
  });

  test("[RP54] of agents do not count once their key is proven: any number of them comes through one address", async () => {
    const clock = new ManualClock();
    let proven = Promise.withResolvers<void>();
    const service = createSessionService({
      accept: (end, _from, noteProven) => {
        noteProven?.();
        void end.closed.then(() => end.close());
        proven.resolve();
      },
      acceptTunnel: (end) => end.close(),
      join: () => expect.unreachable(),
    });
    await using hub = await openTestHub({ services: [service], limits: one, clock });
    const wire = { url: hub.url, ca: hub.ca, connectTimeoutMs: 10_000, maxMessageBytes: 4_000_000 };
    const never = new AbortController().signal;
    const ends = [];
    for (let at = 0; at < 5; at += 1) {
      proven = Promise.withResolvers();
      const end = await createSessionTransport({ ...wire, clock }).dial(never);
      await Promise.all([end.send(toBinary(ConnectRequestSchema, create(ConnectRequestSchema))), proven.promise]);
      ends.push(end);
    }
    expect(cutCount(hub, "share")).toBe(0);
    for (const end of ends) end.close();
  });

  test("[RP55] are closed when their time is over: at once when idle, with GOAWAY on HTTP/2; those with a token stay", async () => {
    const clock = new ManualClock();
    await using hub = await openTestHub({ services: [echo], clock });
    const known = connect(hub.url, { ca: hub.ca });
    const request = known.request({
      ":method": "POST",
      ":path": "/flotilla.test.v1.EchoService/Anybody",
      "content-type": "application/json",
      authorization: "Bearer root",
    });
    request.end('"a"');
    const status = await new Promise((resolve) => request.once("response", (headers) => resolve(headers[":status"])));
    expect(status).toBe(200);
    request.resume();
    const stranger = connect(hub.url, { ca: hub.ca });
    const goaway = new Promise((resolve) => stranger.once("goaway", resolve));
    await new Promise((resolve) => stranger.once("remoteSettings", resolve));
    const plain = await connectPlain(hub.plainUrl);
    plain.socket.write("GET /nothing HTTP/1.1\r\nhost: localhost\r\n\r\n");
    await plain.until("404");
    await clock.advance(29_000);
    expect([stranger.closed, plain.socket.destroyed]).toEqual([false, false]);
    await clock.advance(1_000);
    await Promise.all([goaway, plain.closed]);
    expect(cutCount(hub, "unauthenticated")).toBe(2);
    expect(known.closed).toBe(false);
    stranger.destroy();
    known.destroy();
  });
});
