// SPDX-License-Identifier: Apache-2.0
import { createHmac } from "node:crypto";
import { isCancellation } from "../../base/abort.ts";
import { FlotillaError, hasCode } from "../../base/error.ts";
import type { Logger } from "../../base/log.ts";
import { WakeUp } from "../../base/queues/wake-up.ts";
import type { Random } from "../../base/random.ts";
import type { Clock } from "../../base/time/clock.ts";
import { withDeadline } from "../../base/time/deadline.ts";
import { retry } from "../../base/time/retry.ts";
import type { Incident, IncidentStep } from "../../health/incidents.ts";
import type { HealthSink } from "./cluster-health.ts";

/** One POST of JSON. */
export interface WebhookRequest {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/**
 * Sends a request. Resolves with the response status; rejects without a response. Must not follow redirects: the body
 * is signed for the owner of this URL.
 */
export type SendWebhook = (request: WebhookRequest, signal: AbortSignal) => Promise<number>;

export interface WebhookOptions {
  readonly url: string;
  /** Shared with the receiver; never in logs, messages or errors. */
  readonly secret: string;
  readonly send: SendWebhook;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  readonly runId: string;
  /**
   * Delay during which an incident collects clusters before it is sent. One that ends earlier is not sent. By default
   * the join window.
   */
  readonly afterMs?: number;
}

/** The pending notice of an incident: at most one each, the newest. */
interface Notice {
  readonly incident: Incident;
  readonly kind: "lost" | "returned";
  readonly clusters: ReadonlySet<string>;
  readonly atMs: number;
  readonly dueMs: number;
}

/** Up to 5 minutes between attempts: a receiver that returns after a night is soon notified. */
export const deliveryBackoff = { firstMs: 1_000, factor: 2, capMs: 300_000, stableMs: 0 };
/** The timeout usual for webhooks. */
const answerMs = 10_000;
const defaultAfterMs = 10_000;

/** The value of `Flotilla-Signature`: HMAC-SHA-256 over the timestamp, a dot and the body. */
export function signWebhook(secret: string, timestamp: string, body: string): string {
  return `v1=${createHmac("sha256", secret).update(`${timestamp}.${body}`).digest("hex")}`;
}

/** What is sent to a receiver, before it is signed. */
export interface WebhookMessage extends Pick<WebhookOptions, "url" | "secret"> {
  /** Equal in all attempts of one delivery, so that the receiver can discard repeated ones. */
  readonly delivery: string;
  readonly body: string;
}

/** Signs a message. The timestamp is that of the attempt: receivers refuse old ones, so none can be replayed. */
export function toWebhookRequest({ url, secret, delivery, body }: WebhookMessage, clock: Clock): WebhookRequest {
  const timestamp = String(Math.floor(clock.wallMs() / 1_000));
  return {
    url,
    body,
    headers: {
      "Content-Type": "application/json",
      "Flotilla-Delivery": delivery,
      "Flotilla-Timestamp": timestamp,
      "Flotilla-Signature": signWebhook(secret, timestamp, body),
    },
  };
}

/**
 * Makes one attempt. Resolves when the receiver answered 2xx. Throws UNAVAILABLE for any other answer and for none, and
 * DEADLINE_EXCEEDED for one that does not come in time. No error contains the URL or the secret.
 */
export async function postWebhook(
  request: WebhookRequest,
  { send, clock }: Pick<WebhookOptions, "send" | "clock">,
  signal: AbortSignal,
): Promise<void> {
  const status = await requestStatus(request, { send, clock }, signal);
  if (status >= 200 && status < 300) return;
  throw new FlotillaError("UNAVAILABLE", `the webhook's receiver answered ${status}`, { ids: { status } });
}

async function requestStatus(
  request: WebhookRequest,
  { send, clock }: Pick<WebhookOptions, "send" | "clock">,
  signal: AbortSignal,
): Promise<number> {
  try {
    return await withDeadline((inner) => send(request, inner), {
      clock,
      limitMs: answerMs,
      what: "the answer of the webhook's receiver",
      signal,
    });
  } catch (reason) {
    if (isCancellation(signal, reason) || hasCode(reason, "DEADLINE_EXCEEDED")) throw reason;
    throw new FlotillaError("UNAVAILABLE", "the webhook's receiver could not be reached", { cause: reason });
  }
}

/**
 * Sends one signed notice per incident to one receiver, and one when it ends. Adding an incident never waits. While the
 * receiver is unreachable, the newest notice of an incident replaces its pending one, and clusters in a newer notice
 * are removed from older ones: pending notices are bounded by the number of clusters.
 */
export class Webhook implements HealthSink {
  readonly #options: WebhookOptions;
  readonly #notices = new Map<number, Notice>();
  /** Incidents whose loss was sent and whose end was not. */
  readonly #sentLosses = new Set<number>();
  readonly #wakeUp = new WakeUp();
  /** Another hub delivers, or none does yet. */
  #isStandingBy = true;

