// SPDX-License-Identifier: Apache-2.0
import { FlotillaError } from "../../base/error.ts";
import { type DriftRound, type DriftState, driftOf, isSameDrift, noDrift, stepDrift } from "./drift-state.ts";
import {
  type DriftFollower,
  DriftStore,
  type DriftStoreOptions,
  neverStored,
  type StoredDrift,
} from "./drift-store.ts";
import type { DriftTelemetry } from "./drift-telemetry.ts";

export interface ClusterDriftsOptions extends DriftStoreOptions {
  readonly telemetry: DriftTelemetry;
  /** Called after the drift of a cluster has changed. */
  readonly onDrift?: ((cluster: string) => void) | undefined;
}

interface HeldDrift {
  /** The same object as the stored state, unless it could not be written yet. */
  state: DriftState;
  stored: StoredDrift;
}

/** The drift of each cluster, in memory as in the store (RB83). Clusters without an entry have none. */
export class ClusterDrifts {
  readonly #options: ClusterDriftsOptions;
  readonly #store: DriftStore;
  readonly #byCluster = new Map<string, HeldDrift>();

  constructor(options: ClusterDriftsOptions) {
    this.#options = options;
    this.#store = new DriftStore(options);
  }

  of(cluster: string): DriftState {
    return this.#byCluster.get(cluster)?.state ?? noDrift;
  }

  /** Reads the stored drift once. */
  load(): Promise<void> {
    return this.#store.load(this.#follower);
  }

  /** Follows the stored drift until the signal aborts; then rejects with its reason. */
  follow(signal: AbortSignal): Promise<void> {
    return this.#store.follow(this.#follower, signal);
  }

  /**
   * Takes the samples of a round. Drift that withholds rows takes effect before it is stored, any other state after it.
   * A state that could not be stored is stored with the next round.
   */
  async applyRound(cluster: string, round: DriftRound): Promise<void> {
    const held = this.#byCluster.get(cluster) ?? { state: neverStored.state, stored: neverStored };
    const state = stepDrift(held.state, round, this.#options.maxDiffering);
    if (isSameDrift(state, held.stored.state)) return this.#setState(cluster, held, held.stored.state);
    this.#byCluster.set(cluster, held);
    if (driftOf(state) === "shownButDenied") this.#setState(cluster, held, state);
    const stored = await this.#save(cluster, state, held.stored);
    if (stored === undefined || this.#byCluster.get(cluster) !== held) return;
    // Another hub may have stored a newer state, and the watch may have delivered it already.
    if (stored.revision > held.stored.revision) held.stored = stored;
    this.#setState(cluster, held, held.stored.state);
  }

  /** Drops what is known of a removed cluster. Its removal has deleted what was stored. */
  forget(cluster: string): void {
    this.#byCluster.delete(cluster);
    this.#showDrifts();
  }

  /** Takes what this or another hub has stored. What could not be stored yet stays: its next write joins both. */
  readonly #follower: DriftFollower = {
    drifted: () =>
      [...this.#byCluster].flatMap(([cluster, { stored }]) => (driftOf(stored.state) === "none" ? [] : [cluster])),
    take: (cluster, stored) => {
      const held = this.#byCluster.get(cluster) ?? { state: neverStored.state, stored: neverStored };
      if (stored.revision <= held.stored.revision) return;
      if (driftOf(stored.state) !== "none") this.#byCluster.set(cluster, held);
      const wasStored = held.state === held.stored.state;
      held.stored = stored;
      if (wasStored) this.#setState(cluster, held, stored.state);
    },
  };

  /** Undefined if nothing was stored: the cluster is gone, or the store does not answer. */
  async #save(cluster: string, state: DriftState, before: StoredDrift): Promise<StoredDrift | undefined> {
    try {
      return await this.#store.save(cluster, state, before);
    } catch (reason) {
      if (!(reason instanceof FlotillaError)) throw reason;
      this.#options.telemetry.noteUnstored(cluster, reason);
      return undefined;
    }
  }

  #setState(cluster: string, held: HeldDrift, state: DriftState): void {
    const { telemetry, onDrift } = this.#options;
    const before = driftOf(held.state);
    held.state = state;
    const drift = driftOf(state);
    if (drift === before) return;
    this.#showDrifts();
    telemetry.noteChange(cluster, drift);
    onDrift?.(cluster);
  }

  #showDrifts(): void {
    this.#options.telemetry.showDrifts(Array.from(this.#byCluster.values(), ({ state }) => driftOf(state)));
  }
}
