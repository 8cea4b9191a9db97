// SPDX-License-Identifier: Apache-2.0
import { hasCode } from "../../../src/base/error.ts";
import type { Logger } from "../../../src/base/log.ts";
import type { Random } from "../../../src/base/random.ts";
import { retry } from "../../../src/base/time/retry.ts";
import { type Connection, type ConnectionOptions, withConnection } from "./connection.ts";
import type { WireRow } from "./messages.ts";

/** What a client knows: all rows as of a position, which is the low-water mark of what it has applied (L3). */
export interface Picture {
  readonly storeId: string;
  readonly rows: ReadonlyMap<string, WireRow>;
  readonly position: bigint;
}

/** What a client was told, in order: a list starts its picture anew, a batch moves it on from `after` to `revision`. */
export type Observation =
  | { readonly kind: "list"; readonly revision: bigint; readonly rows: readonly WireRow[] }
  | { readonly kind: "batch"; readonly after: bigint; readonly revision: bigint; readonly changes: readonly WireRow[] };

export interface ClientOptions extends ConnectionOptions {
  readonly name: string;
  readonly random: Random;
  readonly log: Logger;
}

/** Tried for ever, never more than 5 s apart (L12). */
export const reconnect = { firstMs: 100, factor: 2, capMs: 5_000, stableMs: 10_000 };

/**
 * Keeps a picture of all rows: list once, then watch; after a break it resumes where it was, after GONE it lists again.
 */
export class Watcher {
  readonly #options: ClientOptions & { readonly resumeSkew?: bigint };
  readonly #observations: Observation[] = [];
  #picture: Picture | undefined;

  /** `resumeSkew` is a deliberate fault: the watch is asked for from so many revisions beside the position. */
  constructor(options: ClientOptions & { readonly resumeSkew?: bigint }) {
    this.#options = options;
  }

  get picture(): Picture | undefined {
    return this.#picture;
  }

  get observations(): readonly Observation[] {
    return this.#observations;
  }

  /** Follows until the signal aborts; starts from nothing, as a process does. */
  async run(signal: AbortSignal): Promise<void> {
    this.#picture = undefined;
    const { clock, random, log } = this.#options;
    await retry(
      (within, markHealthy) =>
        withConnection(this.#options, within, (connection) => this.#follow(connection, markHealthy)),
      { what: "watch", clock, random, log, backoff: reconnect },
      signal,
    );
  }

  async #follow(connection: Connection, markHealthy: () => void): Promise<never> {
    for (;;) {
      try {
        if (this.#picture === undefined) {
          this.#picture = await loadPicture(connection);
          const { position, rows } = this.#picture;
          this.#observations.push({ kind: "list", revision: position, rows: [...rows.values()] });
        }
        await this.#watch(connection, this.#picture, markHealthy);
      } catch (reason) {
        if (!hasCode(reason, "GONE")) throw reason;
        this.#options.log.info("relist", { position: String(this.#picture?.position ?? 0) });
        this.#picture = undefined;
      }
    }
  }

  async #watch(connection: Connection, start: Picture, markHealthy: () => void): Promise<never> {
    let picture = start;
    const from = start.position + (this.#options.resumeSkew ?? 0n);
    const cursor = `${start.storeId}.${from < 0n ? 0n : from}`;
    this.#options.log.info("watch", { cursor });
    const id = await connection.request((next) => ({ kind: "watch", id: next, cursor }));
    for (;;) {
      const reply = await connection.reply(id);
      if (reply.kind !== "batch") throw new Error(`a watch was answered with ${reply.kind}`);
      markHealthy();
      const revision = BigInt(reply.revision);
      this.#observations.push({ kind: "batch", after: picture.position, revision, changes: reply.changes });
      picture = applyChanges(picture, reply.changes, revision);
      this.#picture = picture;
      this.#options.log.debug("batch", { count: reply.changes.length, revision: reply.revision });
    }
  }
}

/** All pages of one list, all as of the revision of the first. */
export async function loadPicture(connection: Connection): Promise<Picture> {
  const rows = new Map<string, WireRow>();
  let page: { readonly after: string; readonly asOf: string } | undefined;
  for (;;) {
    const id = await connection.request((next) => ({ kind: "list", id: next, ...page }));
    const reply = await connection.reply(id);
    if (reply.kind !== "page") throw new Error(`a list was answered with ${reply.kind}`);
    for (const row of reply.rows) rows.set(row.name, row);
    const last = reply.rows.at(-1);
    if (!reply.more || last === undefined) return { storeId: reply.storeId, rows, position: BigInt(reply.revision) };
    page = { after: last.name, asOf: reply.revision };
  }
}

function applyChanges(picture: Picture, changes: readonly WireRow[], position: bigint): Picture {
  const rows = new Map(picture.rows);
  for (const change of changes) {
    if (change.value === null) rows.delete(change.name);
    else rows.set(change.name, change);
  }
  return { ...picture, rows, position };
}
