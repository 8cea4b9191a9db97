// SPDX-License-Identifier: Apache-2.0
import type { Clock } from "../../base/time/clock.ts";
import type { Transition } from "../../health/transition.ts";
import { parseClusterId } from "../../model/cluster-id.ts";
import type { HealthSink } from "../health/cluster-health.ts";
import type { SessionHistory } from "./session-history.ts";
import { cellCount, cellMs, Strip } from "./strip.ts";
import type { TransitionHistory } from "./transition-history.ts";

export interface AvailabilityStripsOptions {
  readonly clock: Clock;
  readonly transitions: Pick<TransitionHistory, "list">;
  readonly sessions: Pick<SessionHistory, "loadWatched">;
}

/** The retention limit of transitions per cluster, so one read returns all. */
const maxRecordCount = 1_000;

/** The availability strips of all clusters, updated by transitions and completed with stored ones of earlier runs. */
export class AvailabilityStrips implements HealthSink {
  readonly #options: AvailabilityStripsOptions;
  readonly #beganMs: number;
  readonly #strips = new Map<string, Strip>();

  constructor(options: AvailabilityStripsOptions) {
    this.#options = options;
    this.#beganMs = options.clock.wallMs();
  }

  transition(transition: Transition): void {
    const { cluster, from } = transition;
    const strip = this.#strips.get(cluster) ?? new Strip(from, this.#beganMs);
    this.#strips.set(cluster, strip);
    strip.note(transition);
  }

  /** The encoded strip of a cluster with this state and registration time. */
  toBytes(
    cluster: string,
    { state, registeredMs }: { readonly state: string; readonly registeredMs: number },
  ): Uint8Array {
    const strip = this.#strips.get(cluster) ?? new Strip(state, Math.max(this.#beganMs, registeredMs));
    this.#strips.set(cluster, strip);
    return strip.toBytes(this.#options.clock.wallMs());
  }

  /** Loads stored transitions of these clusters. Rejects with the store's failure; strips loaded before it are kept. */
  async load(
    clusters: readonly { readonly id: string; readonly createdAtMs: number; readonly state: string }[],
    signal: AbortSignal,
  ): Promise<void> {
    const { transitions, sessions } = this.#options;
    const watched = await sessions.loadWatched(this.#beganMs - cellCount * cellMs - cellMs);
    for (const { id, createdAtMs, state } of clusters) {
      if (signal.aborted) return;
      const records = await transitions.list(parseClusterId(id), { limit: maxRecordCount });
      const strip = this.#strips.get(id) ?? new Strip(state, Math.max(this.#beganMs, createdAtMs));
      this.#strips.set(id, strip);
      strip.addPast({ records, watched, registeredMs: createdAtMs, untilMs: this.#beganMs });
    }
  }

  forget(cluster: string): void {
    this.#strips.delete(cluster);
  }
}
