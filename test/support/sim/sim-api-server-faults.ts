// SPDX-License-Identifier: Apache-2.0
import type { SimRequest } from "./sim-api-server-request.ts";

/** What goes wrong with a request. */
export type SimFault =
  /** Answered with this status. */
  | { readonly kind: "status"; readonly status: number; readonly retryAfterMs?: number }
  /** Never answered. */
  | { readonly kind: "hang" }
  /** The connection breaks instead of an answer. */
  | { readonly kind: "reset" }
  /** The body of a list comes that much later than its head. */
  | { readonly kind: "slowBody"; readonly delayMs: number }
  /** The body of a list breaks off half way. */
  | { readonly kind: "cutBody" }
  /** A watch is answered and then says nothing. */
  | { readonly kind: "silentWatch" };

/** Which requests a fault meets and how often. */
export interface SimFaultRule {
  readonly fault: SimFault;
  /** Default: all. */
  readonly matches?: (request: SimRequest) => boolean;
  /** After that many it is over; default: until removed. */
  readonly count?: number;
}

/** The faults in force. The first rule that matches counts. */
export class SimFaults {
  #rules: { readonly rule: SimFaultRule; left: number }[] = [];

  /** What it returns takes the rule away again. */
  add(rule: SimFaultRule): () => void {
    const entry = { rule, left: rule.count ?? Number.POSITIVE_INFINITY };
    this.#rules.push(entry);
    return () => {
      this.#rules = this.#rules.filter((each) => each !== entry);
    };
  }

  clear(): void {
    this.#rules = [];
  }

  /** The fault that this request meets, if any. */
  take(request: SimRequest): SimFault | undefined {
    for (const entry of this.#rules) {
      if (entry.left <= 0 || entry.rule.matches?.(request) === false) continue;
      entry.left -= 1;
      return entry.rule.fault;
    }
    return undefined;
  }
}
