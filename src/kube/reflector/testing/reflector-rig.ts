// SPDX-License-Identifier: Apache-2.0
import { SimApiServer, type SimApiServerOptions } from "../../../../test/support/sim/sim-api-server.ts";
import type { SimRequest } from "../../../../test/support/sim/sim-api-server-request.ts";
import { isCancellation } from "../../../base/abort.ts";
import { silentLogger } from "../../../base/log.ts";
import { createSeededRandom } from "../../../base/random.ts";
import { ManualClock } from "../../../base/testing/manual-clock.ts";
import type { KubeError } from "../../kube-error.ts";
import type { ReflectorEvent } from "../../reflector-event.ts";
import { defaultReflectorSettings, type ReflectorOptions, type ReflectorSettings } from "../reflector-options.ts";
import { runReflector } from "../run-reflector.ts";
import { FoldedObjects } from "./folded-objects.ts";

/** The resource that most tests follow. */
export const pods = { group: "", version: "v1", resource: "pods", kind: "Pod", isNamespaced: true } as const;

/** A Pod by its name. */
export function pod(name: string, namespace = "shop", extra: Readonly<Record<string, unknown>> = {}) {
  return { metadata: { name, namespace, ...extra } };
}

/** One request and when it came. */
export interface SeenRequest extends SimRequest {
  readonly atMs: number;
}

/** A simulated server, a clock that a test moves, and one reflector with all it told. */
export class ReflectorRig implements AsyncDisposable {
  readonly clock = new ManualClock();
  readonly server: SimApiServer;
  readonly requests: SeenRequest[] = [];
  readonly events: (ReflectorEvent & { readonly atMs: number })[] = [];
  readonly folded = new FoldedObjects();
  readonly doubts: (KubeError | undefined)[] = [];
  readonly #controller = new AbortController();
  #running: Promise<void> = Promise.resolve();

  constructor(options: Partial<SimApiServerOptions> = {}, seed: number | string = 1) {
    const { clock } = this;
    const random = createSeededRandom(seed);
    this.server = new SimApiServer({
      clock,
      random: random.fork("server"),
      onRequest: (request) => this.requests.push({ ...request, atMs: clock.nowMs() }),
      ...options,
    });
    this.server.serve(pods);
  }

  /** Starts the reflector; `sink` is called before the event is kept. */
  start(settings: Partial<ReflectorSettings> = {}, more: Partial<ReflectorOptions> = {}): void {
    const { clock, server } = this;
    this.#running = runReflector(
      {
        source: server,
        clock,
        random: createSeededRandom("reflector"),
        log: silentLogger,
        resource: pods,
        settings: { ...defaultReflectorSettings, ...settings },
        onDoubt: (error) => this.doubts.push(error),
        ...more,
        sink: async (event) => {
          await more.sink?.(event);
          this.events.push({ ...event, atMs: clock.nowMs() });
          this.folded.take(event);
        },
      },
      this.#controller.signal,
    );
    this.#running.catch(() => undefined);
  }

  /** Names of the events so far, those of objects with the object's name. */
  get story(): string[] {
    return this.events.map((event) => {
      if (event.kind !== "object" && event.kind !== "deleted") return event.kind;
      const { metadata } = event.object as { metadata: { name: string } };
      return `${event.kind} ${metadata.name}`;
    });
  }

  ofKind<Kind extends ReflectorEvent["kind"]>(
    kind: Kind,
  ): (Extract<ReflectorEvent, { kind: Kind }> & { atMs: number })[] {
    return this.events.filter(
      (event): event is Extract<ReflectorEvent, { kind: Kind }> & { atMs: number } => event.kind === kind,
    );
  }

  verbs(verb: SimRequest["verb"]): SeenRequest[] {
    return this.requests.filter((request) => request.verb === verb);
  }

  /** What the server has, in the form of `folded.objects`. */
  get truth(): ReadonlyMap<string, string> {
    return new Map(
      this.server.list(pods).map(({ namespace, name, resourceVersion }) => [`${namespace}/${name}`, resourceVersion]),
    );
  }

  /** Resolves or rejects as the reflector does. */
  get running(): Promise<void> {
    return this.#running;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const { signal } = this.#controller;
    this.#controller.abort(new Error("the test is over"));
    // A receiver that is not ready yet becomes so.
    await this.clock.advance(10_000);
    try {
      await this.#running;
    } catch (reason) {
      if (!isCancellation(signal, reason)) throw reason;
    }
    if (this.clock.timerCount > 0) throw new Error(`${this.clock.timerCount} timers were left`);
    if (this.server.openWatchCount > 0) throw new Error("a watch was left open");
  }
}
