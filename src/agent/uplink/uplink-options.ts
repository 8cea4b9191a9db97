// SPDX-License-Identifier: Apache-2.0
// What the uplink is given: its ports, its settings, and the three things it reads of the cluster.
import type { BackoffOptions } from "../../base/backoff.ts";
import type { Clock } from "../../base/clock.ts";
import type { FlotillaError } from "../../base/error.ts";
import type { Logger } from "../../base/log.ts";
import type { Metrics } from "../../base/metrics.ts";
import type { Random } from "../../base/random.ts";
import type { KindState } from "../../gen/flotilla/session/v1/session_pb.ts";
import type { Codec } from "../../model/codec.ts";
import type { ResourceId } from "../../model/gvr.ts";
import type { Hasher } from "../../model/hasher.ts";
import type { SessionConfig } from "../../session/agent/parse-response.ts";
import type { RowTable } from "../../session/agent/row-table.ts";
import type { SessionOptions } from "../../session/agent/session-event.ts";
import type { Signer } from "../../session/proof.ts";
import type { SessionTransport } from "../../session/transport.ts";
import type { TunnelOffer } from "../../session/tunnel/tunnel.ts";
import type { UplinkStatus } from "./uplink-status.ts";

/** What collects one kind says of it. Times are of the agent's clock; on the wire they become durations (L20). */
export interface KindStatusReport {
  readonly resource: string;
  readonly state: KindState;
  readonly version: string;
  /** Since when it is in this state. */
  readonly sinceMs: number;
  /** When its rows were last known to be current; undefined while there was no complete list. While watched it need not move on. */
  readonly currentAtMs: number | undefined;
  /** When the newest list was completed that a watch goes on from; undefined while there was none (SE47). */
  readonly listedAtMs: number | undefined;
  /** Fault, verb and text of a failure; "" without one. */
  readonly fault: string;
  readonly verb: string;
  readonly error: string;
  readonly refusedCount: number;
  readonly refusedError: string;
  readonly leftOutCount: number;
  readonly overrunMs: number;
}

/** The reports of all kinds. Whether a kind is complete is not among them: the row table knows. */
export interface KindReports {
  list(): readonly KindStatusReport[];
  /** Calls back after any of them changed; what it returns ends that. */
  subscribe(onChange: () => void): () => void;
}

/** How the API server answers probes; `fault` is "" while it does. */
export interface ApiServerStatus {
  readonly fault: string;
  readonly sinceMs: number;
  readonly error: string;
  readonly attemptCount: number;
  /** When the next attempt comes; undefined when none is planned. */
  readonly retryAtMs: number | undefined;
}

/** When the agent's own credential for its API server ends, by the wall clock, and how long it is good for in all; 0 where that is not known. */
export interface CredentialTerm {
  readonly endsAtMs: number;
  readonly lifetimeMs: number;
}

/** What an agent says of itself in Hello. */
export interface AgentIdentity {
  readonly clusterId: string;
  readonly shard: string;
  /** Names the place where it runs (SE1). Left out: one of its own for this process. */
  readonly agentId?: string;
  readonly clusterUid: string;
  readonly agentVersion: string;
  readonly metadata: {
    readonly region: string;
    readonly environment: string;
    readonly version: string;
    readonly kubernetesVersion: string;
    readonly labels: Readonly<Record<string, string>>;
  };
  readonly includedNamespaces: readonly string[];
  readonly excludedNamespaces: readonly string[];
}

/** Everything `runUplink` takes. */
export interface UplinkOptions {
  readonly clock: Clock;
  readonly random: Random;
  readonly transport: SessionTransport;
  readonly codec: Codec;
  readonly hasher: Hasher;
  readonly signer: Signer;
  readonly log: Logger;
  readonly metrics: Metrics;
  readonly identity: AgentIdentity;
  readonly rows: RowTable;
  readonly kindReports: KindReports;
  readonly apiServer: () => ApiServerStatus;
  /** Calls back after its verdict changed, or a probe that was asked for is over, so that the hub hears of it at once (SE44, SE45); what it returns ends that. */
  readonly onApiServerVerdict?: (listener: () => void) => () => void;
  /** Undefined where no end is known; left out where there is no credential. */
  readonly credentialTerm?: () => CredentialTerm | undefined;
  /** The hub holds rows of these kinds, which the Hello did not name (SE58). Must not throw. */
  readonly noteHeld?: (resources: readonly ResourceId[]) => void;
  /** The hub wants the API server tried now (SE45). Left out where there is none to try. */
  readonly probeApiServer?: () => void;
  /** The hub wants a tunnel opened (TU1). Left out where none is served, which Hello says (TU3). Must not throw. What it cannot tell in the tunnel is told in the session. */
  readonly openTunnel?: (offer: TunnelOffer, tellFailure: (error: FlotillaError) => void) => void;
  readonly session: SessionOptions;
  /** `--reconnect-first`, `--reconnect-factor`, `--reconnect-cap`, `--reconnect-stable` (SE32). */
  readonly reconnect: BackoffOptions;
  /** How long a dial may take before it counts as failed. */
  readonly dialTimeoutMs: number;
  /** Called at each change, for the health endpoint. */
  readonly onStatus: (status: UplinkStatus) => void;
  /**
   * Another process has written what the hub holds: no list that began before now counts (SE36). At once no kind is complete, and all are listed anew.
   * Left out where rows are of this moment by themselves.
   */
  readonly relist?: () => void;
  /** The hub asks for another time between scans, or for a pause; undefined leaves the agent's own setting. */
  readonly onConfig: (config: SessionConfig) => void;
}
