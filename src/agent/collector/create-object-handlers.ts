// SPDX-License-Identifier: Apache-2.0
import type { Clock } from "../../base/time/clock.ts";
import { configMapKind } from "../../kinds/config-map-kind.ts";
import { eventKind } from "../../kinds/event-kind.ts";
import { istioControlPlaneKind } from "../../kinds/istio/control-plane.ts";
import type { DerivedKind, Kind } from "../../kinds/kind.ts";
import { resourceIdText } from "../../model/gvr.ts";
import type { RowTable } from "../../session/agent/row-table.ts";
import { EventProjector } from "./event-projector.ts";
import type { KindReportStore } from "./kind-report-store.ts";
import type { MeshFacts } from "./mesh-facts.ts";
import type { ObjectHandler } from "./object-handler.ts";
import { Refusals } from "./refusals.ts";
import { RowProjector } from "./row-projector.ts";

export interface ObjectHandlersOptions {
  readonly kind: Kind;
  readonly derivedKinds: readonly DerivedKind[];
  readonly rows: RowTable;
  readonly clock: Clock;
  readonly mesh: MeshFacts;
  readonly reports: KindReportStore;
}

/**
 * The handlers of a kind's objects: one for its own rows, one for each derived kind, and the mesh facts for ConfigMaps.
 */
export function createObjectHandlers(options: ObjectHandlersOptions): {
  readonly handlers: readonly ObjectHandler[];
  readonly refusals: Refusals;
} {
  const { kind, derivedKinds, reports } = options;
  const resource = resourceIdText(kind.resource);
  const refusals = new Refusals((refusedCount, refusedError) =>
    reports.write(resource, { refusedCount, refusedError }),
  );
  const derived = derivedKinds.filter(({ from }) => resourceIdText(from) === resource);
  const handlers = [createOwn(options, refusals), ...derived.map((each) => createDerived(options, each))];
  if (kind === configMapKind) handlers.push(options.mesh.configHandler());
  return { handlers, refusals };
}

function createOwn(options: ObjectHandlersOptions, refusals: Refusals): ObjectHandler {
  const { kind, rows, clock, mesh, reports } = options;
  const kindRows = rows.openKind(kind);
  if (kind === eventKind) {
    const onLeftOut = (leftOutCount: number): void => reports.write(kindRows.resource, { leftOutCount });
    return new EventProjector({ rows: kindRows, clock, refusals, onLeftOut });
  }
  return new RowProjector({ kind, rows: kindRows, clock, facts: () => mesh.facts, refusals });
}

function createDerived({ rows, clock, mesh, reports }: ObjectHandlersOptions, kind: DerivedKind): ObjectHandler {
  const kindRows = rows.openKind(kind);
  const refusals = new Refusals((refusedCount, refusedError) =>
    reports.write(kindRows.resource, { refusedCount, refusedError }),
  );
  const isMesh = kind === istioControlPlaneKind;
  const handler = new RowProjector({
    kind,
    rows: kindRows,
    clock,
    facts: () => mesh.facts,
    refusals,
    ...(isMesh ? { onRow: (identity, content) => mesh.noteRow(identity, content) } : {}),
  });
  return isMesh ? mesh.wrap(handler) : handler;
}
