// SPDX-License-Identifier: Apache-2.0
// How an agent obtains the key that identifies its cluster (SE5, SE8). Each pass decides from the stored record alone,
// so a crash at any point equals a retry.

import { FlotillaError, hasCode } from "../../base/error.ts";
import type { ErrorCode } from "../../base/error-codes.ts";
import type { Logger } from "../../base/log.ts";
import type { Random } from "../../base/random.ts";
import type { BackoffOptions } from "../../base/time/backoff.ts";
import type { Clock } from "../../base/time/clock.ts";
import { retry } from "../../base/time/retry.ts";
import type { ClusterId } from "../../model/cluster-id.ts";
import { quote } from "../../model/text.ts";
import type { AgentKey } from "../../rpc/auth/ed25519.ts";
import type { AgentIdentityRecord, IdentityStore } from "./identity-record.ts";
import { type JoinOutcome, type JoinPort, type JoinRequestFields, joinHub } from "./join-hub.ts";
import { type JoinTokenSource, markOfToken } from "./join-token.ts";

/** Creates and parses keys. */
export interface KeyMaker {
  create(): AgentKey;
  /** Throws CONFIG_INVALID for a text that is no key. The message contains no part of the text. */
  parse(pem: string): AgentKey;
}

/** Progress towards an identity, for the log and the health endpoint. */
export type IdentityStatus =
  /** Not yet; retried shortly. */
  | { readonly kind: "waiting"; readonly code: ErrorCode; readonly reason: string }
  /** Refused until an operator acts on the reason; retried after `retryInMs`. */
  | { readonly kind: "refused"; readonly code: ErrorCode; readonly reason: string; readonly retryInMs: number }
  /** Has an identity. `isPending`: the hub answered the join that an administrator must approve it first. */
  | { readonly kind: "established"; readonly isPending: boolean };

export interface EstablishIdentityOptions {
  readonly clusterId: ClusterId;
  /** UID of the kube-system namespace. */
  readonly clusterUid: string;
  readonly metadata: JoinRequestFields["metadata"];
  readonly store: IdentityStore;
  readonly keys: KeyMaker;
  readonly token: JoinTokenSource;
  readonly join: JoinPort;
  /** A token other than the one of the last join registers a second key, which replaces the first (SE8). */
  readonly rotate: boolean;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  /** Between attempts while the hub, the store or the token source is unavailable. */
  readonly backoff: BackoffOptions;
  /** Called at each change. Must not throw. */
  readonly onStatus: (status: IdentityStatus) => void;
}

/** The agent's identity with the key that proves it. */
export interface EstablishedIdentity {
  readonly clusterId: ClusterId;
  /** The only hub whose challenge is answered (SE6). */
  readonly hubName: string;
  readonly key: AgentKey;
  /** The hub answered the join that an administrator must approve it first. Not an error. */
  readonly isPending: boolean;
}

/** The interval of every UNAUTHORIZED (SE12): an operator has to act meanwhile. */
const refusedRetryMs = 5 * 60_000;

/** Jitter on top (SE12). */
const refusedJitter = 0.2;

type Pass =
  | { readonly kind: "established"; readonly identity: EstablishedIdentity }
  | { readonly kind: "refused"; readonly error: FlotillaError };

/**
 * Resolves with the agent's identity: the stored one, or a new key that is stored and then registered with a join
 * token. A key is stored before the hub receives it, so no registered key is ever lost. Retries forever (L12): with
 * backoff while something is unavailable, every five minutes after a refusal. Rejects with CONFIG_INVALID if the stored
 * record is invalid or of another cluster, and with the signal's reason.
 */
export async function establishIdentity(
  options: EstablishIdentityOptions,
  signal: AbortSignal,
): Promise<EstablishedIdentity> {
  for (;;) {
    const pass = await retry((within) => runPass(options, within), { ...options, what: "joining the hub" }, signal);
    if (pass.kind === "established") {
      options.onStatus({ kind: "established", isPending: pass.identity.isPending });
      return pass.identity;
    }
    const retryInMs = Math.round(refusedRetryMs * (1 + refusedJitter * options.random.next()));
    tellRefusal(options, pass.error, retryInMs);
    await options.clock.sleep(retryInMs, signal);
  }
}

async function runPass(options: EstablishIdentityOptions, signal: AbortSignal): Promise<Pass> {
  try {
    const record = (await options.store.load(signal)) ?? (await storeNewKey(options, signal));
    checkCluster(record, options.clusterId);
    if (record.hubName === "") return await joinFirst(options, record, signal);
    return options.rotate ? await rotate(options, record, signal) : established(options, record, false);
  } catch (reason) {
    const isTriedAgain = reason instanceof FlotillaError && (reason.next === "retry" || reason.next === "resume");
    if (isTriedAgain && !signal.aborted)
      options.onStatus({ kind: "waiting", code: reason.code, reason: reason.message });
    throw reason;
  }
}

