// SPDX-License-Identifier: Apache-2.0
import type { DatabaseSync, SQLOutputValue, StatementSync } from "node:sqlite";
import type { BodyCipher } from "../body-cipher.ts";
import { splitKey } from "../table.ts";
import { toSealed } from "./row-statements.ts";

type Found = Record<string, SQLOutputValue>;

/** Bytes re-encrypted in one piece at the most, as in one group of commits; bodies of a megabyte are rare but allowed. */
const pieceBytes = 8 * 1024 * 1024;

/**
 * Brings stored bodies under the key they belong under now: the newest one, or none (ST28). The value and its revision stay.
 * Walks the current objects in key order, then what the change log still holds; a position is the phase and where it got to.
 */
export class Rewrap {
  readonly #cipher: BodyCipher;
  readonly #objects: StatementSync;
  readonly #changes: StatementSync;
  readonly #body: StatementSync;
  readonly #update: StatementSync;

  constructor(db: DatabaseSync, cipher: BodyCipher) {
    this.#cipher = cipher;
    this.#objects = db.prepare(
      `SELECT b.revision, b.key_id, 'objects' AS kind, concat_ws(char(31), workspace_id, resource, namespace, name) AS key
       FROM objects o JOIN bodies b ON b.revision = o.revision
       WHERE (workspace_id, resource, namespace, name) > (?, ?, ?, ?) ORDER BY workspace_id, resource, namespace, name LIMIT ?`,
    );
    this.#changes = db.prepare(
      `SELECT c.revision AS position, b.revision, b.key_id, c.kind, c.key
       FROM (SELECT * FROM changes WHERE revision > ? ORDER BY revision LIMIT ?) c
       JOIN bodies b ON b.revision IN (c.revision, c.previous_revision) ORDER BY c.revision`,
    );
    this.#body = db.prepare("SELECT key_id, body FROM bodies WHERE revision = ?");
    this.#update = db.prepare("UPDATE bodies SET key_id = ?, body = ? WHERE revision = ?");
  }

  /** Position "" is the beginning. */
  piece(position: string, limit: number): { readonly rewrapped: number; readonly next?: string } {
    const after = Number(/^changes:(\d+)$/.exec(position)?.[1] ?? -1);
    if (after < 0) {
      const found = this.#objects.all(...(position === "" ? ["", "", "", ""] : splitKey(position)), limit);
      const { rewrapped, last } = this.#rewrapSome(found, "key");
      return { rewrapped, next: last === undefined ? "changes:0" : String(last) };
    }
    const { rewrapped, last } = this.#rewrapSome(this.#changes.all(after, limit), "position");
    return { rewrapped, ...(last === undefined ? {} : { next: `changes:${last}` }) };
  }

  /** Goes through the bodies in order until there are no more or `pieceBytes` are done, and tells the last place it finished. */
  #rewrapSome(
    bodies: readonly Found[],
    place: string,
  ): { readonly rewrapped: number; readonly last: string | number | undefined } {
    let rewrapped = 0;
    let bytes = 0;
    let last: string | number | undefined;
    for (const found of bodies) {
      const at = place === "key" ? String(found[place]) : Number(found[place]);
      if (bytes >= pieceBytes && at !== last) break;
      last = at;
      const doneBytes = this.#rewrapOne(found);
      if (doneBytes === undefined) continue;
      rewrapped += 1;
      bytes += doneBytes;
    }
    return { rewrapped, last };
  }

  /** The body's bytes, or undefined where it is under the right key already. */
  #rewrapOne(found: Found): number | undefined {
    const table = String(found["kind"]);
    const key = String(found["key"]);
    const revision = Number(found["revision"]);
    const keyId = this.#cipher.keyIdFor(table, key);
    if (found["key_id"] === keyId) return undefined;
    // Read again: a body is met twice where both the change that wrote it and the one that replaced it are retained.
    const stored = this.#body.get(revision);
    if (stored === undefined || stored["key_id"] === keyId) return undefined;
    const again = this.#cipher.seal(table, key, this.#cipher.open(table, key, toSealed(stored)));
    this.#update.run(again.keyId, again.body, revision);
    return again.body.length;
  }
}
