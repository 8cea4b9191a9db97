// SPDX-License-Identifier: Apache-2.0
// Both ends of tunnels as they ship, on real TLS through a proxy that can be cut. Only their session is left out: an
// offer goes from desk to agent at once, and a failure back.
import { readFileSync } from "node:fs";
import { expect } from "vitest";
import { Tunnels } from "../../src/agent/tunnel/tunnels.ts";
import { assert } from "../../src/base/assert.ts";
import { FlotillaError } from "../../src/base/error.ts";
import { systemRandom } from "../../src/base/system-random.ts";
import { ManualClock } from "../../src/base/testing/manual-clock.ts";
import { systemClock } from "../../src/base/time/system-clock.ts";
import type { SessionFacts } from "../../src/hub/sessions/session-events.ts";
import { TunnelBroker } from "../../src/hub/tunnels/tunnel-broker.ts";
import { createSessionService } from "../../src/rpc/session/session-service.ts";
import { createTunnelTransport, type SessionTransportOptions } from "../../src/rpc/session/session-transport.ts";
import { createRecordingLogger, createRecordingMetrics, type RecordingLogger } from "../../src/rpc/testing/recorder.ts";
import { openTestHub, type TestHub } from "../../src/rpc/testing/test-hub.ts";
import { openOwnCertificate } from "../../src/rpc/tls/hub-certificate.ts";
import type { StreamEnd } from "../../src/session/transport.ts";
import type { ObjectRead, TunnelFailure, TunnelOffer } from "../../src/session/tunnel/tunnel.ts";
import { TcpProxy } from "../e2e/fleet/tcp-proxy.ts";
import { openTempFolder } from "./temp-folder.ts";

/** What the agent's API server does with a question: a whole answer, or parts of one as they come. */
export type Reader = (read: ObjectRead, signal: AbortSignal) => Promise<Uint8Array> | AsyncIterable<Uint8Array>;

/** One agent and its hub, on clocks that stand still and connections that are real. */
export interface TunnelBench extends AsyncDisposable {
  readonly clock: ManualClock;
  /** Time on the wire: how long a dial may take, when a connection is asked whether it lives. */
  readonly wireClock: ManualClock;
  readonly proxy: TcpProxy;
  /** How an agent reaches the hub: through the proxy. */
  readonly wire: SessionTransportOptions;
  /** What the hub offered, oldest first. */
  readonly offers: readonly TunnelOffer[];
  /** Where each stream came from that reached the hub as a tunnel, and each session's stream. */
  readonly tunnelsFrom: readonly string[];
  readonly sessions: readonly { readonly end: StreamEnd; readonly from: string }[];
  /** What the ends wrote down. */
  readonly hubLog: RecordingLogger;
  readonly agentLog: RecordingLogger;
  /** Asks for the object of that name. */
  ask(name: string, signal?: AbortSignal): Promise<Buffer>;
  /** Puts another API server in the place of the one that answers each question with the name asked for. */
  setReader(reader: Reader): void;
  /** Has offers reach nobody, or the agent again. */
  setDeaf(isDeaf: boolean): void;
  /** Has the hub take no message off a tunnel but its first until this resolves: the wire is full then. */
  holdBodies(until: Promise<void>): void;
  /** Tells the hub that the session is over. */
  endSession(): void;
  /** Closes the hub and opens another in its place, at the same port and with the same certificate. */
  restartHub(): Promise<void>;
  /**
   * Until no timer of either end waits, but the one of the connection: nothing is under way that anybody would have to
   * end.
   */
  untilQuiet(): Promise<void>;
}

/** What a socket gives of an answer at a time. */
export const partBytes = 64 * 1024;

const session: SessionFacts = {
  cluster: "east",
  shard: "",
  agentId: "agt_1",
  agentVersion: "1.0.0",
  incarnation: "inc_1",
  address: "127.0.0.1:1",
  epoch: 7,
  connectedAtMs: 0,
  heartbeatMs: 10_000,
};

