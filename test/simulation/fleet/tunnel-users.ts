// SPDX-License-Identifier: Apache-2.0
// Users who look at objects of all clusters, all the time.
import type { SeededRandom } from "../../../src/base/random.ts";
import { resourceIdText } from "../../../src/model/gvr.ts";
import { authenticatedGroup } from "../../../src/model/subject.ts";
import { maxTunnelsOfCluster } from "../../../src/session/tunnel/tunnel.ts";
import type { World } from "../../support/sim/world.ts";
import { type SimCluster, worldKinds } from "./cluster.ts";
import { pick } from "./fault.ts";
import { strangers } from "./tunnel-cluster.ts";
import type { TunnelDoor } from "./tunnel-door.ts";
import type { Question } from "./tunnel-judge.ts";

/** A user who leaves before the answer. */
export class LeftError extends Error {
  override readonly name = "LeftError";
}

export interface UsersOptions {
  readonly world: World;
  readonly clusters: readonly SimCluster[];
  readonly door: TunnelDoor;
}

/** All users of a world; each asks once. */
export class Users {
  readonly #options: UsersOptions;
  readonly #random: SeededRandom;
  #userCount = 0;

  constructor(options: UsersOptions) {
    this.#options = options;
    this.#random = options.world.random.fork("users");
  }

  /**
   * Users ask until the signal aborts. Questions under way at the abort are still answered. Resolves with the last
   * answer.
   */
  async run(signal: AbortSignal): Promise<void> {
    const { world, clusters } = this.#options;
    const asking = new Set<Promise<void>>();
    while (!signal.aborted) {
      const cluster = pick(this.#random, clusters);
      // Now and then more than are let in at a time (TU5).
      const count = this.#random.int(30) === 0 ? maxTunnelsOfCluster + 2 : 1;
      for (let at = 0; at < count; at += 1) {
        const asked = this.#ask(cluster).finally(() => asking.delete(asked));
        asking.add(asked);
      }
      await world.clock.sleep(this.#random.int(500), signal).catch(() => undefined);
    }
    await Promise.all(asking);
  }

  /**
   * So many questions about objects that are there, of each cluster, all at once; answers how many brought no object.
   */
  async askAtOnce(countOfCluster: number, leaving: AbortSignal): Promise<number> {
    const { clusters, door } = this.#options;
    const outcomes = await Promise.all(
      clusters.flatMap((cluster) =>
        Array.from({ length: countOfCluster }, () => door.ask(this.#draw(cluster, "there"), leaving)),
      ),
    );
    return outcomes.filter((isAnswered) => isAnswered !== true).length;
  }

  async #ask(cluster: SimCluster): Promise<void> {
    const { world, door } = this.#options;
    const leaving = new AbortController();
    const isLeaving = this.#random.int(5) === 0;
    const staysMs = this.#random.int(this.#random.int(2) === 0 ? 100 : 8_000);
    const cancel = isLeaving
      ? world.clock.setTimer(staysMs, () => leaving.abort(new LeftError("the user left")))
      : undefined;
    await door.ask(this.#draw(cluster, this.#random.int(5) === 0 ? "any" : "there"), leaving.signal);
    cancel?.();
  }

  /** A question about an object that is there now, or about any name. */
  #draw({ id, server }: SimCluster, which: "there" | "any"): Question {
    this.#userCount += 1;
    const kinds = worldKinds
      .map((kind) => ({ kind, gvr: { ...kind.resource, version: kind.versions[0] ?? "v1" } }))
      .map(({ kind, gvr }) => ({ kind, objects: server.isServed(gvr) ? server.list(gvr) : [] }))
      .filter(({ objects }) => which === "any" || objects.length > 0);
    const { kind, objects } = pick(this.#random, kinds);
    const anyKey = { namespace: kind.isNamespaced ? "shop" : "", name: `${kind.kind.toLowerCase()}-0` };
    const { namespace, name } = which === "any" ? anyKey : pick(this.#random, objects);
    const isStranger = which === "any" && this.#random.int(3) === 0;
    return {
      user: `user-${this.#userCount}`,
      groups: [authenticatedGroup, `team-${this.#userCount % 5}`, ...(isStranger ? [strangers] : [])],
      cluster: id,
      resource: resourceIdText(kind.resource),
      namespace,
      name,
    };
  }
}