  constructor(options: WebhookOptions) {
    this.#options = options;
  }

  /** Number of pending notices. */
  get waitingCount(): number {
    return this.#notices.size;
  }

  incident({ changed, effect }: IncidentStep): void {
    if (changed === undefined || effect === "none") return;
    if (effect === "ended") this.#end(changed);
    else this.#grow(changed);
    this.#wakeUp.wake();
  }

  /**
   * Delivers until the signal aborts, then rejects with its reason. While it does not run, another hub delivers. This
   * one then keeps incidents that last, and the ends of those whose loss it sent, in case it delivers again. It forgets
   * the others when they end.
   */
  async run(signal: AbortSignal): Promise<void> {
    const { clock, random, log } = this.#options;
    const delivering = { what: "delivering a webhook", clock, random, log, backoff: deliveryBackoff };
    this.#isStandingBy = false;
    try {
      for (;;) {
        const number = await this.#nextDue(signal);
        await retry((inner) => this.#deliver(number, inner), delivering, signal);
      }
    } finally {
      this.#isStandingBy = true;
    }
  }

  #grow(incident: Incident): void {
    if (this.#sentLosses.has(incident.number)) return;
    const before = this.#notices.get(incident.number);
    const nowMs = this.#options.clock.nowMs();
    const clusters = new Set<string>([...incident.out, ...incident.returned]);
    this.#put({
      incident,
      kind: "lost",
      clusters,
      atMs: before?.atMs ?? this.#options.clock.wallMs(),
      dueMs: before?.dueMs ?? nowMs + (this.#options.afterMs ?? defaultAfterMs),
    });
  }

  #end(incident: Incident): void {
    const before = this.#notices.get(incident.number);
    const nowMs = this.#options.clock.nowMs();
    this.#notices.delete(incident.number);
    if (this.#isStandingBy && !this.#sentLosses.has(incident.number)) return;
    const isNotable = before === undefined ? this.#sentLosses.has(incident.number) : before.dueMs <= nowMs;
    if (!isNotable) return;
    this.#put({
      incident,
      kind: "returned",
      clusters: new Set<string>(incident.returned),
      atMs: this.#options.clock.wallMs(),
      dueMs: nowMs,
    });
  }

  #put(notice: Notice): void {
    for (const [number, older] of this.#notices) {
      if (older.kind !== "returned" || number === notice.incident.number) continue;
      const clusters = older.clusters.difference(notice.clusters);
      if (clusters.size === older.clusters.size) continue;
      if (clusters.size === 0) this.#forget(number);
      else this.#notices.set(number, { ...older, clusters });
    }
    this.#notices.set(notice.incident.number, notice);
  }

  #forget(number: number): void {
    this.#notices.delete(number);
    this.#sentLosses.delete(number);
  }

  /** Waits for a notice that is due; returns its incident's number. */
  async #nextDue(signal: AbortSignal): Promise<number> {
    for (;;) {
      const { clock } = this.#options;
      const nowMs = clock.nowMs();
      let soonestMs = Number.POSITIVE_INFINITY;
      for (const [number, { dueMs }] of this.#notices) {
        if (dueMs <= nowMs) return number;
        soonestMs = Math.min(soonestMs, dueMs);
      }
      if (soonestMs === Number.POSITIVE_INFINITY) await this.#wakeUp.wait(signal);
      else await this.#wakeUp.waitAtMost(clock, soonestMs - nowMs, signal);
    }
  }

  /** Makes one attempt with the incident's newest notice; does nothing if none is pending. */
  async #deliver(number: number, signal: AbortSignal): Promise<void> {
    const notice = this.#notices.get(number);
    if (notice === undefined) return;
    const { clock } = this.#options;
    await postWebhook(toWebhookRequest(this.#toMessage(notice), clock), this.#options, signal);
    if (notice.kind === "lost") this.#sentLosses.add(number);
    else this.#sentLosses.delete(number);
    if (this.#notices.get(number)?.kind === notice.kind) this.#notices.delete(number);
  }

  #toMessage({ incident, kind, clusters, atMs }: Notice): WebhookMessage {
    const { url, secret, clock, runId } = this.#options;
    const body = JSON.stringify({
      version: 1,
      kind,
      incident: `${runId}-${incident.number}`,
      at: new Date(atMs).toISOString(),
      since: new Date(Math.round(clock.wallMs() - (clock.nowMs() - incident.beganMs))).toISOString(),
      reasons: incident.reasons,
      regions: incident.regions,
      clusters: [...clusters],
    });
    return { url, secret, delivery: `${runId}-${incident.number}-${kind}`, body };
  }
}
