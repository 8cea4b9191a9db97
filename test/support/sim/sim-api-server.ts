// SPDX-License-Identifier: Apache-2.0
// A small API server for the simulated world: lists, watches and discovery of a cluster whose objects a scenario
// writes. A contract test (test/contract/api-reading.test.ts) holds it against real ones.
import { throwIfAborted } from "../../../src/base/abort.ts";
import { hasCode } from "../../../src/base/error.ts";
import type { Random } from "../../../src/base/random.ts";
import type { Clock } from "../../../src/base/time/clock.ts";
import { withDeadline } from "../../../src/base/time/deadline.ts";
import { faultOfStatus, KubeError } from "../../../src/kube/kube-error.ts";
import type { KubeAnswer, KubeRequest, KubeSource } from "../../../src/kube/kube-source.ts";
import { type Gvr, gvrText } from "../../../src/model/gvr.ts";
import { type Delay, drawDelayMs } from "./delay.ts";
import { aggregatedDocument, legacyDocument } from "./sim-api-server-discovery.ts";
import { type SimFault, SimFaults } from "./sim-api-server-faults.ts";
import { filterOf, parseRequest, type SimRequest } from "./sim-api-server-request.ts";
import {
  type SimChange,
  type SimManifest,
  type SimObject,
  type SimResource,
  SimStore,
} from "./sim-api-server-store.ts";
import { SimWatch } from "./sim-api-server-watch.ts";
import type { World } from "./world.ts";

export interface SimApiServerOptions {
  readonly clock: Clock;
  readonly random: Random;
  /** Of an answer, and of a change to its watchers. Default 1 to 5 ms. */
  readonly latency?: Delay;
  /** Default a minute, as kube-apiserver. */
  readonly bookmarkEveryMs?: number;
  /** Default true. */
  readonly offersWatchList?: boolean;
  /** Default true; false: only the older discovery documents. */
  readonly offersAggregatedDiscovery?: boolean;
  /** Changes of one resource kept for watches to resume; default 10,000. */
  readonly historyLimit?: number;
  /** Told of each request as it arrives. */
  readonly onRequest?: (request: SimRequest) => void;
}

const encoder = new TextEncoder();
/** As kube-apiserver, for a watch that asks for none. */
const defaultTimeoutSeconds = 1_800;

/** One simulated API server. Writes take effect at once; requests and watches take their time. */
export class SimApiServer implements KubeSource {
  readonly faults = new SimFaults();
  /** Whether the credential in use may do that; default: everything. */
  isAllowed: (request: SimRequest) => boolean = () => true;
  offersWatchList: boolean;
  offersAggregatedDiscovery: boolean;
  /** `group/version` of those whose own server does not answer; told as stale. */
  readonly staleGroupVersions = new Set<string>();
  readonly #options: SimApiServerOptions;
  readonly #store: SimStore;
  readonly #watches = new Map<string, Set<SimWatch>>();
  #state: "up" | "down" | "unreachable" = "up";
  #discoveryCount = 1;

  constructor(options: SimApiServerOptions) {
    this.#options = options;
    this.#store = new SimStore(options.historyLimit ?? 10_000);
    this.offersWatchList = options.offersWatchList ?? true;
    this.offersAggregatedDiscovery = options.offersAggregatedDiscovery ?? true;
  }

