// SPDX-License-Identifier: Apache-2.0
import { FlotillaError } from "../../base/error.ts";
import { FieldReader } from "../../model/field-reader.ts";
import type { Revision } from "../../model/revision.ts";

/** A query and how its answer is shown. */
export interface SavedContent {
  /** The canonical text (QL7). */
  readonly query: string;
  readonly description: string;
  readonly columns: readonly string[];
  readonly sort: readonly string[];
  readonly facets: readonly string[];
  readonly groupBy: readonly string[];
}

/** A stored saved query. */
export interface SavedQueryRecord {
  readonly name: string;
  readonly isPrivate: boolean;
  /** The user who created it. */
  readonly owner: string;
  readonly content: SavedContent;
  /** The hub's wall clock. */
  readonly createdAtMs: number;
  readonly updatedAtMs: number;
  readonly revision: Revision;
}

/** The record as the body of its row. */
export function toSavedBody(record: Omit<SavedQueryRecord, "revision">): Uint8Array {
  return new TextEncoder().encode(JSON.stringify(record));
}

/** Parses the output of `toSavedBody`. Throws STORE_CORRUPT. */
export function fromSavedBody(id: string, body: Uint8Array, revision: Revision): SavedQueryRecord {
  const fields = FieldReader.ofJson(new TextDecoder().decode(body));
  const content = fields.below("content") ?? new FieldReader([], { mistakes: fields.mistakes });
  const record = {
    name: fields.requiredText("name"),
    isPrivate: fields.flag("isPrivate"),
    owner: fields.requiredText("owner"),
    content: {
      query: content.text("query") ?? "",
      description: content.text("description") ?? "",
      columns: content.texts("columns"),
      sort: content.texts("sort"),
      facets: content.texts("facets"),
      groupBy: content.texts("groupBy"),
    },
    createdAtMs: fields.integer("createdAtMs", { min: 0 }),
    updatedAtMs: fields.integer("updatedAtMs", { min: 0 }),
    revision,
  };
  if (fields.mistakes.length === 0) return record;
  throw new FlotillaError("STORE_CORRUPT", `the stored query ${id} is corrupt; restore the store from a backup`);
}
