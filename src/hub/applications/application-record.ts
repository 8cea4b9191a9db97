// SPDX-License-Identifier: Apache-2.0
import { FlotillaError } from "../../base/error.ts";
import { FieldReader } from "../../model/field-reader.ts";
import { fleetApiGroup } from "../../model/names.ts";
import type { Revision } from "../../model/revision.ts";
import type { Key } from "../../store/store.ts";
import { standingQueryPlace } from "../../store/tables.ts";

/** A stored application (AG1). */
export interface ApplicationRecord {
  readonly name: string;
  readonly description: string;
  /** The canonical text of the selector. */
  readonly selector: string;
  readonly users: readonly string[];
  readonly groups: readonly string[];
  /** The hub's wall clock. */
  readonly createdAtMs: number;
  readonly revision: Revision;
}

/** Applications: one row each in the table `objects`, beside the saved queries, in a workspace that is never served. */
export const applicationPrefix: Key = [standingQueryPlace.workspace, `${fleetApiGroup}/applications`];

export function applicationKey(name: string): Key {
  return [...applicationPrefix, "", name];
}

/** The record as the body of its row. */
export function toApplicationBody({ revision: _revision, ...stored }: ApplicationRecord): Uint8Array {
  return new TextEncoder().encode(JSON.stringify(stored));
}

/** Parses the output of `toApplicationBody`. Throws STORE_CORRUPT. */
export function fromApplicationBody(name: string, body: Uint8Array, revision: Revision): ApplicationRecord {
  const fields = FieldReader.ofJson(new TextDecoder().decode(body));
  const record = {
    name,
    description: fields.text("description") ?? "",
    selector: fields.requiredText("selector"),
    users: fields.texts("users"),
    groups: fields.texts("groups"),
    createdAtMs: fields.integer("createdAtMs", { min: 0 }),
    revision,
  };
  if (fields.mistakes.length === 0) return record;
  throw new FlotillaError("STORE_CORRUPT", `the stored application ${name} is corrupt; delete it and create it again`);
}
