// SPDX-License-Identifier: Apache-2.0
// The judge of tunnels in the fleet's world: knows who asked for what, what the hub told whom, and what API servers
// gave to whom (docs/spec/tunnel.md).
import { onAbort } from "../../../src/base/abort.ts";
import { FlotillaError, hasCode } from "../../../src/base/error.ts";
import type { ErrorCode } from "../../../src/base/error-codes.ts";
import { tunnelDeadlineMs } from "../../../src/hub/tunnels/tunnel-broker.ts";
import type { KubeRequest } from "../../../src/kube/kube-source.ts";
import { resourceIdText } from "../../../src/model/gvr.ts";
import { authenticatedGroup } from "../../../src/model/subject.ts";
import type { StreamEnd } from "../../../src/session/transport.ts";
import { maxTunnelsOfCluster, type ObjectRead } from "../../../src/session/tunnel/tunnel.ts";
import { parseRequest } from "../../support/sim/sim-api-server-request.ts";
import type { World } from "../../support/sim/world.ts";
import type { Passage } from "./tap.ts";

/** What somebody asks. Each user asks once, so that the name says which question it is. */
export interface Question extends ObjectRead {
  readonly cluster: string;
}

interface Asked {
  readonly question: Question;
  readonly askedAtMs: number;
  /** What the cluster's API server gave to this user, whole. */
  readonly given: string[];
  /** The tunnel in which it was told. */
  offer?: Offer;
}

/** An OpenTunnel that the hub sent. */
export interface Offer {
  readonly tunnelId: string;
  readonly ticket: Uint8Array;
  readonly cluster: string;
  /** The host whose session it was. */
  readonly from: string;
  readonly atMs: number;
  /** When the hub's end of that session was over. */
  sessionOverAtMs: number;
  isTold: boolean;
}

/** One request as somebody, as its API server sees it. */
export interface Reading {
  /** The body was given whole. */
  given(body: string): void;
  /** It is over, whatever came of it. */
  ended(): void;
}

/** Nobody who asks for an object can mean these: they say that hub or agent is wrong. */
const wrongCodes: readonly ErrorCode[] = ["INTERNAL", "MALFORMED", "UNIMPLEMENTED", "INVALID_ARGUMENT", "TOO_LARGE"];

/** Collects everything that is not as promised, one sentence each. */
export class TunnelJudge {
  readonly violations: string[] = [];
  /** By tunnel id. */
  readonly offers = new Map<string, Offer>();
  readonly #world: World;
  readonly #asked = new Map<string, Asked>();
  /** Questions that have not ended, by cluster. */
  readonly #openCounts = new Map<string, number>();
  #readCount = 0;

  constructor(world: World) {
    this.#world = world;
  }

  /** Requests for users that API servers have not answered, and agents not let go of. */
  get openReadCount(): number {
    return this.#readCount;
  }

