// SPDX-License-Identifier: Apache-2.0
import type { Clock } from "../../base/time/clock.ts";
import { integerOf, textOf, timeOf } from "../../kinds/fields.ts";
import type { ClusterFacts, DerivedKind, Kind } from "../../kinds/kind.ts";
import { identityOf, type ObjectIdentity, objectKeyText } from "../../kinds/object-identity.ts";
import { deriveRow, projectRow } from "../../kinds/project-row.ts";
import type { RowContent } from "../../model/rows/row.ts";
import type { KindRows } from "../../session/agent/kind-rows.ts";
import { GenerationAges } from "./generation-ages.ts";
import type { ObjectHandler } from "./object-handler.ts";
import type { Refusals } from "./refusals.ts";
import { TerminatingObjects } from "./terminating-objects.ts";

/** Dependencies of a `RowProjector`. */
export interface RowProjectorOptions {
  readonly kind: Kind | DerivedKind;
  readonly rows: KindRows;
  readonly clock: Clock;
  readonly facts: () => ClusterFacts;
  readonly refusals: Refusals;
  /** Called with each new row, and with undefined when an object has none; for facts derived from rows. */
  readonly onRow?: (identity: ObjectIdentity, content: RowContent | undefined) => void;
}

/** Projects objects to rows. A refused object has no row: its older row would pass for the current one. */
export class RowProjector implements ObjectHandler {
  readonly #options: RowProjectorOptions;
  readonly #terminating: TerminatingObjects;
  /** Undefined for kinds whose status does not depend on the generation's age. */
  readonly #ages: GenerationAges | undefined;

  constructor(options: RowProjectorOptions) {
    this.#options = options;
    const { kind, clock } = options;
    const lookAgain = (object: unknown): void => this.takeObject(object, identityOf(object));
    this.#terminating = new TerminatingObjects(clock, lookAgain);
    const asksAge = !("derive" in kind) && kind.needsGenerationAge === true;
    this.#ages = asksAge ? new GenerationAges(clock, lookAgain) : undefined;
  }

  beginList(): void {
    this.#options.rows.beginList();
    this.#options.refusals.clear();
    this.#ages?.beginList();
  }

  takeObject(object: unknown, identity: ObjectIdentity, serverWallMs?: number): void {
    const { rows, refusals, onRow } = this.#options;
    const key = objectKeyText(identity);
    let content: RowContent | undefined;
    const isTaken = refusals.guard(key, () => {
      content = this.#project(object, { key, uid: identity.uid, serverWallMs });
      if (content !== undefined) rows.upsert(content);
    });
    if (!isTaken || content === undefined) rows.delete(identity, "");
    onRow?.(identity, isTaken ? content : undefined);
  }

  takeDeleted(identity: ObjectIdentity): void {
    const { rows, refusals, onRow } = this.#options;
    const key = objectKeyText(identity);
    this.#terminating.forget(key);
    this.#ages?.forget(key);
    refusals.forget(key);
    if (rows.delete(identity, identity.uid)) onRow?.(identity, undefined);
  }

  endList(keepsUnseen: boolean): void {
    this.#options.rows.endList(keepsUnseen);
    this.#ages?.endList(keepsUnseen);
  }

  empty(): void {
    this.close();
    this.beginList();
    this.endList(false);
  }

  close(): void {
    this.#terminating.clear();
    this.#ages?.clear();
  }

  #project(
    object: unknown,
    {
      key,
      uid,
      serverWallMs,
    }: { readonly key: string; readonly uid: string; readonly serverWallMs: number | undefined },
  ): RowContent | undefined {
    const { kind, facts } = this.#options;
    const isTerminating = textOf(object, "metadata", "deletionTimestamp") !== undefined;
    if (!isTerminating) this.#terminating.forget(key);
    const terminatingForMs = isTerminating ? this.#terminating.note(key, uid, object) : 0;
    const observation = { facts: facts(), terminatingForMs };
    if ("derive" in kind) return deriveRow(kind, object, observation);
    if (this.#ages === undefined) return projectRow(kind, object, observation);
    const createdMs = timeOf(object, "metadata", "creationTimestamp");
    const objectForMs = serverWallMs === undefined || createdMs === 0 ? undefined : serverWallMs - createdMs;
    const generation = integerOf(object, "metadata", "generation") ?? 0;
    const generationForMs = this.#ages.note(key, { uid, generation, objectForMs });
    const row = projectRow(kind, object, { ...observation, generationForMs });
    this.#ages.watch(key, object, row.status === "progressing" ? generationForMs : undefined);
    return row;
  }
}
