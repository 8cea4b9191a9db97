// SPDX-License-Identifier: Apache-2.0
// The uplink's inputs: ports, settings, and its three sources of cluster state.

import type { FlotillaError } from "../../base/error.ts";
import type { Logger } from "../../base/log.ts";
import type { Metrics } from "../../base/metrics.ts";
import type { Random } from "../../base/random.ts";
import type { BackoffOptions } from "../../base/time/backoff.ts";
import type { Clock } from "../../base/time/clock.ts";
import type { KindState } from "../../gen/flotilla/session/v1/session_pb.ts";
import type { ResourceId } from "../../model/gvr.ts";
import type { Codec } from "../../model/rows/codec.ts";
import type { Hasher } from "../../model/rows/hasher.ts";
import type { AccessReportFacts, ReviewAnswer, ReviewOrder } from "../../session/access-samples/access-sample.ts";
import type { SessionConfig } from "../../session/agent/parse-response.ts";
import type { RowTable } from "../../session/agent/row-table.ts";
import type { SessionOptions } from "../../session/agent/session-event.ts";
import type { HintAnswer, ObjectHint } from "../../session/hints/hint.ts";
import type { Signer } from "../../session/proof.ts";
import type { SessionTransport } from "../../session/transport.ts";
import type { TunnelOffer } from "../../session/tunnel/tunnel.ts";
import type { UplinkStatus } from "./uplink-status.ts";

/** A collector's report of one kind. Times are by the agent's clock; on the wire they become durations (L20). */
export interface KindStatusReport {
  readonly resource: string;
  readonly state: KindState;
  readonly version: string;
  /** When the kind entered this state. */
  readonly sinceMs: number;
  /**
   * When its rows were last known to be current; undefined before a complete list. Need not advance while the kind is
   * watched.
   */
  readonly currentAtMs: number | undefined;
  /** When the newest list was completed from which a watch continues; undefined before that (SE47). */
  readonly listedAtMs: number | undefined;
  /** Fault, verb and message of a failure; "" without one. */
  readonly fault: string;
  readonly verb: string;
  readonly error: string;
  readonly refusedCount: number;
  readonly refusedError: string;
  readonly leftOutCount: number;
  readonly overrunMs: number;
}

/** The reports of all kinds. Completeness is not part of them: the row table holds it. */
export interface KindReports {
  list(): readonly KindStatusReport[];
  /** Calls back after any report changed. Returns the unsubscribe function. */
  subscribe(onChange: () => void): () => void;
}

/** The API server's state by its probes; `fault` is "" while it answers. */
export interface ApiServerStatus {
  readonly fault: string;
  readonly sinceMs: number;
  readonly error: string;
  readonly attemptCount: number;
  /** When the next attempt is due; undefined if none is planned. */
  readonly retryAtMs: number | undefined;
}

/**
 * The lifetime of the agent's credential for its API server: its end by the wall clock, and its whole length, 0 where
 * not known.
 */
export interface CredentialTerm {
  readonly endsAtMs: number;
  readonly lifetimeMs: number;
}

/** The agent's part of access reviews (SE62 to SE64). */
export interface AccessPort {
  /** The newest report; undefined before the first. */
  report(): AccessReportFacts | undefined;
  /** Calls back when there is a new report. Returns the unsubscribe function. */
  subscribe(listener: () => void): () => void;
  /** Reviews requests for the hub and replies later, once, or never. Must not throw. */
  answer(order: ReviewOrder, reply: (answer: ReviewAnswer) => void): void;
}

/** The agent's self-description in Hello. */
export interface AgentIdentity {
  readonly clusterId: string;
  readonly shard: string;
  /** Identifies the place where the agent runs (SE1). If omitted, an id is created for this process. */
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

/** Dependencies and settings of `runUplink`. */
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
  /**
   * Calls back after the verdict changed or a requested probe ended, so that the hub learns at once (SE44, SE45).
   * Returns the unsubscribe function.
   */
  readonly onApiServerVerdict?: (listener: () => void) => () => void;
  /** Returns undefined if no end is known. Omitted without a credential. */
  readonly credentialTerm?: () => CredentialTerm | undefined;
  /** The hub holds rows of these kinds, which Hello did not name (SE58). Must not throw. */
  readonly noteHeld?: (resources: readonly ResourceId[]) => void;
  /** The hub requests a probe of the API server now (SE45). Omitted if there is none to probe. */
  readonly probeApiServer?: () => void;
  /**
   * The hub requests a tunnel (TU1). Omitted if none are served, which Hello states (TU3). Must not throw. Failures
   * that cannot be sent in the tunnel are sent over the session.
   */
  readonly openTunnel?: ((offer: TunnelOffer, reportFailure: (error: FlotillaError) => void) => void) | undefined;
  /** Omitted if the agent neither reports how its cluster authorizes nor reviews access. */
  readonly access?: AccessPort | undefined;
  /**
   * The hub passes on a hint (SE65). Omitted if none are taken, which Hello states. Answers later, once, or never. Must
   * not throw.
   */
  readonly takeHint?: ((hint: ObjectHint, reply: (answer: HintAnswer) => void) => void) | undefined;
  readonly session: SessionOptions;
  /** `--reconnect-first`, `--reconnect-factor`, `--reconnect-cap`, `--reconnect-stable` (SE32). */
  readonly reconnect: BackoffOptions;
  /** Time after which a dial counts as failed. */
  readonly dialTimeoutMs: number;
  /** Called at each change, for the health endpoint. */
  readonly onStatus: (status: UplinkStatus) => void;
  /**
   * Another process wrote the rows that the hub holds: lists that began before now no longer count (SE36). All kinds
   * become incomplete at once and are listed again. Omitted where the rows are current without lists.
   */
  readonly relist?: () => void;
  /** The hub's setting of the scan interval, or a pause; undefined keeps the agent's own setting. */
  readonly onConfig: (config: SessionConfig) => void;
}
