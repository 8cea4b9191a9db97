// SPDX-License-Identifier: Apache-2.0
import { textAt } from "../../../apiserver/json/json.ts";
import type { ObjectReader } from "../../../apiserver/resources/object-reader.ts";
import { textOf, uidOf } from "../object-parts.ts";
import { hashText } from "../stable-hash.ts";

/** Addresses that a /24 has for Pods: not the network's, the bridge's, or that of all. */
const firstHost = 2;
const hostCount = 253;

/** Addresses of Pods, from their node's range. Each is in use by one Pod that has not ended, also while the write that gives it is under way. */
export class PodAddresses {
  readonly #objects: ObjectReader;
  /** Given out and not yet in the status of the Pod: address to uid. */
  readonly #promised = new Map<string, string>();

  constructor(objects: ObjectReader) {
    this.#objects = objects;
  }

  /** The address for a Pod on a node; the same until it is settled. */
  take(node: string, uid: string): string {
    for (const [address, holder] of this.#promised) if (holder === uid) return address;
    const cidr = textAt(this.#objects.get("nodes", "", node) ?? {}, "spec", "podCIDR") ?? "10.244.0.0/24";
    const prefix = cidr.split(".").slice(0, 3).join(".");
    const used = new Set<string>();
    for (const pod of this.#objects.list("pods"))
      if (uidOf(pod) !== uid && textOf(pod, "spec", "nodeName") === node) used.add(textOf(pod, "status", "podIP"));
    const first = hashText(uid) % hostCount;
    let address = "";
    for (let step = 0; step < hostCount; step += 1) {
      address = `${prefix}.${firstHost + ((first + step) % hostCount)}`;
      if (!used.has(address) && !this.#promised.has(address)) break;
    }
    this.#promised.set(address, uid);
    return address;
  }

  /** The Pod's status has its address, or will not. */
  settle(uid: string): void {
    for (const [address, holder] of this.#promised) if (holder === uid) this.#promised.delete(address);
  }
}
