// SPDX-License-Identifier: Apache-2.0
import { compareUtf8 } from "../../model/text.ts";

/** An RBAC object that grants less than it may grant in its cluster, because its row cannot be read. */
export interface GrantFault {
  readonly resource: string;
  readonly namespace: string;
  readonly name: string;
  /** One sentence without values of the row. */
  readonly sentence: string;
}

/** The objects with faults of one cluster. */
export interface GrantFaultList {
  readonly count: number;
  /** The first of them by resource, namespace and name, at most `maxNamedFaults`. */
  readonly named: readonly GrantFault[];
}

/** Enough to find the cause; the count shows how many there are. */
export const maxNamedFaults = 100;

/** The faults of the RBAC rows of one cluster, at most one per object. There are no more faults than rows. */
export class GrantFaults {
  readonly #byKey = new Map<string, GrantFault>();

  /** Replaces the fault of an object; undefined removes it. */
  set(object: Omit<GrantFault, "sentence">, sentence: string | undefined): void {
    const { resource, namespace, name } = object;
    const key = JSON.stringify([resource, namespace, name]);
    if (sentence === undefined) this.#byKey.delete(key);
    else this.#byKey.set(key, { resource, namespace, name, sentence });
  }

  list(): GrantFaultList {
    const sorted = [...this.#byKey.values()].sort(
      (a, b) =>
        compareUtf8(a.resource, b.resource) || compareUtf8(a.namespace, b.namespace) || compareUtf8(a.name, b.name),
    );
    return { count: sorted.length, named: sorted.slice(0, maxNamedFaults) };
  }
}
