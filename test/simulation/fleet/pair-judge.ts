// SPDX-License-Identifier: Apache-2.0
// What is promised of two hubs on one store, beyond what each of them promises.

import { hasCode } from "../../../src/base/error.ts";
import type { FleetTask, HeldLease } from "../../../src/hub/fleet-tasks.ts";
import { put, type Store } from "../../../src/store/store.ts";
import type { StoreEngine } from "../../../src/store/store-engine.ts";
import { decodeValue, splitKey } from "../../../src/store/table.ts";
import { objects, sessions } from "../../../src/store/tables.ts";
import type { SimDisk } from "../../support/sim/disk.ts";
import type { World } from "../../support/sim/world.ts";
import type { Passage } from "./tap.ts";

/** Holds what passes the doors of both hubs, and what is in their store, against the rules of claims. */
export class PairJudge {
  readonly violations: string[] = [];
  readonly #world: World;
  readonly #welcomed = new Set<string>();
  readonly #holders = new Map<string, HeldLease>();

  constructor(world: World) {
    this.#world = world;
  }

  /** A message passes the door of a hub: no epoch is given to two sessions (SE11). */
  take({ kind, direction, stream: { cluster, epoch } }: Passage): void {
    if (direction !== "down" || kind !== "welcome") return;
    const name = `epoch ${epoch} of ${cluster}`;
    if (this.#welcomed.has(name)) this.#blame(`${name} was given to two sessions`);
    this.#welcomed.add(name);
  }

  /** Work that one hub does for all: never two hubs at a time (ST44). */
  fleetTask(hubAt: string, store: Store): FleetTask {
    return async (held) => {
      const { fence, signal } = held;
      this.#world.trace.add(`${hubAt} does the tasks of the fleet in epoch ${fence.epoch}`);
      for (const [other, theirs] of this.#holders)
        if (other !== hubAt && !theirs.signal.aborted) this.#blame(`${hubAt} and ${other} do the tasks of the fleet`);
      this.#holders.set(hubAt, held);
      while (!signal.aborted) {
        const value = { body: new TextEncoder().encode(`${hubAt} ${this.#world.clock.nowMs()}`) };
        try {
          const outcome = await store.commit([put(objects, ["root", "tasks", "", "done"], value)], { fence });
          if (outcome.kind === "fenced") this.#world.trace.add(`${hubAt} is fenced from the tasks of the fleet`);
        } catch (reason) {
          if (!hasCode(reason, "UNAVAILABLE")) throw reason;
        }
        await this.#world.clock.sleep(400, signal);
      }
    };
  }

  /** The hubs go on from a copy: epochs count on from there. */
  goBack(): void {
    this.#welcomed.clear();
  }

  /**
   * As the store was written: the record of a (cluster, shard) is never put back to an older session by a hub that was
   * slow (SE9, ST26), and no task of the fleet is done by a hub that another one has followed (ST44).
   */
  checkRecords(disk: SimDisk<StoreEngine>): void {
    const newest = new Map<string, number>();
    let newestTaskEpoch = 0;
    for (const { method, args, result } of disk.calls) {
      if (method !== "commit") continue;
      for (const [unitAt, unit] of args[0].entries()) {
        if (result[unitAt]?.kind !== "committed") continue;
        const taskEpoch = unit.fence?.lease === "fleet-tasks" ? unit.fence.epoch : newestTaskEpoch;
        if (taskEpoch < newestTaskEpoch)
          this.#blame(`a task of the fleet was done in epoch ${taskEpoch}, after ${newestTaskEpoch} began`);
        newestTaskEpoch = Math.max(newestTaskEpoch, taskEpoch);
        for (const { table, key, body } of unit.writes) {
          if (table !== sessions.name || body === null) continue;
          const { epoch } = decodeValue(sessions, body);
          const cluster = splitKey(key)[1] ?? "";
          const before = newest.get(cluster) ?? 0;
          if (epoch < before) this.#blame(`the record of ${cluster} went from epoch ${before} to ${epoch}`);
          newest.set(cluster, Math.max(before, epoch));
        }
      }
    }
  }

  #blame(sentence: string): void {
    this.#world.trace.add(`VIOLATION ${sentence}`);
    this.violations.push(`at ${this.#world.clock.nowMs()} ms ${sentence}`);
  }
}
