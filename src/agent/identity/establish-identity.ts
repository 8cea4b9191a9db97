// SPDX-License-Identifier: Apache-2.0
// How an agent comes by the key that names its cluster (SE5, SE8). Each pass decides from what is stored, so a crash anywhere is as good as another attempt.
import type { BackoffOptions } from "../../base/backoff.ts";
import type { Clock } from "../../base/clock.ts";
import { FlotillaError, hasCode } from "../../base/error.ts";
import type { ErrorCode } from "../../base/error-codes.ts";
import type { Logger } from "../../base/log.ts";
import type { Random } from "../../base/random.ts";
import { retry } from "../../base/retry.ts";
import type { ClusterId } from "../../model/cluster-id.ts";
import { quote } from "../../model/text.ts";
import type { AgentKey } from "../../rpc/ed25519.ts";
import type { AgentIdentityRecord, IdentityStore } from "./identity-record.ts";
import { type JoinOutcome, type JoinPort, type JoinRequestFields, joinHub } from "./join-hub.ts";
import { type JoinTokenSource, markOfToken } from "./join-token.ts";

/** Makes and reads keys. */
export interface KeyMaker {
  create(): AgentKey;
  /** Throws CONFIG_INVALID for what is no key; the message holds nothing of it. */
  parse(pem: string): AgentKey;
}

/** How far the agent has come with its identity, for log and health endpoint. */
export type IdentityStatus =
  /** Not yet; it is tried again shortly. */
  | { readonly kind: "waiting"; readonly code: ErrorCode; readonly reason: string }
  /** The hub refuses; it is tried again after `retryInMs`, should somebody have done what the reason says. */
  | { readonly kind: "refused"; readonly code: ErrorCode; readonly reason: string; readonly retryInMs: number }
  /** It has one. `isPending`: the hub said at joining that an administrator has to approve it first. */
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
  /** A token other than the one joined by registers a second key, which takes the first one's place (SE8). */
  readonly rotate: boolean;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  /** Between attempts while something does not answer. */
  readonly backoff: BackoffOptions;
  /** Told at each change. Must not throw. */
  readonly onStatus: (status: IdentityStatus) => void;
}

/** Who the agent is, ready to prove it. */
export interface EstablishedIdentity {
  readonly clusterId: ClusterId;
  /** The only hub whose challenge is answered (SE6). */
  readonly hubName: string;
  readonly key: AgentKey;
  /** The registration waits for an administrator; no error, the sessions are told when it is over. */
  readonly isPending: boolean;
}

/** As for every UNAUTHORIZED (SE12): somebody has to do something meanwhile. */
const refusedRetryMs = 5 * 60_000;

/** Jitter on top (SE12). */
const refusedJitter = 0.2;

type Pass =
  | { readonly kind: "established"; readonly identity: EstablishedIdentity }
  | { readonly kind: "refused"; readonly error: FlotillaError };

/**
 * The agent's identity, as soon as there is one: the stored one, or a new key that is stored, then registered by a join token. A key is stored before the hub hears of
 * it, so no registered key is ever lost. Tries for ever (L12), with backoff while something does not answer, every five minutes while the hub refuses. Rejects with CONFIG_INVALID where
 * what is stored is of another cluster or makes no sense, and with the signal's reason.
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
    `the key stored here is of cluster ${quote(record.clusterId)}, not of ${quote(clusterId)}; give the cluster id that it joined with, or delete the stored key and join anew`,
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

/** The first key stays in force while the second is not registered: a refused rotation is told and leaves everything as it was. */
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

/** What is no token can be put right by an operator, as one that the hub refuses. */
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

/** `retryInMs` is undefined where the agent goes on with the key it has. */
function tellRefusal(options: EstablishIdentityOptions, error: FlotillaError, retryInMs: number | undefined): void {
  const { code, message: reason } = error;
  if (retryInMs === undefined) {
    options.log.warn("the agent's key was not rotated", { cluster: options.clusterId, code, reason });
    return;
  }
  options.onStatus({ kind: "refused", code, reason, retryInMs });
  options.log.warn("the hub refuses to register this cluster", { cluster: options.clusterId, code, reason, retryInMs });
}