  /** Somebody asks: `ask` is what the hub makes of it, and rejects once `leaving` aborts. True where an object came. */
  async follow(question: Question, ask: () => Promise<string>, leaving: AbortSignal): Promise<boolean> {
    const asked: Asked = { question, askedAtMs: this.#nowMs, given: [] };
    this.#asked.set(question.user, asked);
    const openCount = (this.#openCounts.get(question.cluster) ?? 0) + 1;
    this.#openCounts.set(question.cluster, openCount);
    // Beyond the bound whoever asks is told at once (TU5).
    let endsByMs = asked.askedAtMs + (openCount > maxTunnelsOfCluster ? 0 : tunnelDeadlineMs);
    const unlisten = onAbort(leaving, () => {
      endsByMs = this.#nowMs;
    });
    try {
      this.#checkObject(asked, await ask());
      return true;
    } catch (reason) {
      if (leaving.aborted) this.#trace(asked, "leaves");
      else this.#checkError(asked, reason);
      return false;
    } finally {
      unlisten();
      this.#openCounts.set(question.cluster, (this.#openCounts.get(question.cluster) ?? 0) - 1);
      if (this.#nowMs > endsByMs) this.#blame(asked, `ends ${this.#nowMs - endsByMs} ms late`);
    }
  }

  /** A stream of a session begins; what this returns is told of each message on it. */
  followSession(stream: StreamEnd, from: string): (passage: Passage) => void {
    const offered: Offer[] = [];
    const end = (): void => {
      for (const offer of offered) offer.sessionOverAtMs = Math.min(offer.sessionOverAtMs, this.#nowMs);
    };
    // A stream that the agent closed in order is over for the hub when it has read the last message, which may wait in
    // a slow reader.
    void stream.closed.then(({ kind }) => (kind === "failed" ? end() : undefined));
    return ({ up, down, stream: { cluster } }) => {
      if (up?.case === "goodbye" || down?.case === "rejected") end();
      if (down?.case !== "openTunnel") return;
      const { tunnelId, ticket } = down.value;
      const atMs = this.#nowMs;
      const offer = { tunnelId, ticket, cluster, from, atMs, sessionOverAtMs: Number.POSITIVE_INFINITY, isTold: false };
      offered.push(offer);
      this.offers.set(tunnelId, offer);
    };
  }

  /** The hub tells a question to a stream whose first message showed that (TU2). */
  told(read: ObjectRead, shown: { readonly tunnelId: string; readonly ticket: Uint8Array }, from: string): void {
    const asked = this.#asked.get(read.user);
    if (asked === undefined) {
      this.violations.push(`${from} is told a question of ${read.user}, who asks none`);
      return;
    }
    const { question } = asked;
    const offer = this.offers.get(shown.tunnelId);
    if (offer !== undefined) asked.offer = offer;
    const shownOf = [...this.offers.values()].find(({ ticket }) => isSame(ticket, shown.ticket));
    if (offer === undefined || shownOf === undefined) this.#blame(asked, `is told to ${from}, which has no ticket`);
    else if (shownOf !== offer) this.#blame(asked, `is told to ${from} for the ticket of another tunnel`);
    else if (offer.from !== from) this.#blame(asked, `is told to ${from} for the ticket of ${offer.from}`);
    else if (offer.cluster !== question.cluster) this.#blame(asked, `is told to the agent of ${offer.cluster}`);
    else if (offer.isTold) this.#blame(asked, `is told to ${from} for a ticket that was used`);
    else if (offer.sessionOverAtMs < this.#nowMs) this.#blame(asked, `is told to ${from}, whose session is over`);
    if (offer !== undefined) offer.isTold = true;
    this.#trace(asked, `is told to ${from}`);
  }

  /** A cluster's API server is asked as somebody (TU6, TU8). */
  read(cluster: string, request: KubeRequest): Reading {
    this.#readCount += 1;
    const user = request.actAs?.user ?? "";
    const asked = this.#asked.get(user);
    if (asked === undefined) this.violations.push(`${cluster} is read as ${user}, who asks nothing`);
    else this.#checkRead(asked, cluster, request);
    return {
      given: (body) => asked?.given.push(body),
      ended: () => {
        this.#readCount -= 1;
      },
    };
  }

  #checkRead(asked: Asked, cluster: string, request: KubeRequest): void {
    const { question } = asked;
    const { verb, gvr, namespace, name } = parseRequest(request);
    const resource = gvr === undefined ? "" : resourceIdText(gvr);
    // Whether the agent may act for the user at all is tried by what nobody is refused.
    const isTrial = request.method === "GET" && request.path === "/livez";
    const isAsked =
      request.method === "GET" &&
      verb === "get" &&
      cluster === question.cluster &&
      resource === question.resource &&
      namespace === question.namespace &&
      name === question.name;
    if (!isAsked && !isTrial) this.#blame(asked, `is read as ${request.method} ${request.path} of ${cluster}`);
    const { groups = [], uid, extra } = request.actAs ?? {};
    const expected = question.groups.filter((group) => group !== authenticatedGroup);
    if (groups.join() !== expected.join() || uid !== undefined || (extra?.size ?? 0) > 0)
      this.#blame(asked, `is read as a member of ${groups.join()}`);
  }

  #checkObject(asked: Asked, object: string): void {
    this.#trace(asked, "is answered");
    if (!asked.given.includes(object)) this.#blame(asked, "is answered with what its API server did not give for it");
    if ((asked.offer?.sessionOverAtMs ?? 0) < this.#nowMs) this.#blame(asked, "is answered after its session was over");
  }

  #checkError(asked: Asked, reason: unknown): void {
    const code = reason instanceof FlotillaError ? reason.code : String(reason);
    const isTold = reason instanceof FlotillaError && reason.message.includes("could not answer");
    this.#trace(asked, isTold ? `is refused ${code}, its agent says` : `is refused ${code}`);
    if (!(reason instanceof FlotillaError) || wrongCodes.some((wrong) => hasCode(reason, wrong)))
      this.#blame(asked, `ends with ${code}: ${reason instanceof Error ? reason.message : ""}`);
  }

  get #nowMs(): number {
    return this.#world.clock.nowMs();
  }

  #trace({ question: { user, cluster } }: Asked, what: string): void {
    this.#world.trace.add(`question of ${user} about ${cluster} ${what}`);
  }

  #blame({ question: { user, cluster, resource, namespace, name } }: Asked, what: string): void {
    const sentence = `the question of ${user} about ${cluster} ${resource} ${namespace}/${name} ${what}`;
    this.#world.trace.add(`VIOLATION ${sentence}`);
    this.violations.push(`at ${this.#nowMs} ms ${sentence}`);
  }
}

function isSame(a: Uint8Array, b: Uint8Array): boolean {
  return a.length === b.length && a.every((byte, at) => byte === b[at]);
}
