// SPDX-License-Identifier: Apache-2.0
import type { KindTable } from "../table/kind-table.ts";
import type { TextDictionary } from "../table/text-dictionary.ts";
import { type CopiedTexts, copyUsed, findUsed } from "./compact-texts.ts";
import type { HeldCluster } from "./held-cluster.ts";

/**
 * Removes texts that no row uses any more: copies a cluster's dictionaries without them and gives its tables new ids.
 * Readers use the old tables until `commit`. A fold of the cluster meanwhile makes it useless: `commit` then changes
 * nothing, and it can be tried again.
 */
export class ClusterCompaction {
  readonly #held: HeldCluster;
  readonly #fleetNames: () => TextDictionary;
  readonly #version: string;
  readonly #tables = new Map<string, KindTable>();
  #copied: CopiedTexts | undefined;

  /** `fleetNames` gives the dictionary of the namespaces of all clusters. */
  constructor(held: HeldCluster, fleetNames: () => TextDictionary) {
    this.#held = held;
    this.#fleetNames = fleetNames;
    this.#version = versionOf(held);
  }

  /** The work, in steps of a few milliseconds. Ends early if there is little garbage, or after a fold of the cluster. */
  *steps(): Generator<void, void, undefined> {
    for (const _ of this.#copy()) {
      yield;
      if (this.#version !== versionOf(this.#held)) return;
    }
  }

  /** Replaces dictionaries and tables in one step. Returns whether it did. */
  commit(): boolean {
    if (this.#version !== versionOf(this.#held)) return false;
    this.#held.texts.clearReplaced();
    if (this.#copied === undefined) return false;
    this.#copied.cluster.useFleetNames(this.#fleetNames());
    this.#copied.cluster.commit();
    this.#held.texts = this.#copied.cluster;
    for (const [resource, table] of this.#tables) this.#held.tables.set(resource, table);
    return true;
  }

  *#copy(): Generator<void, void, undefined> {
    const { texts, tables } = this.#held;
    const used = yield* findUsed(texts, tables.values());
    if (used.allBytes - used.usedBytes <= used.usedBytes) return;
    const copied = yield* copyUsed(texts, used);
    for (const [resource, table] of tables)
      this.#tables.set(resource, yield* table.renumberInSteps(copied.cluster, copied.ids));
    copied.cluster.trim();
    this.#copied = copied;
  }
}

/** Differs after each change of the rows or the dictionaries. */
function versionOf({ texts, tables }: HeldCluster): string {
  return [texts.version, ...Array.from(tables.values(), ({ version }) => version)].join(" ");
}
