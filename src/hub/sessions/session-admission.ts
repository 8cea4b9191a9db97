// SPDX-License-Identifier: Apache-2.0
// Decides whether a session is accepted: key, cluster, admission and claim, in this order. An agent learns and takes
// nothing before it is authenticated (SE7, SE9 to SE12, SE32).
import { isCancellation } from "../../base/abort.ts";
import { FlotillaError } from "../../base/error.ts";
import type { Clock } from "../../base/time/clock.ts";
import { withDeadline } from "../../base/time/deadline.ts";
import { type Admission, holdMs } from "../../session/hub/admission.ts";
import { claimName, decideClaim, type LeaseAnswer, rivalRetryMsOf, waitOut } from "../../session/hub/claims.ts";
import type { HelloFacts } from "../../session/hub/parsed-request.ts";
import {
  limitRetryMs,
  pendingRetryMs,
  type Rejection,
  type RejectionReason,
  retryAfterMsOf,
  tooManyKinds,
} from "../../session/hub/session-rejections.ts";
import { Takeovers } from "../../session/hub/takeovers.ts";
import { type ProofVerifier, proofBytes } from "../../session/proof.ts";
import type { FleetLog, LogProgress } from "../../store/fleet-log/fleet-log.ts";
import { type ClusterKey, type ClusterRecord, isSameKeyBytes } from "../clusters/cluster-record.ts";
import type { ClusterRegistry } from "../clusters/cluster-registry.ts";
import type { ClaimStore } from "./claim-store.ts";
import type { SessionFacts } from "./session-events.ts";

/** The inputs of one attempt. */
export interface SessionAttempt {
  readonly hello: HelloFacts;
  readonly nonce: Uint8Array;
  readonly signature: Uint8Array;
  readonly address: string;
  /** Called as soon as a key of the named cluster verifies the proof, before any waiting. */
  readonly noteProven?: (() => void) | undefined;
}

/** `isProven`: the agent proved a key of the cluster that it named. */
export type AdmissionJudgement =
  | { readonly kind: "proven"; readonly record: ClusterRecord; readonly key: ClusterKey }
  | { readonly kind: "rejected"; readonly rejection: Rejection; readonly isProven: boolean };

/** The agent holds the claim, its epoch is durable and its record is written. */
export interface SessionGrant {
  readonly kind: "granted";
  readonly session: SessionFacts;
  readonly durable: LogProgress;
}

export interface SessionAdmissionOptions {
  readonly hubName: string;
  readonly registry: ClusterRegistry;
  readonly verifier: ProofVerifier;
  readonly claims: ClaimStore;
  readonly fleetLog: FleetLog;
  readonly admission: Admission;
  readonly clock: Clock;
  readonly heartbeatMs: number;
  /** `--max-cluster-kinds`. */
  readonly maxKindCount: number;
  /** Resolves when the cluster's rows are loaded after a start. The cluster is loaded next. */
  readonly untilLoaded: (cluster: string) => Promise<void>;
}

/** The shortest interval between two searches for the owner of a foreign key. A search tries every registered key. */
const searchIntervalMs = 1_000;

function reject(reason: RejectionReason, retryAfterMs: number, detail: string, isProven: boolean): AdmissionJudgement {
  return { kind: "rejected", rejection: { reason, retryAfterMs, detail }, isProven };
}

/** Rejects an attempt with the right key until an administrator decides. */
function awaitAdministrator(reason: RejectionReason, detail: string): AdmissionJudgement {
  const rejection = { reason, retryAfterMs: pendingRetryMs, detail, awaitsAdministrator: true };
  return { kind: "rejected", rejection, isProven: true };
}

/** The result of an attempt to claim. */
type Claimed =
  | { readonly kind: "claimed"; readonly leaseEpoch: bigint }
  | { readonly kind: "rejected"; readonly rejection: Rejection };

function decline(rejection: Rejection): Claimed {
  return { kind: "rejected", rejection };
}

/** Judges attempts. Holds no state of a session. */
export class SessionAdmission {
  readonly #options: SessionAdmissionOptions;
  readonly #takeovers = new Takeovers();
  #searchedAtMs = Number.NEGATIVE_INFINITY;

  constructor(options: SessionAdmissionOptions) {
    this.#options = options;
  }

