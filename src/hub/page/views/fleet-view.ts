// SPDX-License-Identifier: Apache-2.0
// The fleet for each scope. A viewer's only state is its position: its scope and the last step it was sent.
import { create, toBinary } from "@bufbuild/protobuf";
import { FleetUpdateSchema, IncidentListSchema } from "../../../gen/flotilla/page/v1/page_pb.ts";
import type { IncidentLedger } from "../../history/incident-ledger.ts";
import { parsePosition, positionText, type ViewReader, type ViewUpdate } from "../live-view.ts";
import { type Stamped, stamp } from "../memoized-encoding.ts";
import { heartbeatMs, stepMs } from "../page-limits.ts";
import type { Scope, ScopeCache } from "../scope-cache.ts";
import { joinFields, toField } from "../wire-fragment.ts";
import { encodeEntry, type FleetEntry, newestStep } from "./fleet-entry.ts";

export interface FleetViewOptions {
  readonly runId: string;
  readonly scopes: ScopeCache;
  readonly entries: ReadonlyMap<string, FleetEntry>;
  readonly incidents: Pick<IncidentLedger, "version" | "list">;
  /** Called with the size of each encoded update. */
  readonly onEncoded: (bytes: number) => void;
}

/** A viewer's position. */
interface ViewerPosition {
  readonly scope: Scope;
  readonly step: number;
}

const { clusters: clustersField, incidents: incidentsField } = FleetUpdateSchema.field;

/** Steps after which incidents are listed again although none changed, to omit those that ended long ago. */
const agedStepCount = heartbeatMs / stepMs;

/**
 * Updates of the fleet. Each is encoded once for all viewers with the same previous position and the same scope (PG11).
 */
export class FleetView {
  readonly #options: FleetViewOptions;
  /** By remembered scope: the list, its ledger version and the step of its creation. */
  readonly #incidents = new Map<Scope, { readonly list: Stamped; readonly version: number; readonly step: number }>();
  /** Updates encoded in this step, by previous position and scope. */
  readonly #updates = new Map<string, ViewUpdate | undefined>();
  #step = 0;

  constructor(options: FleetViewOptions) {
    this.#options = options;
  }

  /** Starts a new step, after the entries were refreshed. */
  refresh(step: number): void {
    const { scopes } = this.#options;
    this.#step = step;
    this.#updates.clear();
    for (const scope of this.#incidents.keys()) if (scopes.find(scope.key) !== scope) this.#incidents.delete(scope);
  }

  /**
   * A reader that resumes from a position or starts with a snapshot. Its first update waits for `untilRead`, later ones
   * come with each step.
   */
  open(position: string, scopeNow: () => Scope, untilRead: () => Promise<void> | undefined): ViewReader {
    let current = this.#find(position);
    let hasRead = false;
    return {
      view: "fleet",
      read: () => (hasRead ? undefined : untilRead()),
      next: () => {
        const scope = scopeNow();
        const update = this.#update(current, scope);
        current = { scope, step: this.#step };
        hasRead = true;
        return update;
      },
      close: () => undefined,
    };
  }

  #find(text: string): ViewerPosition | undefined {
    const position = parsePosition(this.#options.runId, text);
    const scope = position === undefined ? undefined : this.#options.scopes.find(position.variant);
    if (position === undefined || scope === undefined || position.step > this.#step) return undefined;
    return { scope, step: position.step };
  }

  #update(from: ViewerPosition | undefined, scope: Scope): ViewUpdate | undefined {
    const key = from === undefined ? scope.key : `${scope.key} ${from.scope.key} ${from.step}`;
    if (!this.#updates.has(key)) this.#updates.set(key, this.#encode(from, scope));
    return this.#updates.get(key);
  }

  #encode(from: ViewerPosition | undefined, scope: Scope): ViewUpdate | undefined {
    const isSnapshot = from === undefined || from.scope.seesObjects !== scope.seesObjects;
    const fields = this.#changed(isSnapshot ? undefined : from, scope);
    const incidents = this.#listIncidents(scope);
    if (isSnapshot || from.scope !== scope || incidents.step > from.step)
      fields.push(toField(incidentsField.number, incidents.bytes));
    if (!isSnapshot && fields.length === 0) return undefined;
    const bytes = joinFields(fields);
    this.#options.onEncoded(bytes.length);
    const position = positionText(this.#options.runId, { variant: scope.key, step: this.#step });
    return { position, isSnapshot, bytes };
  }

  /** Clusters that changed or became visible, and those that are no longer visible. */
  #changed(from: ViewerPosition | undefined, { ids, accessKeys }: Scope): Uint8Array[] {
    const fields: Uint8Array[] = [];
    for (const id of ids) {
      const entry = this.#options.entries.get(id);
      if (entry === undefined) continue;
      const accessKey = accessKeys.get(id);
      // With another access key the whole cluster is sent: nothing that the viewer may no longer see stays.
      const isKept = from?.scope.ids.has(id) === true && from.scope.accessKeys.get(id) === accessKey;
      const fromStep = isKept ? from.step : undefined;
      if (fromStep === undefined || newestStep(entry, accessKey) > fromStep)
        fields.push(toField(clustersField.number, encodeEntry(entry, fromStep, accessKey)));
    }
    const removedIds = [...(from?.scope.ids ?? [])].filter((id) => !ids.has(id));
    if (removedIds.length > 0) fields.push(toBinary(FleetUpdateSchema, create(FleetUpdateSchema, { removedIds })));
    return fields;
  }

  /** Listed again when an incident changed, or when one may have become old. */
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
