// SPDX-License-Identifier: Apache-2.0
import { FlotillaError } from "../../base/error.ts";
import { FieldReader } from "../../model/field-reader.ts";
import type { Revision } from "../../model/revision.ts";

/** The condition on the number of rows. */
export interface StandingThreshold {
  /** It fires when there are more rows than this. */
  readonly above: number;
  /** It resolves when there are at most this many. At most `above`. */
  readonly clearAt: number;
  /** How long either must hold. */
  readonly forMs: number;
}

/** When a standing query delivers. */
export type StandingCondition =
  | { readonly on: "enter" | "leave" | "enterOrLeave" }
  | ({ readonly on: "threshold" } & StandingThreshold);

/** The user and groups that a standing query is evaluated as. */
export interface QueryOwner {
  readonly user: string;
  /** As of creation, or of the last resumption. */
  readonly groups: readonly string[];
}

/** A stored standing query. Contains a secret: never returned by an RPC as a whole, never logged (L18). */
export interface StandingQueryRecord {
  /** The last part of its key. */
  readonly id: string;
  readonly name: string;
  readonly owner: QueryOwner;
  /** The canonical text (QL7). */
  readonly query: string;
  readonly description: string;
  readonly condition: StandingCondition;
  readonly webhookUrl: string;
  readonly secret: string;
  /** The least time between two deliveries. */
  readonly intervalMs: number;
  readonly isPaused: boolean;
  /** Incremented by each resumption: a suspension of an earlier generation no longer counts. */
  readonly generation: number;
  /** The hub's wall clock. */
  readonly createdAtMs: number;
  readonly revision: Revision;
}

/** The condition in words of the command line: `enter`, or `total > 10 for 300s, clear at 5`. */
export function conditionText(condition: StandingCondition): string {
  if (condition.on !== "threshold") return condition.on;
  const { above, clearAt, forMs } = condition;
  return `total > ${above} for ${forMs / 1_000}s, clear at ${clearAt}`;
}

/** The record as the body of its row. */
export function toStandingBody(record: Omit<StandingQueryRecord, "id" | "revision">): Uint8Array {
  const { name, owner, query, description, condition, webhookUrl, secret, intervalMs, ...rest } = record;
  const { isPaused, generation, createdAtMs } = rest;
  const { user, groups } = owner;
  const fields = { name, user, groups, query, description, condition, webhookUrl, secret, intervalMs };
  return new TextEncoder().encode(JSON.stringify({ ...fields, isPaused, generation, createdAtMs }));
}

/** Parses the output of `toStandingBody`. Throws STORE_CORRUPT, without the text. */
export function fromStandingBody(id: string, body: Uint8Array, revision: Revision): StandingQueryRecord {
  const fields = FieldReader.ofJson(new TextDecoder().decode(body));
  const record = {
    id,
    name: fields.requiredText("name"),
    owner: { user: fields.requiredText("user"), groups: fields.texts("groups") },
    query: fields.text("query") ?? "",
    description: fields.text("description") ?? "",
    condition: readCondition(fields),
    webhookUrl: fields.requiredText("webhookUrl"),
    secret: fields.requiredText("secret"),
    intervalMs: fields.integer("intervalMs", { min: 1 }),
    isPaused: fields.flag("isPaused"),
    generation: fields.integer("generation", { min: 0 }),
    createdAtMs: fields.integer("createdAtMs", { min: 0 }),
    revision,
  };
  if (fields.mistakes.length === 0) return record;
  throw new FlotillaError(
    "STORE_CORRUPT",
    `the stored standing query ${id} is corrupt; restore the store from a backup`,
  );
}

function readCondition(fields: FieldReader): StandingCondition {
  const condition = fields.below("condition") ?? new FieldReader([], { mistakes: fields.mistakes });
  const on = condition.requiredText("on", /^(enter|leave|enterOrLeave|threshold)$/);
  if (on !== "threshold") return { on: on === "leave" || on === "enterOrLeave" ? on : "enter" };
  return {
    on,
    above: condition.integer("above", { min: 0 }),
    clearAt: condition.integer("clearAt", { min: 0 }),
    forMs: condition.integer("forMs", { min: 0 }),
  };
}