  /**
   * Checks key, cluster uid, approval and the number of kinds (SE57). Then waits for loading and for admission (SE32).
   * Rejects with the signal's reason.
   */
  async judge(attempt: SessionAttempt, signal: AbortSignal): Promise<AdmissionJudgement> {
    const { registry } = this.#options;
    const { clusterId, clusterUid } = attempt.hello;
    const record = await registry.load(clusterId);
    const key = record === undefined ? undefined : await this.#findKey(record, attempt);
    if (record === undefined || key === undefined) return this.#rejectKey(attempt);
    attempt.noteProven?.();
    if (record.clusterUid !== "" && clusterUid !== record.clusterUid) {
      const detail = `${clusterId} is registered for the cluster with uid ${record.clusterUid}, this one has ${clusterUid}; an administrator can accept the replacement`;
      return awaitAdministrator("WRONG_CLUSTER", detail);
    }
    if (!record.isApproved)
      return awaitAdministrator("UNAUTHORIZED", `${clusterId} waits for an administrator's approval`);
    const { maxKindCount } = this.#options;
    const { resources } = attempt.hello;
    if (resources.length > maxKindCount) {
      return reject("PROTOCOL", limitRetryMs, tooManyKinds(resources.length, maxKindCount), true);
    }
    const rejection = await this.#awaitTurn(clusterId, signal);
    return rejection === undefined ? { kind: "proven", record, key } : { kind: "rejected", rejection, isProven: true };
  }

  /**
   * A rejection for lack of room. The admission rate determines the retry delay, as for the attempts that it refuses.
   */
  rejectOverload(detail: string): Rejection {
    const { admission, clock } = this.#options;
    return { reason: "OVERLOADED", retryAfterMs: admission.retryAfterMs(clock.nowMs()), detail };
  }

