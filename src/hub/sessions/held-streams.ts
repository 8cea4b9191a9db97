// SPDX-License-Identifier: Apache-2.0
import type { Rejection } from "../../session/hub/session-rejections.ts";
import type { ClusterRegistry } from "../clusters/cluster-registry.ts";
import type { SessionDriver } from "./session-driver.ts";

/**
 * The limit on held streams. A stream takes some 30 KiB. All of a fleet of 1,000 clusters can wait, after a restore
 * under another name.
 */
const maxHeldCount = 1_024;

/** Rejected attempts whose streams stay open until an administrator changes the registration (SE12). */
export class HeldStreams {
  readonly #byCluster = new Map<string, Set<SessionDriver>>();
  #count = 0;

  constructor(registry: Pick<ClusterRegistry, "listen">) {
    registry.listen((cluster) => this.#release(cluster));
  }

  /**
   * Returns false if no administrator can lift the rejection, or if the limit is reached. The agent then retries after
   * the given delay.
   */
  enter(cluster: string, driver: SessionDriver, { awaitsAdministrator = false }: Rejection): boolean {
    if (!awaitsAdministrator || this.#count >= maxHeldCount) return false;
    const held = this.#byCluster.get(cluster) ?? new Set();
    this.#byCluster.set(cluster, held.add(driver));
    this.#count += 1;
    return true;
  }

  /** Removes an ended stream. A driver that was not held is ignored. */
  leave(driver: SessionDriver): void {
    for (const [cluster, held] of this.#byCluster) {
      if (!held.delete(driver)) continue;
      this.#count -= 1;
      if (held.size === 0) this.#byCluster.delete(cluster);
      return;
    }
  }

  /** Closes the streams held for a cluster. Its agents reconnect at once and are judged by the new registration. */
  #release(cluster: string): void {
    for (const driver of this.#byCluster.get(cluster) ?? []) driver.dispatch({ kind: "released" });
  }
}
