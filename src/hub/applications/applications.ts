// SPDX-License-Identifier: Apache-2.0
// Applications in the store (AG1, AG5).
import { FlotillaError } from "../../base/error.ts";
import { KeyedMutex } from "../../base/queues/keyed-mutex.ts";
import type { Clock } from "../../base/time/clock.ts";
import { toRevision } from "../../model/revision.ts";
import { quote } from "../../model/text.ts";
import { listPages } from "../../store/follow-table.ts";
import { put, remove, type Store, type Write } from "../../store/store.ts";
import { objects } from "../../store/tables.ts";
import type { AuditLog } from "../audit/audit-log.ts";
import type { Actor, AuditFields } from "../audit/audit-record.ts";
import { creationCountKey } from "../saved-queries/query-places.ts";
import {
  type ApplicationRecord,
  applicationKey,
  applicationPrefix,
  fromApplicationBody,
  toApplicationBody,
} from "./application-record.ts";

/** An application to be created. Its values are checked before. */
export type NewApplication = Omit<ApplicationRecord, "createdAtMs" | "revision">;

export interface ApplicationsOptions {
  readonly store: Store;
  readonly audit: Pick<AuditLog, "append">;
  readonly clock: Clock;
}

/** Each application adds objects to the policy of every cluster that it names. */
const maxApplicationCount = 100;

/** People change applications by hand; this many conflicts in a row indicate another fault. */
const maxAttemptCount = 8;

/** Keeps applications. */
export class Applications {
  readonly #options: ApplicationsOptions;
  /** One creation at a time, so that only those of other hubs conflict. */
  readonly #creations = new KeyedMutex();

  constructor(options: ApplicationsOptions) {
    this.#options = options;
  }

  /**
   * Every creation changes one row that it has read, so that two of them, at any hub, cannot both take the last free
   * place. Throws ALREADY_EXISTS, and OVERLOADED at the bound.
   */
  create(wanted: NewApplication, by: Actor): Promise<ApplicationRecord> {
    return this.#creations.run("create", () => this.#create(wanted, by));
  }

  /** By name. Throws STORE_CORRUPT for an unreadable row. */
  async list(): Promise<readonly ApplicationRecord[]> {
    const records: ApplicationRecord[] = [];
    for await (const { rows } of listPages(this.#options.store, objects, applicationPrefix))
      for (const { key, value, revision } of rows)
        records.push(fromApplicationBody(key.at(-1) ?? "", value.body, revision));
    return records;
  }

  /** Replaces the members by what `change` makes of the present record. Throws NOT_FOUND and what `change` throws. */
  async update(
    name: string,
    change: (before: ApplicationRecord) => Pick<ApplicationRecord, "users" | "groups">,
    by: Actor,
  ): Promise<ApplicationRecord> {
    for (let attempt = 0; attempt < maxAttemptCount; attempt += 1) {
      const before = await this.#load(name);
      const after = { ...before, ...change(before) };
      if (Buffer.compare(toApplicationBody(before), toApplicationBody(after)) === 0) return before;
      const write = put(objects, applicationKey(name), { body: toApplicationBody(after) }, before.revision);
      const revision = await this.#commit([write], before, after, by);
      if (revision !== undefined) return { ...after, revision };
    }
    throw keepsChanging(name);
  }

  /** Throws NOT_FOUND. */
  async delete(name: string, by: Actor): Promise<void> {
    for (let attempt = 0; attempt < maxAttemptCount; attempt += 1) {
      const before = await this.#load(name);
      const write = remove(objects, applicationKey(name), before.revision);
      if ((await this.#commit([write], before, undefined, by)) !== undefined) return;
    }
    throw keepsChanging(name);
  }

  async #create(wanted: NewApplication, by: Actor): Promise<ApplicationRecord> {
    const { store, clock } = this.#options;
    const countKey = creationCountKey("application");
    for (let attempt = 0; attempt < maxAttemptCount; attempt += 1) {
      const counter = await store.get(objects, countKey);
      const existing = await this.list();
      if (existing.some(({ name }) => name === wanted.name))
        throw new FlotillaError("ALREADY_EXISTS", `there is an application ${quote(wanted.name)} already`);
      if (existing.length >= maxApplicationCount)
        throw new FlotillaError("OVERLOADED", `the hub has ${existing.length} applications, the most that it keeps`);
      const record = { ...wanted, createdAtMs: Math.round(clock.wallMs()), revision: toRevision(0) };
      const count = counter === undefined ? 0n : BigInt(new TextDecoder().decode(counter.value.body));
      const writes = [
        put(objects, applicationKey(wanted.name), { body: toApplicationBody(record) }, "absent"),
        put(objects, countKey, { body: new TextEncoder().encode(String(count + 1n)) }, counter?.revision ?? "absent"),
      ];
      const revision = await this.#commit(writes, undefined, record, by);
      if (revision !== undefined) return { ...record, revision };
    }
    throw keepsChanging(wanted.name);
  }

  async #load(name: string): Promise<ApplicationRecord> {
    const row = await this.#options.store.get(objects, applicationKey(name));
    if (row !== undefined) return fromApplicationBody(name, row.value.body, row.revision);
    throw new FlotillaError(
      "NOT_FOUND",
      `there is no application ${quote(name)}; \`flotilla application list\` shows all`,
    );
  }

  /** The new revision of the first write; undefined after a conflict. */
  async #commit(
    writes: readonly Write[],
    before: ApplicationRecord | undefined,
    after: ApplicationRecord | undefined,
    by: Actor,
  ): Promise<ApplicationRecord["revision"] | undefined> {
    const what = before === undefined ? "create" : after === undefined ? "delete" : "grant";
    const entry = {
      action: `application.${what}`,
      targetKind: "application",
      target: (after ?? before)?.name ?? "",
      before: before === undefined ? {} : auditFields(before),
      after: after === undefined ? {} : auditFields(after),
    } as const;
    const outcome = await this.#options.audit.append(writes, () => [entry], by);
    return outcome.kind === "committed" ? (outcome.revisions[0] ?? outcome.revision) : undefined;
  }
}

function auditFields({ description, selector, users, groups }: ApplicationRecord): AuditFields {
  return { description, selector, users: users.join(","), groups: groups.join(",") };
}

function keepsChanging(name: string): FlotillaError {
  return new FlotillaError("CONFLICT", `the application ${quote(name)} keeps changing; try again`);
}