  /**
   * Holds an attempt until it is admitted, which saves a second connection and proof. Returns undefined when admitted.
   */
  async #awaitTurn(cluster: string, signal: AbortSignal): Promise<Rejection | undefined> {
    const { admission, clock, untilLoaded } = this.#options;
    try {
      await withDeadline(() => untilLoaded(cluster), {
        clock,
        limitMs: holdMs,
        what: "the rows of the cluster",
        signal,
      });
    } catch (reason) {
      const isLate = reason instanceof FlotillaError && reason.code === "DEADLINE_EXCEEDED";
      if (!isLate || isCancellation(signal, reason)) throw reason;
      return this.rejectOverload("the hub is still loading the rows of this cluster");
    }
    const turn = admission.take(clock.nowMs());
    const detail = "the hub is accepting sessions at its maximum rate";
    if (turn.kind === "later") return { reason: "OVERLOADED", retryAfterMs: turn.retryAfterMs, detail };
    if (turn.waitMs > 0) await clock.sleep(turn.waitMs, signal);
    return undefined;
  }

  /**
   * Takes the claim, raises the epoch and writes the record. Call for one claim at a time. `endOlder` ends the session
   * that this one replaces.
   */
  async grant(
    { hello, address }: SessionAttempt,
    key: ClusterKey,
    endOlder: () => void,
  ): Promise<SessionGrant | Extract<AdmissionJudgement, { kind: "rejected" }>> {
    const { claims, fleetLog, clock, heartbeatMs } = this.#options;
    const { clusterId: cluster, shard, agentId, agentVersion, incarnation } = hello;
    const claimed = await this.#claim(hello, key.state === "next");
    if (claimed.kind === "rejected") return { ...claimed, isProven: true };
    endOlder();
    const epoch = ((await fleetLog.progress(cluster, shard))?.epoch ?? 0) + 1;
    const raised = await fleetLog.raiseEpoch(cluster, shard, epoch);
    if (raised.kind === "fenced") return this.#overtaken(hello);
    const connectedAtMs = clock.wallMs();
    const session = { cluster, shard, agentId, agentVersion, incarnation, address, epoch, connectedAtMs, heartbeatMs };
    const isOurs = await claims.begin(session, claimed.leaseEpoch);
    return isOurs ? { kind: "granted", session, durable: raised.durable } : this.#overtaken(hello);
  }

  /**
   * Another hub accepted a session of the cluster meanwhile (SE11). Releases the claim if it is still ours; the agent
   * retries.
   */
  async #overtaken(hello: HelloFacts): Promise<Extract<AdmissionJudgement, { kind: "rejected" }>> {
    const { claims, heartbeatMs } = this.#options;
    const { clusterId: cluster, shard } = hello;
    await claims.release(cluster, shard, hello);
    const detail = `another hub accepted a session of ${cluster} while this one began`;
    const rejection: Rejection = { reason: "ACTIVE_SESSION", retryAfterMs: heartbeatMs, detail };
    return { kind: "rejected", rejection, isProven: true };
  }

  /** Takes the claim, or returns the reason against it (SE8 to SE10, SE41, SE42). */
  async #claim(hello: HelloFacts, isRotated: boolean): Promise<Claimed> {
    const { claims, clock } = this.#options;
    const { clusterId: cluster, shard } = hello;
    const name = claimName(cluster, shard);
    const lease = await claims.acquire(cluster, shard, hello);
    const newest = await claims.load(cluster, shard);
    const decision = decideClaim({ ...hello, isRotated }, lease, newest, claims.times);
    if (decision.kind === "refused") return decline(decision.rejection);
    if (decision.kind === "orphaned") {
      await claims.release(cluster, shard, hello);
      if (newest !== undefined) await claims.lose(newest);
      return decline(waitOut(newest?.agentId ?? "", claims.times.graceMs));
    }
    const nowMs = clock.nowMs();
    const waitMs = decision.isTakeover ? this.#takeovers.waitMs(name, nowMs) : 0;
    if (waitMs > 0) {
      if (lease.kind === "held") await claims.release(cluster, shard, hello);
      const detail = `the session of ${cluster} moved between agent processes too often in the last minute; run one agent only`;
      return decline({ reason: "GRACE_PERIOD", retryAfterMs: Math.ceil(waitMs), detail });
    }
    const taken = decision.kind === "granted" ? lease : await claims.inherit(cluster, shard, hello, decision.from);
    if (taken.kind === "taken") return decline(refusalOf(taken, rivalRetryMsOf(claims.times.heartbeatMs)));
    if (decision.isTakeover) this.#takeovers.note(name, nowMs);
    return { kind: "claimed", leaseEpoch: taken.leaseEpoch };
  }

  /**
   * Updates the record from the session: metadata (N-32), namespaces, and the uid if it was unknown. A second key that
   * was used becomes the only key (SE8). Returns the newest record.
   */
  refresh(record: ClusterRecord, key: ClusterKey, hello: HelloFacts): Promise<ClusterRecord> {
    const { metadata, namespaces } = hello;
    return this.#options.registry.update(record.id, (newest) => {
      const clusterUid = newest.clusterUid === "" ? hello.clusterUid : newest.clusterUid;
      const isSame = clusterUid === newest.clusterUid && toPlainText(newest) === toPlainText({ metadata, namespaces });
      const shown = { ...newest, metadata, namespaces, clusterUid };
      const stored = newest.keys.find((known) => isSameKeyBytes(known.publicKey, key.publicKey));
      if (stored?.state !== "next") return isSame ? undefined : shown;
      return { ...shown, keys: [{ publicKey: key.publicKey, state: "active" }] };
    });
  }

  async #findKey(
    { keys }: ClusterRecord,
    { hello, nonce, signature }: SessionAttempt,
  ): Promise<ClusterKey | undefined> {
    const bytes = proofBytes(hello, this.#options.hubName, nonce);
    for (const key of keys) if (await this.#options.verifier.verify(key.publicKey, bytes, signature)) return key;
    return undefined;
  }

  /** Reports a key that belongs to another cluster. The search verifies every registered key, so it runs rarely. */
  async #rejectKey(attempt: SessionAttempt): Promise<AdmissionJudgement> {
    const { clock, registry } = this.#options;
    const { clusterId } = attempt.hello;
    if (clock.nowMs() - this.#searchedAtMs >= searchIntervalMs) {
      this.#searchedAtMs = clock.nowMs();
      for (const record of registry.list()) {
        if (record.id === clusterId || (await this.#findKey(record, attempt)) === undefined) continue;
        const detail = `the key of this agent belongs to another cluster than ${clusterId}`;
        return reject("WRONG_CLUSTER", retryAfterMsOf.WRONG_CLUSTER, detail, false);
      }
    }
    const detail = `the proof matches no registered key of ${clusterId}; join the cluster, or check the key of the agent`;
    return reject("UNAUTHORIZED", retryAfterMsOf.UNAUTHORIZED, detail, false);
  }
}

/** Another agent took the claim during the handover. */
function refusalOf({ holder }: Extract<LeaseAnswer, { kind: "taken" }>, retryAfterMs: number): Rejection {
  return {
    reason: "ACTIVE_SESSION",
    retryAfterMs,
    detail: `agent ${holder?.agentId ?? "another"} has taken the claim`,
  };
}

/** Equal for equal content, regardless of the order of labels. */
function toPlainText({ metadata, namespaces }: Pick<HelloFacts, "metadata" | "namespaces">): string {
  const { region, environment, version, kubernetesVersion, labels } = metadata;
  const sorted = [...labels].sort(([a], [b]) => (a < b ? -1 : 1));
  return JSON.stringify([
    region,
    environment,
    version,
    kubernetesVersion,
    sorted,
    namespaces.included,
    namespaces.excluded,
  ]);
}
