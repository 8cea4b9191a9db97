// SPDX-License-Identifier: Apache-2.0
// The fleet as each scope sees it. What is kept per viewer is its position: which scope it had, and up to which step it saw.
import { create, toBinary } from "@bufbuild/protobuf";
import { FleetUpdateSchema, IncidentListSchema } from "../../gen/flotilla/page/v1/page_pb.ts";
import { encodeEntry, type FleetEntry, newestStep } from "./fleet-entry.ts";
import type { IncidentLedger } from "./incident-ledger.ts";
import { parsePosition, positionText, type ViewReader, type ViewUpdate } from "./live-view.ts";
import { heartbeatMs, stepMs } from "./page-limits.ts";
import type { Scope, ScopeBook } from "./scope-book.ts";
import { type Stamped, stamp } from "./stamped.ts";
import { joinFields, toField } from "./wire-fragment.ts";

export interface FleetViewOptions {
  readonly runId: string;
  readonly scopes: ScopeBook;
  readonly entries: ReadonlyMap<string, FleetEntry>;
  readonly incidents: Pick<IncidentLedger, "version" | "list">;
  /** Told of each update that was encoded. */
  readonly onEncoded: (bytes: number) => void;
}

/** Where a viewer stands. */
interface Standing {
  readonly scope: Scope;
  readonly step: number;
}

const { clusters: clustersField, incidents: incidentsField } = FleetUpdateSchema.field;

/** Steps after which incidents are looked at although none changed: those that are over for long are left out by then. */
const agedStepCount = heartbeatMs / stepMs;

/** Updates of the fleet, each encoded once for all who come from the same position to the same scope (PG11). */
export class FleetView {
  readonly #options: FleetViewOptions;
  /** Of each scope that is remembered: of which version they are, and the step that they were made in. */
  readonly #incidents = new Map<Scope, { readonly list: Stamped; readonly version: number; readonly step: number }>();
  /** What was encoded in this step, by where it leads from and to. */
  readonly #updates = new Map<string, ViewUpdate | undefined>();
  #step = 0;

  constructor(options: FleetViewOptions) {
    this.#options = options;
  }

  /** A new step: the entries are up to date. */
  refresh(step: number): void {
    const { scopes } = this.#options;
    this.#step = step;
    this.#updates.clear();
    for (const scope of this.#incidents.keys()) if (scopes.find(scope.key) !== scope) this.#incidents.delete(scope);
  }

  /** A reader that goes on from a position, or starts with a snapshot. */
  open(position: string, scopeNow: () => Scope): ViewReader {
    let standing = this.#find(position);
    return {
      view: "fleet",
      next: () => {
        const scope = scopeNow();
        const update = this.#update(standing, scope);
        standing = { scope, step: this.#step };
        return update;
      },
      close: () => undefined,
    };
  }

  #find(text: string): Standing | undefined {
    const position = parsePosition(this.#options.runId, text);
    const scope = position === undefined ? undefined : this.#options.scopes.find(position.variant);
    if (position === undefined || scope === undefined || position.step > this.#step) return undefined;
    return { scope, step: position.step };
  }

  #update(from: Standing | undefined, scope: Scope): ViewUpdate | undefined {
    const key = from === undefined ? scope.key : `${scope.key} ${from.scope.key} ${from.step}`;
    if (!this.#updates.has(key)) this.#updates.set(key, this.#encode(from, scope));
    return this.#updates.get(key);
  }

  #encode(from: Standing | undefined, scope: Scope): ViewUpdate | undefined {
    const isOther = from === undefined || from.scope.seesObjects !== scope.seesObjects;
    const fields = this.#changed(isOther ? undefined : from, scope);
    const incidents = this.#listIncidents(scope);
    if (isOther || from.scope !== scope || incidents.step > from.step)
      fields.push(toField(incidentsField.number, incidents.bytes));
    if (!isOther && fields.length === 0) return undefined;
    const bytes = joinFields(fields);
    this.#options.onEncoded(bytes.length);
    const position = positionText(this.#options.runId, { variant: scope.key, step: this.#step });
    return { position, isSnapshot: isOther, bytes };
  }

  /** Clusters that changed or came into sight, and those that went out of it. */
  #changed(from: Standing | undefined, { ids, seesObjects }: Scope): Uint8Array[] {
    const fields: Uint8Array[] = [];
    for (const id of ids) {
      const entry = this.#options.entries.get(id);
      if (entry === undefined) continue;
      const fromStep = from?.scope.ids.has(id) === true ? from.step : undefined;
      if (fromStep === undefined || newestStep(entry, seesObjects) > fromStep)
        fields.push(toField(clustersField.number, encodeEntry(entry, fromStep, seesObjects)));
    }
    const removedIds = [...(from?.scope.ids ?? [])].filter((id) => !ids.has(id));
    if (removedIds.length > 0) fields.push(toBinary(FleetUpdateSchema, create(FleetUpdateSchema, { removedIds })));
    return fields;
  }

  /** Looked at once in a step, and made anew where an incident is another or may have become old. */
  #listIncidents(scope: Scope): Stamped {
    const { incidents } = this.#options;
    const { version } = incidents;
    const before = this.#incidents.get(scope);
    if (before?.version === version && this.#step - before.step < agedStepCount) return before.list;
    const list = incidents.list((cluster) => scope.ids.has(cluster));
    const bytes = toBinary(IncidentListSchema, create(IncidentListSchema, { incidents: list }));
    const stamped = stamp(before?.list, bytes, this.#step);
    this.#incidents.set(scope, { list: stamped, version, step: this.#step });
    return stamped;
  }
}
