// SPDX-License-Identifier: Apache-2.0
import { retry } from "../../../src/base/time/retry.ts";
import { type Connection, withConnection } from "./connection.ts";
import { type ClientOptions, reconnect, type Watcher } from "./watcher.ts";

/** Few enough that the two clients meet on the same rows. */
const rowCount = 8;
const longestPauseMs = 150;

/** One write as its client meant it. Each value is written by one client once, so a value names its write. */
interface Intent {
  readonly name: string;
  readonly value: string | null;
  readonly expect: string;
}

/** A write that the hub said is durable, at that revision. */
export interface Acknowledged extends Intent {
  readonly revision: bigint;
}

/** Writes some rows one after the other. A write whose answer did not come is sent again until one does. */
export class Writer {
  readonly #options: ClientOptions & { readonly count: number; readonly watcher: Watcher };
  readonly #acknowledged: Acknowledged[] = [];
  #intent: Intent | undefined;
  #drawnCount = 0;
  #answeredCount = 0;

  constructor(options: ClientOptions & { readonly count: number; readonly watcher: Watcher }) {
    this.#options = options;
  }

  get acknowledged(): readonly Acknowledged[] {
    return this.#acknowledged;
  }

  get isDone(): boolean {
    return this.#answeredCount === this.#options.count;
  }

  async run(signal: AbortSignal): Promise<void> {
    const { clock, random, log } = this.#options;
    await retry(
      (within, markHealthy) =>
        withConnection(this.#options, within, (connection) => this.#writeAll(connection, markHealthy, within)),
      { what: "write", clock, random, log, backoff: reconnect },
      signal,
    );
  }

  async #writeAll(connection: Connection, markHealthy: () => void, signal: AbortSignal): Promise<void> {
    while (!this.isDone) {
      const intent = (this.#intent ??= this.#draw());
      const id = await connection.request((next) => ({ kind: "write", id: next, ...intent }));
      const reply = await connection.reply(id);
      markHealthy();
      if (reply.kind === "written") this.#acknowledged.push({ ...intent, revision: BigInt(reply.revision) });
      else if (reply.kind !== "conflict") throw new Error(`a write was answered with ${reply.kind}`);
      this.#options.log.debug(reply.kind, { name: intent.name, value: String(intent.value) });
      this.#intent = undefined;
      this.#answeredCount += 1;
      await this.#options.clock.sleep(this.#options.random.int(longestPauseMs), signal);
    }
  }

  #draw(): Intent {
    const { name: client, random, watcher } = this.#options;
    this.#drawnCount += 1;
    const name = `row-${random.int(rowCount)}`;
    const value = `${client}-${this.#drawnCount}`;
    const known = watcher.picture?.rows.get(name)?.revision;
    switch (random.int(8)) {
      case 0:
        return { name, value: null, expect: "any" };
      case 1:
        return { name, value, expect: "absent" };
      case 2:
      case 3:
        return { name, value, expect: known ?? "absent" };
      default:
        return { name, value, expect: "any" };
    }
  }
}
