// SPDX-License-Identifier: Apache-2.0
// The values that rows of all kinds draw: names, times, tokens.
import { createSeededRandom, type SeededRandom } from "../../src/base/random.ts";
import { type RowContent, toResourceVersion } from "../../src/model/rows/row.ts";
import { nowMs } from "./fleet-shape.ts";

/** Another seed gives another fleet, and figures that cannot be compared with earlier ones. */
const seed = "query-1";

const nameLetters = "bcdfghjklmnpqrstvwxz2456789";
const oneMinuteMs = 60_000;
const oneYearMinutes = 365 * 24 * 60;

/** The random values of one cluster. */
export class RowSource {
  readonly #random: SeededRandom;

  constructor(cluster: string) {
    this.#random = createSeededRandom(seed).fork(cluster);
  }

  int(maxExclusive: number): number {
    return this.#random.int(maxExclusive);
  }

  chance(share: number): boolean {
    return this.#random.next() < share;
  }

  pick<Value>(values: readonly Value[]): Value {
    return values[this.#random.int(values.length)] as Value;
  }

  /** A random part of a name, as Kubernetes adds it. */
  suffix(length: number): string {
    let text = "";
    for (let at = 0; at < length; at += 1) text += nameLetters[this.#random.int(nameLetters.length)] ?? "";
    return text;
  }

  hex(byteCount: number): string {
    return Buffer.from(this.#random.bytes(byteCount)).toString("hex");
  }

  uid(): string {
    const hex = this.hex(16);
    return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-a${hex.slice(17, 20)}-${hex.slice(20)}`;
  }

  /** A time in the past year: 3 % of all objects are younger than an hour, half of them are older than a month. */
  createdAt(): number {
    const minutes = Math.exp(Math.cbrt(this.#random.next()) * Math.log(oneYearMinutes));
    return nowMs - Math.round((minutes * oneMinuteMs) / 1_000) * 1_000;
  }

  /** A healthy row without labels and columns. */
  row(namespace: string, name: string): RowContent {
    return {
      namespace,
      name,
      uid: this.uid(),
      resourceVersion: toResourceVersion(String(400_000_000 + this.#random.int(90_000_000))),
      generation: 1 + this.#random.int(9),
      createdAt: this.createdAt(),
      status: "healthy",
      reason: "",
      message: "",
      labels: new Map(),
      annotations: new Map(),
      columns: new Map(),
    };
  }
}
