// SPDX-License-Identifier: Apache-2.0
// Whether a session is accepted: key, cluster, admission and claim, in this order, so that nobody learns or takes anything
// before it has proven who it is (SE7, SE9 to SE12, SE32).
import type { Clock } from "../../base/clock.ts";
import type { Admission } from "../../session/hub/admission.ts";
import { decideClaim } from "../../session/hub/claims.ts";
import type { HelloFacts } from "../../session/hub/parsed-request.ts";
import { type Rejection, type RejectionReason, retryAfterMsOf } from "../../session/hub/session-words.ts";
import { type ProofVerifier, proofBytes } from "../../session/proof.ts";
import type { FleetLog, Progress } from "../../store/fleet-log.ts";
import type { ClaimStore } from "./claim-store.ts";
import { type ClusterKey, type ClusterRecord, isSameKeyBytes } from "./cluster-record.ts";
import type { ClusterRegistry } from "./cluster-registry.ts";
import type { SessionFacts } from "./fleet-observer.ts";

/** What an attempt brings. */
export interface Attempt {
  readonly hello: HelloFacts;
  readonly nonce: Uint8Array;
  readonly signature: Uint8Array;
  readonly address: string;
}

/** `isProven`: the agent has shown a key of the cluster it named. */
export type Judgement =
  | { readonly kind: "proven"; readonly record: ClusterRecord; readonly key: ClusterKey }
  | { readonly kind: "rejected"; readonly rejection: Rejection; readonly isProven: boolean };

/** The claim is the agent's, its epoch durable and its record written. */
export interface Grant {
  readonly kind: "granted";
  readonly session: SessionFacts;
  readonly durable: Progress;
}

export interface DoorkeeperOptions {
  readonly hubName: string;
  readonly registry: ClusterRegistry;
  readonly verifier: ProofVerifier;
  readonly claims: ClaimStore;
  readonly fleetLog: FleetLog;
  readonly admission: Admission;
  readonly clock: Clock;
  readonly heartbeatMs: number;
  /** Whether the cluster's rows are loaded after a start. */
  readonly isLoaded: (cluster: string) => boolean;
}

/** How long an agent waits whose cluster is still being loaded; it is loaded next. */
const loadingRetryMs = 2_000;

/** Between two searches for the owner of a key that is not the named cluster's: each tries every key there is. */
const searchIntervalMs = 1_000;

function reject(reason: RejectionReason, retryAfterMs: number, detail: string, isProven: boolean): Judgement {
  return { kind: "rejected", rejection: { reason, retryAfterMs, detail }, isProven };
}

/** Judges attempts; keeps nothing of a session. */
export class Doorkeeper {
  readonly #options: DoorkeeperOptions;
  #searchedAtMs = Number.NEGATIVE_INFINITY;

  constructor(options: DoorkeeperOptions) {
    this.#options = options;
  }

  /** Key, cluster uid, approval, pause, loading and admission. */
  async judge(attempt: Attempt): Promise<Judgement> {
    const { registry, isLoaded, admission, clock } = this.#options;
    const { clusterId, clusterUid } = attempt.hello;
    const record = await registry.load(clusterId);
    const key = record === undefined ? undefined : await this.#findKey(record, attempt);
    if (record === undefined || key === undefined) return this.#rejectKey(attempt);
    if (clusterUid !== record.clusterUid) {
      const detail = `${clusterId} is registered for the cluster with uid ${record.clusterUid}, this one has ${clusterUid}; an administrator can accept the replacement`;
      return reject("WRONG_CLUSTER", retryAfterMsOf.WRONG_CLUSTER, detail, true);
    }
    if (!record.isApproved)
      return reject(
        "UNAUTHORIZED",
        retryAfterMsOf.UNAUTHORIZED,
        `${clusterId} waits for an administrator's approval`,
        true,
      );
    if (record.isPaused) return reject("PAUSED", retryAfterMsOf.PAUSED, `${clusterId} is paused`, true);
    if (!isLoaded(clusterId))
      return reject("OVERLOADED", loadingRetryMs, "the hub is still loading what it knows of this cluster", true);
    const waitMs = admission.admit(clock.nowMs());
    if (waitMs > 0) return reject("OVERLOADED", waitMs, "the hub takes sessions at a bounded rate", true);
    return { kind: "proven", record, key };
  }

  /** Claim, epoch and record. Called for one claim at a time. `endOlder` ends a session that this one takes the place of. */
  async grant(
    { hello, address }: Attempt,
    endOlder: () => void,
  ): Promise<Grant | Extract<Judgement, { kind: "rejected" }>> {
    const { claims, fleetLog, clock, heartbeatMs } = this.#options;
    const { clusterId: cluster, shard, agentId, agentVersion, incarnation } = hello;
    const lease = await claims.acquire(cluster, shard, agentId);
    const decision = decideClaim(agentId, lease, await claims.load(cluster, shard), claims.leaseMs);
    if (decision.kind === "refused") return { kind: "rejected", rejection: decision.rejection, isProven: true };
    endOlder();
    const epoch = ((await fleetLog.progress(cluster, shard))?.epoch ?? 0) + 1;
    const durable = await fleetLog.raiseEpoch(cluster, shard, epoch);
    const connectedAtMs = clock.wallMs();
    const session = { cluster, shard, agentId, agentVersion, incarnation, address, epoch, connectedAtMs, heartbeatMs };
    await claims.begin(session);
    return { kind: "granted", session, durable };
  }

  /** Keeps the record as the session shows it: metadata (N-32), namespaces, and a second key that was used is the only one (SE8). Answers the newest record. */
  refresh(record: ClusterRecord, key: ClusterKey, { metadata, namespaces }: HelloFacts): Promise<ClusterRecord> {
    return this.#options.registry.update(record.id, (newest) => {
      const isSame = toPlainText(newest) === toPlainText({ metadata, namespaces });
      const stored = newest.keys.find((known) => isSameKeyBytes(known.publicKey, key.publicKey));
      if (stored?.state !== "next") return isSame ? undefined : { ...newest, metadata, namespaces };
      return { ...newest, metadata, namespaces, keys: [{ publicKey: key.publicKey, state: "active" }] };
    });
  }

  async #findKey({ keys }: ClusterRecord, { hello, nonce, signature }: Attempt): Promise<ClusterKey | undefined> {
    const bytes = proofBytes(hello, this.#options.hubName, nonce);
    for (const key of keys) if (await this.#options.verifier.verify(key.publicKey, bytes, signature)) return key;
    return undefined;
  }

  /** A key that belongs to another cluster is told so; the search costs a verification for each key, so it is rare. */
  async #rejectKey(attempt: Attempt): Promise<Judgement> {
    const { clock, registry } = this.#options;
    const { clusterId } = attempt.hello;
    if (clock.nowMs() - this.#searchedAtMs >= searchIntervalMs) {
      this.#searchedAtMs = clock.nowMs();
      for (const record of registry.list()) {
        if (record.id === clusterId || (await this.#findKey(record, attempt)) === undefined) continue;
        const detail = `the key of this agent names another cluster than ${clusterId}`;
        return reject("WRONG_CLUSTER", retryAfterMsOf.WRONG_CLUSTER, detail, false);
      }
    }
    const detail = `no key that is registered for ${clusterId} fits the proof; join the cluster, or check the key`;
    return reject("UNAUTHORIZED", retryAfterMsOf.UNAUTHORIZED, detail, false);
  }
}

/** Equal for equal content, whatever the order of labels. */
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
