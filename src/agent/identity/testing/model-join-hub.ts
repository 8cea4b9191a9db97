// SPDX-License-Identifier: Apache-2.0
import { FlotillaError } from "../../../base/error.ts";
import type { JoinRequestFields, JoinResponseFields } from "../join-hub.ts";

interface RegisteredKey {
  readonly publicKey: string;
  state: "active" | "next";
}

interface ModelToken {
  usesLeft: number;
  /** A token of `cluster rotate` registers a second key. */
  readonly isRotation: boolean;
}

/** The hub's half of joining, by the book (SE5, SE8): in one step, and kept through everything. */
export class ModelJoinHub {
  readonly name = "hub-of-tests";
  readonly tokens = new Map<string, ModelToken>();
  /** The keys of one cluster, as hex. */
  keys: RegisteredKey[] = [];
  #clusterUid = "";
  isApprovalNeeded = false;
  joinCount = 0;

  issue(text: string, isRotation = false): string {
    this.tokens.set(text, { usesLeft: 1, isRotation });
    return text;
  }

  /** A proof by this key: the second one, once used, ends the first. */
  canProve(publicKey: Uint8Array): boolean {
    const used = this.keys.find((key) => key.publicKey === hex(publicKey));
    if (used?.state === "next") this.keys = [{ ...used, state: "active" }];
    return used !== undefined;
  }

  join({ joinToken, clusterId, publicKey, clusterUid }: JoinRequestFields): JoinResponseFields {
    this.joinCount += 1;
    const token = this.tokens.get(joinToken);
    if (token === undefined) throw new FlotillaError("UNAUTHENTICATED", "the join token is unknown or revoked");
    const answer = { clusterId, hubName: this.name, isPending: this.isApprovalNeeded };
    const isKnown = this.keys.some((key) => key.publicKey === hex(publicKey));
    if (isKnown && clusterUid === this.#clusterUid) return answer;
    if (this.keys.length > 0 && !token.isRotation) throw new FlotillaError("ALREADY_EXISTS", "the cluster id is taken");
    if (token.usesLeft < 1) throw new FlotillaError("UNAUTHENTICATED", "the join token has been used");
    token.usesLeft -= 1;
    const active = this.keys.filter(({ state }) => state === "active");
    this.keys = [...active, { publicKey: hex(publicKey), state: active.length === 0 ? "active" : "next" }];
    this.#clusterUid = clusterUid;
    return answer;
  }
}

/** How the model writes a public key. */
export function hex(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString("hex");
}
