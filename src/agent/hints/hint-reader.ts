// SPDX-License-Identifier: Apache-2.0
// The agent's part of hints (SE65 to SE68): reads the named object now and passes it on as the watch would.
import { FlotillaError, toFlotillaError } from "../../base/error.ts";
import type { Logger } from "../../base/log.ts";
import type { Counter, Metrics } from "../../base/metrics.ts";
import type { Clock } from "../../base/time/clock.ts";
import { withDeadline } from "../../base/time/deadline.ts";
import { TokenBucket } from "../../base/time/token-bucket.ts";
import { identityOf } from "../../kinds/object-identity.ts";
import { KubeError } from "../../kube/kube-error.ts";
import type { KubeSource } from "../../kube/kube-source.ts";
import { type KubeFields, ObjectClient } from "../../kube/object-client.ts";
import { stripObject } from "../../kube/reflector/strip-object.ts";
import type { RowKey } from "../../session/agent/kind-entry.ts";
import {
  type HintAnswer,
  type HintedObject,
  type HintResult,
  hintRate,
  maxHintsOfAgent,
  type ObjectHint,
} from "../../session/hints/hint.ts";
import { metricNames } from "../../telemetry/metric-names.ts";
import type { EarlyRead } from "../collector/early-reads.ts";
import type { ReadPolicy } from "../tunnel/read-policy.ts";
import { allowHint, type HintTarget } from "./hint-policy.ts";

export interface HintReaderOptions {
  readonly source: KubeSource;
  readonly clock: Clock;
  readonly log: Logger;
  readonly metrics: Metrics;
  /** `--max-object-size`: as for the watch. */
  readonly maxObjectBytes: number;
  /** What the agent collects now. */
  readonly policy: () => ReadPolicy;
  /** `Collector.beginEarlyRead`. */
  readonly beginEarlyRead: (resource: string, key: RowKey) => EarlyRead | undefined;
}

/** SE66: below the time that the hub waits. */
const readLimitMs = 8_000;

/** Follows hints until disposal, which ends the reads under way. */
export class HintReader implements AsyncDisposable {
  readonly #options: HintReaderOptions;
  readonly #client: ObjectClient;
  readonly #bucket = new TokenBucket(hintRate);
  readonly #closing = new AbortController();
  readonly #reading = new Set<Promise<void>>();
  readonly #taken: Counter<"outcome">;

  constructor(options: HintReaderOptions) {
    const { source, maxObjectBytes, metrics } = options;
    this.#options = options;
    this.#client = new ObjectClient({ source, requestTimeoutMs: readLimitMs, maxBodyBytes: maxObjectBytes });
    this.#taken = metrics.counter({
      name: metricNames.agentHints,
      help: "Hints from the hub, by outcome: refreshed, unchanged, notFound, leftToWatch, or an error code.",
      labels: ["outcome"],
    });
  }

  /** Follows a hint asynchronously and answers it once; never after disposal. Over a limit it refuses (SE66). */
  take(hint: ObjectHint, reply: (answer: HintAnswer) => void): void {
    const { number } = hint;
    if (this.#reading.size >= maxHintsOfAgent || !this.#bucket.take(this.#options.clock.nowMs())) {
      this.#taken.add({ outcome: "OVERLOADED" });
      reply({ number, result: new FlotillaError("OVERLOADED", "the agent gets too many hints; try again later") });
      return;
    }
    const reading = this.#follow(hint)
      .then((result) => {
        this.#taken.add({ outcome: result instanceof FlotillaError ? result.code : result });
        if (!this.#closing.signal.aborted) reply({ number, result });
      })
      .finally(() => this.#reading.delete(reading));
    this.#reading.add(reading);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closing.abort(new FlotillaError("UNAVAILABLE", "the agent stops"));
    await Promise.all(this.#reading);
  }

  /** Never rejects. */
  async #follow(hint: ObjectHint): Promise<HintResult | FlotillaError> {
    const { clock, log } = this.#options;
    const { signal } = this.#closing;
    const what = "the answer of the cluster's API server";
    try {
      return await withDeadline((within) => this.#read(hint, within), { clock, limitMs: readLimitMs, what, signal });
    } catch (reason) {
      const error = reason instanceof KubeError ? toCallerError(reason) : toFlotillaError(reason);
      if (error.code === "INTERNAL") log.error("a hint failed", { number: hint.number }, error);
      return error;
    }
  }

  async #read({ resource, namespace, name }: HintedObject, signal: AbortSignal): Promise<HintResult> {
    const target = allowHint({ resource, namespace, name }, this.#options.policy());
    using read = this.#options.beginEarlyRead(resource, { namespace, name });
    if (read === undefined) return "leftToWatch";
    // A get without a resourceVersion returns the newest state, so it is not older than an event before it.
    const outcome = await this.#client.get(target, signal);
    if (outcome.kind === "notFound") return "notFound";
    if (outcome.kind === "conflict") throw outcome.error;
    signal.throwIfAborted();
    assertIsAnswer(outcome.object, target);
    stripObject(outcome.object);
    return read.deliver(outcome.object);
  }
}

/** Throws MALFORMED for an object other than the one that was read. */
function assertIsAnswer(object: KubeFields, { namespace = "", name }: HintTarget): void {
  const found = identityOf(object);
  if (found.name !== name || found.namespace !== namespace || found.resourceVersion === "")
    throw new KubeError("malformed", "the API server answered with another object");
}

/** A sentence for the caller, without the API server's own words, which may be about the object (SE68). */
function toCallerError(error: KubeError): FlotillaError {
  const { fault, code } = error;
  if (fault === "forbidden") {
    const sentence =
      "the agent may not get this kind in its cluster; `flotilla agent manifest` has the rights it needs";
    return new FlotillaError("PERMISSION_DENIED", sentence, { cause: error });
  }
  const sentence = `the agent could not read the object from its API server (${fault})`;
  return new FlotillaError(code === "OVERLOADED" ? code : "UNAVAILABLE", sentence, { cause: error });
}