/** Opens both ends. Nothing is dialled before the first question. */
export async function openTunnelBench(): Promise<TunnelBench> {
  const folder = openTempFolder();
  const [clock, wireClock] = [new ManualClock(), new ManualClock()];
  const [hubLog, agentLog] = [createRecordingLogger(), createRecordingLogger()];
  const certificate = await openOwnCertificate({ folder: folder.path, names: [], clock: systemClock, log: hubLog });
  assert(certificate.caFile !== undefined, "a certificate of our own has a CA file");
  const offers: TunnelOffer[] = [];
  const tunnelsFrom: string[] = [];
  const sessions: { readonly end: StreamEnd; readonly from: string }[] = [];
  let isDeaf = false;
  let held = Promise.resolve();
  let reader: Reader = async ({ name }) => Buffer.from(name);

  const openTunnel = (_cluster: string, offer: TunnelOffer): { readonly kind: "asked"; readonly epoch: number } => {
    offers.push(offer);
    if (!isDeaf) agent.open(offer, (error) => reportFailure({ tunnelId: offer.tunnelId, error }));
    return { kind: "asked", epoch: session.epoch };
  };
  const reportFailure = (failure: TunnelFailure): void =>
    desk.handlers.tunnelsFailed({ session, failures: [failure], nowMs: clock.nowMs() });
  const openDesk = (): TunnelBroker =>
    new TunnelBroker({
      sessions: { openTunnel },
      clock,
      random: systemRandom,
      metrics: createRecordingMetrics(),
      whyAway: () => "",
    });
  const openHub = (desk: TunnelBroker, port: number): Promise<TestHub> => {
    const service = createSessionService({
      accept: (end, from, noteProven) => {
        noteProven?.();
        sessions.push({ end, from });
      },
      acceptTunnel: (end, from, noteProven) => {
        tunnelsFrom.push(from);
        desk.accept(
          heldBack(end, () => held),
          from,
          noteProven,
        );
      },
      join: () => {
        throw new FlotillaError("UNAUTHENTICATED", "the join token is unknown");
      },
    });
    return openTestHub({ services: [service], tls: { host: "127.0.0.1", port, portOption: "--port", certificate } });
  };

  let desk = openDesk();
  let hub = await openHub(desk, 0);
  const port = Number(new URL(hub.url).port);
  const proxy = await TcpProxy.open(port);
  const wire = {
    url: `https://127.0.0.1:${proxy.port}`,
    ca: readFileSync(certificate.caFile, "utf8"),
    clock: wireClock,
    connectTimeoutMs: 10_000,
    maxMessageBytes: 4_000_000,
  };
  const transport = createTunnelTransport(wire);
  const agent = new Tunnels({
    transport,
    read: async function* (read, signal) {
      const answer = reader(read, signal);
      if (!(answer instanceof Promise)) {
        yield* answer;
        return;
      }
      const body = await answer;
      for (let at = 0; at < body.length; at += partBytes) yield body.subarray(at, at + partBytes);
    },
    clock,
    log: agentLog,
    metrics: createRecordingMetrics(),
  });

  return {
    clock,
    wireClock,
    proxy,
    wire,
    offers,
    tunnelsFrom,
    sessions,
    hubLog,
    agentLog,
    async ask(name, signal = new AbortController().signal) {
      const read = { user: "ann", groups: ["people"], resource: "pods", namespace: "shop", name };
      return Buffer.from(await desk.readObject({ cluster: session.cluster, read, log: hubLog }, signal));
    },
    setReader(other) {
      reader = other;
    },
    setDeaf(deaf) {
      isDeaf = deaf;
    },
    holdBodies(until) {
      held = until;
    },
    endSession: () =>
      desk.handlers.ended({ session, ending: { kind: "left", reason: "the agent stops" }, nowMs: clock.nowMs() }),
    async restartHub() {
      await hub[Symbol.asyncDispose]();
      desk = openDesk();
      hub = await openHub(desk, port);
    },
    async untilQuiet() {
      await expect.poll(() => [clock.timerCount, wireClock.timerCount > 1]).toEqual([0, false]);
    },
    async [Symbol.asyncDispose]() {
      await agent[Symbol.asyncDispose]();
      transport[Symbol.dispose]();
      await proxy.close();
      await hub[Symbol.asyncDispose]();
      folder[Symbol.dispose]();
    },
  };
}

/** The same end, whose messages after the first are asked for only when `held` has resolved. */
function heldBack(end: StreamEnd, held: () => Promise<void>): StreamEnd {
  const messages = end.receive[Symbol.asyncIterator]();
  let isFirst = true;
  const next = async (): Promise<IteratorResult<Uint8Array>> => {
    if (!isFirst) await held();
    isFirst = false;
    return messages.next();
  };
  return {
    send: (message, signal) => end.send(message, signal),
    close: (error) => end.close(error),
    closed: end.closed,
    receive: { [Symbol.asyncIterator]: () => ({ next }) },
  };
}
