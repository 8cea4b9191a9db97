// SPDX-License-Identifier: Apache-2.0
import { isCancellation, onAbort, throwIfAborted } from "../../../base/abort.ts";
import { WakeUp } from "../../../base/queues/wake-up.ts";
import { backoffCeilingMs } from "../../../base/time/backoff.ts";
import type { KubeError } from "../../kube-error.ts";
import type { ReflectorEvent } from "../../reflector-event.ts";
import type { ReflectorOptions } from "../reflector-options.ts";
import { runReflector } from "../run-reflector.ts";
import type { Namespaces } from "./listed-namespaces.ts";
import { NamespaceEventMerger } from "./namespace-event-merger.ts";
import { followedOf } from "./namespace-filter.ts";

export interface ByNamespaceOptions extends Omit<ReflectorOptions, "namespace" | "fieldSelector"> {
  readonly namespaces: Namespaces;
  readonly isIncluded: (namespace: string) => boolean;
  /** How long a refusal is assumed to last. */
  readonly drawRefusalLifeMs: () => number;
  /** Whether the whole kind was listed before. */
  readonly wasListed?: boolean;
  /** The refusal of the whole kind. It is reported if the namespaces cannot be listed either. */
  readonly wholeRefusal?: KubeError;
  /** Called from time to time. If it returns true, following by namespace ends. Undefined: it never ends. */
  readonly isWholeAllowed?: (signal: AbortSignal) => Promise<boolean>;
}

/** Ends the reflector of a namespace in which the kind may not be listed. */
class NamespaceRefused extends Error {
  override readonly name = "NamespaceRefused";
}

/** The running reflector of one namespace, and the time to retry a refused one. */
interface Child {
  readonly controller: AbortController;
  readonly ended: Promise<void>;
  retryAtMs: number | undefined;
}

/** Runs one reflector per namespace and joins their events. */
class NamespaceReflectors {
  readonly #options: ByNamespaceOptions;
  readonly #merger: NamespaceEventMerger;
  readonly #wakeUp = new WakeUp();
  readonly #signal: AbortSignal;
  readonly #children = new Map<string, Child>();
  #hasBegun = false;
  /** The whole kind was tried again and refused again. */
  #isRefusedAgain = false;
  #wholeAtMs: number;
  /** Consecutive refusals of the whole kind while nothing can be listed, since the server's last recovery. */
  #refusedCount = 0;
  #failure: { readonly reason: unknown } | undefined;

  constructor(options: ByNamespaceOptions, signal: AbortSignal) {
    this.#options = options;
    this.#signal = signal;
    this.#merger = new NamespaceEventMerger(options.sink, options.wasListed ?? false);
    this.#wholeAtMs = options.clock.nowMs() + this.#wholeInMs();
  }

