// SPDX-License-Identifier: Apache-2.0
import { isCancellation } from "../../base/abort.ts";
import { FlotillaError, hasCode } from "../../base/error.ts";
import { retry } from "../../base/time/retry.ts";
import { deliveryBackoff, postWebhook, toWebhookRequest } from "../health/webhook.ts";
import { type AccessMarks, judgeDelivery } from "./delivery-access.ts";
import type { ViewerQueries } from "./read-members.ts";
import type { StandingHalts } from "./standing-halts.ts";
import type { StandingQueryPorts } from "./standing-query-ports.ts";
import type { StandingQueryRecord } from "./standing-query-record.ts";
import type { StandingStateStore } from "./standing-state-store.ts";

/** Failing attempts of one delivery for this long end the deliveries (SQ15). */
const deadAfterMs = 86_400_000;

/** Rows of clusters are loaded within this time after a start of the hub. Longer, they are withheld. */
const unreadLimitMs = 60_000;

/** How often it is looked at whether rows can be read again. */
const unreadPollMs = 1_000;

export interface SendDeliveryOptions {
  readonly record: StandingQueryRecord;
  readonly states: StandingStateStore;
  readonly ports: Pick<StandingQueryPorts, "clock" | "random" | "log" | "send" | "counters">;
  readonly halts: StandingHalts;
  /** As the owner. */
  readonly queries: Pick<ViewerQueries, "accessMarks">;
}

/**
 * Sends the pending delivery until the receiver accepts it, the owner loses the right, or the query is dead. It is
 * withdrawn if the owner may no longer see what it has (SQ18). Each failed attempt is stored, so that it is shown and
 * counts over restarts. Throws FENCED if another runner has taken over.
 */
export async function sendDelivery(options: SendDeliveryOptions, signal: AbortSignal): Promise<void> {
  const { record, states, ports, halts } = options;
  const { pending } = states.state;
  if (pending === undefined) return;
  const { clock, random, log, counters } = ports;
  const message = {
    url: record.webhookUrl,
    secret: record.secret,
    delivery: pending.id,
    body: await states.loadBody(),
  };
  const startedMs = clock.nowMs() - pending.failedForMs;
  const attempt = async (inner: AbortSignal): Promise<void> => {
    if ((await halts.suspendIfInvalid()) || !(await isAllowed(options, pending.access, inner))) return;
    try {
      await postWebhook(toWebhookRequest(message, clock), ports, inner);
    } catch (reason) {
      if (isCancellation(inner, reason) || !(reason instanceof FlotillaError)) throw reason;
      counters.deliveries.add({ outcome: "failed" });
      if (await noteFailure(options, reason.message, clock.nowMs() - startedMs)) return;
      throw reason;
    }
    counters.deliveries.add({ outcome: "accepted" });
    await states.write({
      pending: undefined,
      deliveredCount: states.state.deliveredCount + 1,
      deliveredAtMs: Math.round(clock.wallMs()),
    });
  };
  await retry(attempt, { what: "delivering a standing query", clock, random, log, backoff: deliveryBackoff }, signal);
}

/**
 * Whether the owner may still see what the delivery has. If not, the delivery is withdrawn, or the query is suspended.
 * Rejects if that is not known now.
 */
async function isAllowed(
  { states, ports: { clock }, halts, queries }: SendDeliveryOptions,
  evaluated: AccessMarks | undefined,
  signal: AbortSignal,
): Promise<boolean> {
  const untilMs = clock.nowMs() + unreadLimitMs;
  try {
    for (;;) {
      const access = evaluated === undefined ? "changed" : judgeDelivery(evaluated, await queries.accessMarks());
      if (access === "current") return true;
      if (access === "changed" || clock.nowMs() >= untilMs) break;
      await clock.sleep(unreadPollMs, signal);
    }
  } catch (reason) {
    if (!hasCode(reason, "PERMISSION_DENIED")) throw reason;
    await halts.halt("suspended", reason.message);
    return false;
  }
  await states.withdraw();
  return false;
}

/** True if the query is dead now. */
async function noteFailure(
  { states, ports, halts }: SendDeliveryOptions,
  error: string,
  failedForMs: number,
): Promise<boolean> {
  const { pending } = states.state;
  if (pending === undefined) return true;
  const failed = {
    ...pending,
    failedAttemptCount: pending.failedAttemptCount + 1,
    failedForMs: Math.round(failedForMs),
    error,
    attemptedAtMs: Math.round(ports.clock.wallMs()),
  };
  const isDead = failedForMs >= deadAfterMs;
  // A resumption begins another 24 h.
  if (isDead) await halts.halt("dead", error, { ...failed, failedForMs: 0 });
  else await states.write({ pending: failed });
  return isDead;
}