  get openWatchCount(): number {
    let count = 0;
    for (const watches of this.#watches.values()) count += watches.size;
    return count;
  }

  /** Serves a resource from now on. */
  serve(resource: SimResource): void {
    this.#store.define(resource);
    this.#discoveryCount += 1;
  }

  /** No longer serves it: its objects are deleted, its watches end, requests are answered 404. */
  unserve(gvr: Gvr): void {
    for (const { namespace, name } of this.#store.list(gvr)) this.delete(gvr, namespace, name);
    for (const watch of this.#watchesOf(gvr)) watch.end();
    this.#store.undefine(gvr);
    this.#discoveryCount += 1;
  }

  isServed(gvr: Gvr): boolean {
    return this.#store.find(gvr) !== undefined;
  }

  put(gvr: Gvr, manifest: SimManifest): void {
    this.#tellWatches(gvr, this.#store.put(gvr, manifest));
  }

  /** False where there is no such object. */
  delete(gvr: Gvr, namespace: string, name: string): boolean {
    const change = this.#store.delete(gvr, namespace, name);
    if (change !== undefined) this.#tellWatches(gvr, change);
    return change !== undefined;
  }

  /** The truth: what is there now. */
  list(gvr: Gvr): readonly SimObject[] {
    return this.#store.list(gvr);
  }

  /** Forgets history (410 for whoever resumes from before). */
  compact(): void {
    this.#store.compact();
  }

  /**
   * Breaks the watches that match: `reset` and `end` are noticed, `silence` is not, `expire` is told by an ERROR event
   * of 410.
   */
  breakWatches(
    how: "reset" | "end" | "silence" | "expire",
    matches: (resource: SimResource) => boolean = () => true,
  ): void {
    const broken = Array.from(this.#watches.values(), (watches) => [...watches]).flat();
    for (const watch of broken.filter(({ resource }) => matches(resource))) {
      if (how === "expire") watch.fail({ code: 410, reason: "Expired", message: "too old resource version" });
      else watch[how]();
    }
  }

  /** `down`: connections are refused. `unreachable`: nothing passes, and nobody is told. */
  setState(state: "up" | "down" | "unreachable"): void {
    this.#state = state;
    if (state === "down") this.breakWatches("reset");
    if (state === "unreachable") this.breakWatches("silence");
  }

  async request(request: KubeRequest, signal: AbortSignal): Promise<KubeAnswer> {
    throwIfAborted(signal);
    const { clock } = this.#options;
    const what = `${request.method} ${request.path}`;
    try {
      return await withDeadline((limited) => this.#answer(request, limited, signal), {
        clock,
        limitMs: request.deadlineMs,
        what,
        signal,
      });
    } catch (reason) {
      throwIfAborted(signal);
      if (!(reason instanceof KubeError) && hasCode(reason, "DEADLINE_EXCEEDED")) {
        throw new KubeError("timeout", `${what} was not answered within ${request.deadlineMs} ms`);
      }
      throw reason;
    }
  }

  async #answer(request: KubeRequest, limited: AbortSignal, signal: AbortSignal): Promise<KubeAnswer> {
    const { clock, onRequest } = this.#options;
    await clock.sleep(this.#drawDelayMs(), limited);
    if (this.#state === "down") throw new KubeError("tcp", "the connection was refused");
    if (this.#state === "unreachable") await clock.sleep(Number.MAX_SAFE_INTEGER, limited);
    const asked = parseRequest(request);
    onRequest?.(asked);
    const fault = this.faults.take(asked);
    if (fault?.kind === "reset") throw new KubeError("tcp", "the connection was reset");
    if (fault?.kind === "hang") await clock.sleep(Number.MAX_SAFE_INTEGER, limited);
    if (fault?.kind === "status") throw refuse(asked, fault.status, "a fault of the scenario", fault.retryAfterMs);
    if (asked.verb === "watch") return this.#watch(asked, fault, signal);
    const answer = this.#give(asked, request);
    if (fault?.kind === "slowBody") await clock.sleep(fault.delayMs, limited);
    return fault?.kind === "cutBody" ? cutAnswer(answer) : answer;
  }

  #give(asked: SimRequest, request: KubeRequest): KubeAnswer {
    if (asked.verb === "list") return this.#page(asked);
    if (asked.verb === "get") return this.#object(asked);
    if (asked.path === "/livez") return answerOf(200, "ok");
    if (asked.path === "/version") return answerOf(200, '{"major":"1","minor":"36","gitVersion":"v1.36.3"}');
    return this.#discovery(asked, request.headers ?? {});
  }

  #check(asked: SimRequest): { readonly gvr: Gvr; readonly resource: SimResource } {
    const { gvr } = asked;
    if (!this.isAllowed(asked)) throw refuse(asked, 403, "the credential may not do that");
    const resource = gvr === undefined ? undefined : this.#store.find(gvr);
    if (gvr === undefined || resource === undefined)
      throw refuse(asked, 404, "the server could not find the requested resource");
    return { gvr, resource };
  }

  #object(asked: SimRequest): KubeAnswer {
    const { gvr } = this.#check(asked);
    const found = this.#store
      .list(gvr)
      .find(({ namespace, name }) => namespace === asked.namespace && name === asked.name);
    if (found === undefined) throw refuse(asked, 404, "not found");
    return answerOf(200, found.json);
  }

  #page(asked: SimRequest): KubeAnswer {
    const { gvr, resource } = this.#check(asked);
    const filter = filterOf(asked);
    if (filter === undefined) throw refuse(asked, 400, "field selector not supported");
    const token = asked.query["continue"] ?? "";
    const page = this.#store.page(token === "" ? { gvr, filter } : { token }, Number(asked.query["limit"] ?? 0));
    if (page === undefined) throw refuse(asked, 410, "the provided continue parameter is too old");
    const more = page.token === "" ? {} : { continue: page.token, remainingItemCount: page.restCount };
    const metadata = JSON.stringify({ resourceVersion: String(page.revision), ...more });
    const items = page.objects.map(({ json }) => json).join(",");
    return answerOf(200, `{"kind":"${resource.kind}List","apiVersion":"v1","metadata":${metadata},"items":[${items}]}`);
  }

  #watch(asked: SimRequest, fault: SimFault | undefined, signal: AbortSignal): KubeAnswer {
    const { gvr, resource } = this.#check(asked);
    const filter = filterOf(asked);
    if (filter === undefined) throw refuse(asked, 400, "field selector not supported");
    const isWatchList = asked.query["sendInitialEvents"] === "true";
    if (isWatchList && !this.offersWatchList) throw refuse(asked, 422, "sendInitialEvents is forbidden for watch");
    throwIfAborted(signal);
    const from = asked.query["resourceVersion"] ?? "";
    const isFromStart = isWatchList || from === "" || from === "0";
    const watches = this.#watchesOf(gvr);
    const watch = new SimWatch({
      clock: this.#options.clock,
      resource,
      filter,
      bookmarkEveryMs: this.#options.bookmarkEveryMs ?? 60_000,
      timeoutMs: Number(asked.query["timeoutSeconds"] ?? defaultTimeoutSeconds) * 1_000,
      afterRevision: isFromStart ? 0 : Number(from),
      revision: () => this.#store.revision,
      drawDelayMs: () => this.#drawDelayMs(),
      signal,
      onClosed: (closed) => watches.delete(closed),
    });
    watches.add(watch);
    if (fault?.kind === "silentWatch") watch.silence();
    if (isFromStart) {
      for (const object of this.#store.list(gvr)) watch.change({ revision: 1, type: "ADDED", object });
      if (isWatchList) watch.bookmark(true);
    } else {
      const missed = this.#store.changesAfter(gvr, Number(from));
      if (missed === undefined)
        watch.fail({ code: 410, reason: "Expired", message: `too old resource version: ${from}` });
      else for (const change of missed) watch.change(change);
    }
    return { status: 200, headers: new Map([["content-type", "application/json"]]), body: watch.body };
  }

  #discovery(asked: SimRequest, headers: Readonly<Record<string, string>>): KubeAnswer {
    const { path } = asked;
    const isRoot = path === "/api" || path === "/apis";
    const wantsAggregated = (headers["accept"] ?? "").includes("as=APIGroupDiscoveryList");
    if (isRoot && wantsAggregated && this.offersAggregatedDiscovery) {
      const etag = `"${path}-${this.#discoveryCount}-${[...this.staleGroupVersions].join()}"`;
      if (headers["if-none-match"] === etag) return answerOf(304, "");
      return answerOf(
        200,
        JSON.stringify(aggregatedDocument(path, this.#store.resources, this.staleGroupVersions)),
        etag,
      );
    }
    const isStale = this.staleGroupVersions.has(path.replace(/^\/apis\//, ""));
    if (isStale) throw refuse(asked, 503, "service unavailable");
    const document = legacyDocument(path, this.#store.resources);
    if (document === undefined) throw refuse(asked, 404, "the server could not find the requested resource");
    return answerOf(200, JSON.stringify(document));
  }

  #tellWatches(gvr: Gvr, change: SimChange): void {
    for (const watch of this.#watchesOf(gvr)) watch.change(change);
  }

  #watchesOf(gvr: Gvr): Set<SimWatch> {
    const text = gvrText(gvr);
    const watches = this.#watches.get(text) ?? new Set();
    this.#watches.set(text, watches);
    return watches;
  }

  #drawDelayMs(): number {
    return drawDelayMs(this.#options.latency ?? { minMs: 1, maxMs: 5 }, this.#options.random);
  }
}

function refuse({ verb, path }: SimRequest, status: number, message: string, retryAfterMs = 0): KubeError {
  return new KubeError(faultOfStatus(status), `${verb} ${path} was answered ${status}: ${message}`, {
    status,
    retryAfterMs,
  });
}

async function* chunksOf(text: string): AsyncGenerator<Uint8Array, void> {
  if (text !== "") yield encoder.encode(text);
}

function answerOf(status: number, text: string, etag?: string): KubeAnswer {
  const headers = new Map([["content-type", "application/json"]]);
  if (etag !== undefined) headers.set("etag", etag);
  return { status, headers, body: chunksOf(text) };
}

async function* cutChunks(body: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array, void> {
  for await (const chunk of body) {
    yield chunk.subarray(0, chunk.length >> 1);
    throw new KubeError("tcp", "the connection was reset within the answer");
  }
}

function cutAnswer(answer: KubeAnswer): KubeAnswer {
  return { ...answer, body: cutChunks(answer.body) };
}

/** A server in a world: its chance is its own, and a watch left open at the end is a leak (SI7). */
export function openSimApiServer(
  world: World,
  name: string,
  options: Omit<SimApiServerOptions, "clock" | "random"> = {},
): SimApiServer {
  const server = new SimApiServer({ ...options, clock: world.clock, random: world.random.fork(`api-server ${name}`) });
  world.onClose(() => (server.openWatchCount === 0 ? [] : [`${server.openWatchCount} watches of ${name}`]));
  return server;
}
