// SPDX-License-Identifier: Apache-2.0
import { FlotillaError } from "../../base/error.ts";
import { createId } from "../../base/id.ts";
import type { Random } from "../../base/random.ts";
import type { BodyKeys } from "../keys/body-cipher.ts";
import { openDatabase } from "../sqlite/database.ts";
import { inTransaction } from "../sqlite/transaction.ts";
import { allTables } from "../tables.ts";

/** How far a restore raises the revision: far more changes than happen between a backup and its restore (ST20). */
export const restoredRevisionStep = 1_000_000;

/**
 * Turns a copied hub database into a separate store: a new storeId, a raised revision, and no history (ST20). A
 * position from before the backup is therefore never valid after it.
 */
export function adoptRestoredStore(
  file: string,
  options: { readonly random: Random; readonly wallMs: number; readonly keys: BodyKeys | undefined },
): void {
  using db = openDatabase("hub", file, options.wallMs);
  const missing = db
    .prepare("SELECT DISTINCT key_id FROM bodies WHERE key_id IS NOT NULL")
    .all()
    .map((found) => String(found["key_id"]))
    .find((keyId) => options.keys?.byId.has(keyId) !== true);
  if (missing !== undefined) {
    throw new FlotillaError(
      "STORE_KEY_MISSING",
      `the backup holds bodies encrypted with key ${missing}; put the key file they were written with beside the store and restore again`,
      {
        ids: { keyId: missing },
      },
    );
  }
  const current = allTables.map(({ name }) => `SELECT revision FROM ${name}`).join(" UNION ALL ");
  inTransaction(db, file, () => {
    db.exec(`DELETE FROM changes; DELETE FROM bodies WHERE revision NOT IN (${current})`);
    // Epochs assigned after the backup must stay below every later one (ST25).
    db.prepare("UPDATE leases SET holder = '', expires_at_ms = 0, epoch = epoch + ?").run(restoredRevisionStep);
    const raised = "revision + ?";
    db.prepare(`UPDATE meta SET store_id = ?, revision = ${raised}, compacted_revision = ${raised}`).run(
      createId("st", options.random),
      restoredRevisionStep,
      restoredRevisionStep,
    );
  });
}
