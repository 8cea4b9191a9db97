// SPDX-License-Identifier: Apache-2.0
import type { DatabaseSync, SQLOutputValue, StatementSync } from "node:sqlite";
import type { BodyCipher } from "../keys/body-cipher.ts";
import { splitKey } from "../table.ts";
import { toSealed } from "./row-statements.ts";

type Found = Record<string, SQLOutputValue>;

/**
 * The limit on bytes re-encrypted in one step, as in one group of commits. Bodies of a megabyte are rare but allowed.
 */
const pieceBytes = 8 * 1024 * 1024;

/**
 * Re-encrypts stored bodies with their current key: the newest one, or none (ST28). Values and revisions do not change.
 * Visits the current objects in key order, then the retained changes. A position is the phase and the last visited
 * place.
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

  /** Processes the bodies in order, up to `pieceBytes`. Returns the last place it finished. */
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

  /** The body's bytes, or undefined if it is already under the right key. */
  #rewrapOne(found: Found): number | undefined {
    const table = String(found["kind"]);
    const key = String(found["key"]);
    const revision = Number(found["revision"]);
    const keyId = this.#cipher.keyIdFor(table, key);
    if (found["key_id"] === keyId) return undefined;
    // Reads the body again: it occurs twice if both the change that wrote it and the one that replaced it are retained.
    const stored = this.#body.get(revision);
    if (stored === undefined || stored["key_id"] === keyId) return undefined;
    const again = this.#cipher.seal(table, key, this.#cipher.open(table, key, toSealed(stored)));
    this.#update.run(again.keyId, again.body, revision);
    return again.body.length;
  }
}
