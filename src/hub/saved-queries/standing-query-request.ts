// SPDX-License-Identifier: Apache-2.0
// Checks the numbers and texts of a request for a standing query. Each fault is INVALID_ARGUMENT with one sentence.
import type { Random } from "../../base/random.ts";
import type { CreateStandingQueryRequest } from "../../gen/flotilla/query/v1/saved_query_pb.ts";
import { quote } from "../../model/text.ts";
import { refuseInput } from "./query-limits.ts";
import type { StandingCondition } from "./standing-query-record.ts";

const defaultIntervalSeconds = 60;
const minIntervalSeconds = 10;
const maxSeconds = 86_400;

/** Enough for 128 random bits in hexadecimal or base64 digits. */
const minSecretLength = 16;
const maxSecretLength = 256;

/** As long as the SHA-256 that it keys. */
const createdSecretBytes = 32;

/** The condition of a request. */
export function parseCondition(condition: CreateStandingQueryRequest["condition"]): StandingCondition {
  const on = condition?.on ?? "";
  const threshold = condition?.threshold;
  if (on === "enter" || on === "leave" || on === "enterOrLeave") {
    if (threshold !== undefined)
      refuseInput(`a threshold does not work with the condition ${on}; remove one of the two`);
    return { on };
  }
  if (on !== "threshold") refuseInput(`${quote(on)} is not a condition; write enter, leave, enterOrLeave or threshold`);
  if (threshold === undefined) return refuseInput("the condition threshold needs a threshold");
  const { above, clearAt = above, forSeconds } = threshold;
  if (above > BigInt(Number.MAX_SAFE_INTEGER)) refuseInput("the threshold is too large");
  if (clearAt > above) refuseInput(`clear_at, ${clearAt}, is more than the threshold, ${above}; lower it`);
  if (forSeconds > maxSeconds) refuseInput(`the time of a threshold is at most one day, not ${forSeconds} s`);
  return { on, above: Number(above), clearAt: Number(clearAt), forMs: forSeconds * 1_000 };
}

/** The least time between two deliveries. */
export function parseIntervalMs(seconds: number): number {
  if (seconds === 0) return defaultIntervalSeconds * 1_000;
  if (seconds >= minIntervalSeconds && seconds <= maxSeconds) return seconds * 1_000;
  return refuseInput(`the interval is ${minIntervalSeconds} s to one day, not ${seconds} s`);
}

/** The secret of a request, or a new one if it has none. No message contains it. */
export function parseSecret(secret: string, random: Random): { readonly secret: string; readonly isCreated: boolean } {
  if (secret === "")
    return { secret: Buffer.from(random.bytes(createdSecretBytes)).toString("base64url"), isCreated: true };
  if (secret.length < minSecretLength || secret.length > maxSecretLength)
    refuseInput(`the secret must have ${minSecretLength} to ${maxSecretLength} characters; leave it out to get one`);
  if (!/^[\x21-\x7e]+$/.test(secret)) refuseInput("the secret must have visible ASCII characters only");
  return { secret, isCreated: false };
}