async function storeNewKey(options: EstablishIdentityOptions, signal: AbortSignal): Promise<AgentIdentityRecord> {
  const privateKeyPem = options.keys.create().toPem();
  const record = { clusterId: options.clusterId, hubName: "", privateKeyPem, tokenMark: "", nextPrivateKeyPem: "" };
  await options.store.save(record, signal);
  return record;
}

function checkCluster(record: AgentIdentityRecord, clusterId: ClusterId): void {
  if (record.clusterId === clusterId) return;
  throw new FlotillaError(
    "CONFIG_INVALID",
    `the key stored here is of cluster ${quote(record.clusterId)}, not of ${quote(clusterId)}; give the cluster id that it joined with, or delete the stored key and join again`,
    { ids: { cluster: clusterId } },
  );
}

async function joinFirst(
  options: EstablishIdentityOptions,
  record: AgentIdentityRecord,
  signal: AbortSignal,
): Promise<Pass> {
  const token = await loadToken(options, signal);
  if (token.kind === "refused") return token;
  if (token.text === undefined)
    throw new FlotillaError(
      "UNAVAILABLE",
      `no join token yet in ${options.token.where}; make one with \`flotilla cluster join ${options.clusterId} --token-only\``,
    );
  const outcome = await joinBy(options, options.keys.parse(record.privateKeyPem), token.text, signal);
  if (outcome.kind === "refused") return outcome;
  const { hubName, isPending } = outcome.response;
  const joined = { ...record, hubName, tokenMark: markOfToken(token.text) };
  await options.store.save(joined, signal);
  options.log.info("joined the hub", { cluster: options.clusterId, hub: hubName, pending: isPending });
  return established(options, joined, isPending);
}

/**
 * The first key stays in force until the second is registered. A refused rotation is logged, and the agent goes on with
 * the first key.
 */
async function rotate(
  options: EstablishIdentityOptions,
  record: AgentIdentityRecord,
  signal: AbortSignal,
): Promise<Pass> {
  const token = await loadToken(options, signal);
  const text = token.kind === "loaded" ? token.text : undefined;
  if (token.kind === "refused") tellRefusal(options, token.error, undefined);
  if (text === undefined || markOfToken(text) === record.tokenMark) return established(options, record, false);
  let rotating = record;
  if (record.nextPrivateKeyPem === "") {
    rotating = { ...record, nextPrivateKeyPem: options.keys.create().toPem() };
    await options.store.save(rotating, signal);
  }
  const outcome = await joinBy(options, options.keys.parse(rotating.nextPrivateKeyPem), text, signal);
  if (outcome.kind === "refused") {
    tellRefusal(options, outcome.error, undefined);
    return established(options, record, false);
  }
  const { hubName, isPending } = outcome.response;
  const privateKeyPem = rotating.nextPrivateKeyPem;
  const rotated = { ...rotating, hubName, privateKeyPem, nextPrivateKeyPem: "", tokenMark: markOfToken(text) };
  await options.store.save(rotated, signal);
  options.log.info("rotated the agent's key", { cluster: options.clusterId, hub: hubName });
  return established(options, rotated, isPending);
}

type LoadedToken =
  | { readonly kind: "loaded"; readonly text: string | undefined }
  | { readonly kind: "refused"; readonly error: FlotillaError };

/** An operator can replace an invalid token, so it counts as one that the hub refused. */
async function loadToken({ token }: EstablishIdentityOptions, signal: AbortSignal): Promise<LoadedToken> {
  try {
    return { kind: "loaded", text: await token.load(signal) };
  } catch (reason) {
    if (!hasCode(reason, "INVALID_ARGUMENT")) throw reason;
    return { kind: "refused", error: reason };
  }
}

function joinBy(
  { clusterId, clusterUid, metadata, join }: EstablishIdentityOptions,
  { publicKey }: AgentKey,
  joinToken: string,
  signal: AbortSignal,
): Promise<JoinOutcome> {
  return joinHub(join, { joinToken, clusterId, publicKey, clusterUid, metadata }, signal);
}

function established(
  { clusterId, keys }: EstablishIdentityOptions,
  { hubName, privateKeyPem }: AgentIdentityRecord,
  isPending: boolean,
): Pass {
  return { kind: "established", identity: { clusterId, hubName, key: keys.parse(privateKeyPem), isPending } };
}

/** `retryInMs` is undefined if the agent goes on with its present key. */
function tellRefusal(options: EstablishIdentityOptions, error: FlotillaError, retryInMs: number | undefined): void {
  const { code, message: reason } = error;
  if (retryInMs === undefined) {
    options.log.warn("the agent's key was not rotated", { cluster: options.clusterId, code, reason });
    return;
  }
  options.onStatus({ kind: "refused", code, reason, retryInMs });
  options.log.warn("the hub refuses to register this cluster", { cluster: options.clusterId, code, reason, retryInMs });
}
