// SPDX-License-Identifier: Apache-2.0
import type { Controller } from "../../../controllers/run-controller.ts";
import type { ClusterClient } from "../../controllers/cluster-client.ts";
import type { ObjectChange } from "../../resources/object-reader.ts";

/**
 * Runs a controller by hand, one key after the other, so that a test knows when there is nothing left to do. Keys that
 * failed, or asked to be called later, are put aside until `retry`.
 */
export class DrivenController {
  readonly #controller: Controller<ObjectChange>;
  readonly #pick: (count: number) => number;
  readonly #keys = new Set<string>();
  readonly #later = new Set<string>();
  readonly #unsubscribe: () => void;
  /** What reconciles were rejected with. */
  readonly failures: unknown[] = [];

  /** `pick` chooses the next key among so many; the default takes the oldest. */
  constructor(client: ClusterClient, controller: Controller<ObjectChange>, pick: (count: number) => number = () => 0) {
    this.#controller = controller;
    this.#pick = pick;
    this.#unsubscribe = client.objects.subscribe((change) => {
      for (const key of controller.keysOf(change)) this.#keys.add(key);
    });
    for (const key of controller.keys()) this.#keys.add(key);
  }

  /** Keys that were put aside. */
  get waitingKeys(): readonly string[] {
    return [...this.#later];
  }

  /** Works until there is nothing to do, or on so many keys. */
  async settle(limit = Number.POSITIVE_INFINITY): Promise<void> {
    const { signal } = new AbortController();
    for (let count = 0; count < limit && this.#keys.size > 0; count += 1) {
      const key = [...this.#keys][this.#pick(this.#keys.size)] ?? "";
      this.#keys.delete(key);
      this.#later.delete(key);
      try {
        const { retryAfterMs } = await this.#controller.reconcile(key, signal);
        if (retryAfterMs !== undefined) this.#later.add(key);
      } catch (reason) {
        this.failures.push(reason);
        this.#later.add(key);
      }
    }
  }

  /** Works on what was put aside, as if its time had come. */
  async retry(): Promise<void> {
    for (const key of this.#later) this.#keys.add(key);
    await this.settle();
  }

  /** It no longer sees changes. */
  stop(): void {
    this.#unsubscribe();
  }
}
