// SPDX-License-Identifier: Apache-2.0
import { Tokens } from "./tokens.ts";

/** What is particular to one play of a scenario. */
export interface RunFacts {
  /** The text that made its names unique. */
  readonly run: string;
  readonly nowMs: number;
}

/**
 * A time this close to the run was set by the server; scenarios use times of long ago, which must come back as they
 * were sent.
 */
const recentMs = 24 * 3_600_000;

const uid = /\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/g;
const time = /\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z/g;
const serviceAddress = /\b10\.0\.0\.\d{1,3}\b/g;

/** Sentences that tell where a server stands, and parts that it draws or computes. */
const fixedRules: readonly (readonly [RegExp, string])[] = [
  [/(too old resource version: \d+ )\(\d+\)/g, "$1(<now>)"],
  [/(Too large resource version: \d+, current: )\d+/g, "$1<now>"],
  [/(ResourceVersion in record )\(\d+\)/g, "$1(<resourceVersion>)"],
  // A refused patch shows the whole object with its managed fields.
  [/Invalid value: "\{\\"apiVersion\\":.*?\}": /gs, "Invalid value: <the object>: "],
  [/\bhash=[0-9A-F]+/g, "hash=<hash>"],
  [/\beyJ[\w-]+\.[\w-]+\.[\w-]+/g, "<token>"],
  [/\bkube-api-access-[a-z0-9]{5}\b/g, "kube-api-access-<drawn>"],
];

/** Replaces in texts what differs from run to run. Equal parts become equal tokens within one scenario. */
export class TextNormaliser {
  readonly #facts: RunFacts;
  readonly #uids = new Tokens("uid");
  readonly #addresses = new Tokens("address");
  readonly #drawn = new Map<string, string>();

  constructor(facts: RunFacts) {
    this.#facts = facts;
  }

  /** From now on the name that the server made of a prefix is known wherever it stands. */
  learnDrawnName(name: string, prefix: string): void {
    if (!this.#drawn.has(name)) this.#drawn.set(name, `${prefix}<drawn ${this.#drawn.size + 1}>`);
  }

  normalise(text: string): string {
    let result = text;
    for (const [name, token] of this.#drawn) result = result.replaceAll(name, token);
    result = result.replaceAll(this.#facts.run, "run");
    result = result.replaceAll(uid, (found) => this.#uids.of(found));
    result = result.replaceAll(time, (found) =>
      Math.abs(Date.parse(found) - this.#facts.nowMs) < recentMs ? "<time>" : found,
    );
    result = result.replaceAll(serviceAddress, (found) => this.#addresses.of(found));
    for (const [pattern, replacement] of fixedRules) result = result.replaceAll(pattern, replacement);
    return result;
  }
}