  /** Runs until the whole kind is allowed. Resolves or rejects only after every reflector has ended. */
  async run(): Promise<void> {
    const { namespaces, returns, clock } = this.#options;
    const unlisten = namespaces.onChange(() => this.#wakeUp.wake());
    const unreturned = returns?.listen(() => {
      this.#refusedCount = 0;
      this.#wholeAtMs = clock.nowMs() + this.#wholeInMs();
      this.#wakeUp.wake();
    });
    try {
      do {
        await this.#follow();
        await this.#wakeUp.waitAtMost(clock, this.#nextInMs(), this.#signal);
        if (this.#failure !== undefined) throw this.#failure.reason;
      } while (!(await this.#isWholeAllowed()));
    } finally {
      unlisten();
      unreturned?.();
      for (const { controller } of this.#children.values())
        controller.abort(new Error("the kind is followed as a whole"));
      await Promise.all(Array.from(this.#children.values(), ({ ended }) => ended));
    }
  }

  /** Starts and stops reflectors to match the existing namespaces. */
  async #follow(): Promise<void> {
    const { namespaces, isIncluded, clock } = this.#options;
    const { names } = namespaces;
    if (names === undefined) {
      await this.#emitRefusal();
      return;
    }
    const wanted = new Set([...names].filter(isIncluded));
    if (!this.#hasBegun) {
      this.#hasBegun = true;
      await this.#merger.begin(wanted);
    }
    for (const [namespace, child] of this.#children) {
      if (wanted.has(namespace)) continue;
      this.#children.delete(namespace);
      child.controller.abort(new Error("the namespace is gone"));
      await child.ended;
      await this.#merger.remove(namespace);
    }
    for (const namespace of wanted) {
      const retryAtMs = this.#children.get(namespace)?.retryAtMs;
      const isDue = retryAtMs !== undefined && retryAtMs <= clock.nowMs();
      if (!this.#children.has(namespace) || isDue) this.#start(namespace);
    }
  }

  /**
   * Reports that neither the kind nor the namespaces can be listed. Namespaces that are not refused may still arrive,
   * so it waits for the second refusal of the whole kind.
   */
  async #emitRefusal(): Promise<void> {
    const { namespaces, wholeRefusal, clock } = this.#options;
    const isLasting = namespaces.refusal !== undefined || this.#isRefusedAgain;
    if (!isLasting || wholeRefusal === undefined) return;
    const retryInMs = Math.max(0, this.#wholeAtMs - clock.nowMs());
    await this.#merger.emit({ kind: "failed", error: wholeRefusal, attemptCount: 1, retryInMs });
  }

  #start(namespace: string): void {
    const { resource } = this.#options;
    const controller = new AbortController();
    this.#merger.add(namespace);
    const sink = (event: ReflectorEvent): Promise<void> => this.#take(namespace, event);
    const running = runReflector({ ...this.#options, ...followedOf(resource, namespace), sink }, controller.signal);
    const ended = running.catch((reason: unknown) => this.#end(controller.signal, reason));
    const unlisten = onAbort(this.#signal, () => controller.abort(this.#signal.reason));
    this.#children.set(namespace, { controller, ended: ended.finally(unlisten), retryAtMs: undefined });
  }

  async #take(namespace: string, event: ReflectorEvent): Promise<void> {
    if (event.kind !== "failed" || event.error.fault !== "forbidden") return this.#merger.take(namespace, event);
    const retryInMs = this.#options.drawRefusalLifeMs();
    await this.#merger.take(namespace, { ...event, retryInMs });
    await this.#merger.refuse(namespace);
    const child = this.#children.get(namespace);
    if (child !== undefined) child.retryAtMs = this.#options.clock.nowMs() + retryInMs;
    throw new NamespaceRefused("the kind may not be listed in this namespace");
  }

  #end(signal: AbortSignal, reason: unknown): void {
    if (isCancellation(signal, reason)) return;
    if (!(reason instanceof NamespaceRefused)) this.#failure ??= { reason };
    this.#wakeUp.wake();
  }

  #wholeInMs(): number {
    const { drawRefusalLifeMs, settings, random } = this.#options;
    if (this.#merger.hasListedPart) return drawRefusalLifeMs();
    // If nothing can be listed, the refusal may be temporary, as during the start of a server (KU14).
    const curve = { ...settings.backoff, capMs: settings.syncIntervalMs };
    const ceilingMs = backoffCeilingMs(curve, this.#refusedCount);
    this.#refusedCount += 1;
    return ceilingMs * (0.5 + 0.5 * random.next());
  }

  #nextInMs(): number {
    const retries = Array.from(this.#children.values(), ({ retryAtMs }) => retryAtMs ?? Number.POSITIVE_INFINITY);
    const dueMs = Math.min(this.#wholeAtMs, ...retries);
    return Math.max(0, dueMs - this.#options.clock.nowMs());
  }

  async #isWholeAllowed(): Promise<boolean> {
    const { clock, isWholeAllowed } = this.#options;
    if (clock.nowMs() < this.#wholeAtMs) return false;
    const isAllowed = (await isWholeAllowed?.(this.#signal)) ?? false;
    this.#isRefusedAgain = !isAllowed;
    this.#wholeAtMs = clock.nowMs() + this.#wholeInMs();
    return isAllowed;
  }
}

/**
 * Follows a kind namespace by namespace. Resolves when the whole kind is allowed, after all its reflectors have ended.
 */
export async function runByNamespace(options: ByNamespaceOptions, signal: AbortSignal): Promise<void> {
  throwIfAborted(signal);
  await new NamespaceReflectors(options, signal).run();
}
