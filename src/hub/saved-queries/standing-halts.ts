// SPDX-License-Identifier: Apache-2.0
import { describeStandingChange } from "./query-audit.ts";
import type { StandingQueryPorts } from "./standing-query-ports.ts";
import type { StandingQueryRecord } from "./standing-query-record.ts";
import type { PendingDelivery } from "./standing-query-state.ts";
import type { StandingStateStore } from "./standing-state-store.ts";

/** Ends the evaluation and the deliveries of one query until it is resumed. */
export class StandingHalts {
  readonly #record: StandingQueryRecord;
  readonly #states: StandingStateStore;
  readonly #ports: Pick<StandingQueryPorts, "clock" | "log" | "findOwnerFault">;

  constructor(
    record: StandingQueryRecord,
    states: StandingStateStore,
    ports: Pick<StandingQueryPorts, "clock" | "log" | "findOwnerFault">,
  ) {
    this.#record = record;
    this.#states = states;
    this.#ports = ports;
  }

  /** True while the query is suspended or dead. */
  get isHalted(): boolean {
    return this.#states.state.halt?.generation === this.#record.generation;
  }

  /** True if the owner has lost the right; the query is suspended then. Throws if that is not known now. */
  async suspendIfInvalid(): Promise<boolean> {
    const fault = this.#ports.findOwnerFault(this.#record.owner);
    if (fault === undefined) return false;
    await this.halt("suspended", fault);
    return true;
  }

  /** A suspension has an audit record (SQ10). A pending delivery is kept. */
  async halt(
    kind: "suspended" | "dead",
    reason: string,
    pending: PendingDelivery | undefined = this.#states.state.pending,
  ): Promise<void> {
    const { clock, log } = this.#ports;
    const halt = { kind, reason, atMs: Math.round(clock.wallMs()), generation: this.#record.generation };
    const entry = describeStandingChange("standingQuery.suspend", this.#record, { reason });
    await this.#states.write({ halt, pending }, kind === "suspended" ? { entry } : {});
    log.warn("a standing query is no longer evaluated", { phase: kind, reason });
  }
}
