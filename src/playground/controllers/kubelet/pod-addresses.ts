// SPDX-License-Identifier: Apache-2.0
import { textAt, textOf } from "../../../apiserver/json/json-fields.ts";
import type { ObjectReader } from "../../../apiserver/resources/object-reader.ts";
import { uidOf } from "../object-parts.ts";
import { hashText } from "../stable-hash.ts";

/** Pod addresses of a /24: without the network, bridge and broadcast addresses. */
const firstHost = 2;
const hostCount = 253;

/**
 * Allocates Pod addresses from their node's range. An address belongs to one Pod, also while its status is being
 * written.
 */
export class PodAddresses {
  readonly #objects: ObjectReader;
  /** Allocated and not yet in the Pod's status: address to uid. */
  readonly #reserved = new Map<string, string>();

  constructor(objects: ObjectReader) {
    this.#objects = objects;
  }

  /** The address for a Pod on a node; the same until `settle`. */
  take(node: string, uid: string): string {
    for (const [address, holder] of this.#reserved) if (holder === uid) return address;
    const cidr = textAt(this.#objects.get("nodes", "", node) ?? {}, "spec", "podCIDR") ?? "10.244.0.0/24";
    const prefix = cidr.split(".").slice(0, 3).join(".");
    const used = new Set<string>();
    for (const pod of this.#objects.list("pods"))
      if (uidOf(pod) !== uid && textOf(pod, "spec", "nodeName") === node) used.add(textOf(pod, "status", "podIP"));
    const first = hashText(uid) % hostCount;
    let address = "";
    for (let step = 0; step < hostCount; step += 1) {
      address = `${prefix}.${firstHost + ((first + step) % hostCount)}`;
      if (!used.has(address) && !this.#reserved.has(address)) break;
    }
    this.#reserved.set(address, uid);
    return address;
  }

  /** Drops the reservation: the Pod's status holds the address, or its write failed. */
  settle(uid: string): void {
    for (const [address, holder] of this.#reserved) if (holder === uid) this.#reserved.delete(address);
  }
}
