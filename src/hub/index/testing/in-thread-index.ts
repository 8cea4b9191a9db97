// SPDX-License-Identifier: Apache-2.0
import { assert } from "../../../base/assert.ts";
import { createInThreadPort } from "../../../base/in-thread-port.ts";
import type { Row } from "../../../model/rows/row.ts";
import { defaultClusterLimits } from "../../rows/cluster-limits.ts";
import { FleetIndex, type FleetIndexOptions } from "../fleet-index.ts";
import type { IndexPort } from "../index-port.ts";

const engines = new WeakMap<IndexPort, FleetIndex>();

/** An index in this thread. Users of the hub are the same in clusters; `system:masters` sees everything. */
export function createInThreadIndex(
  options: Omit<FleetIndexOptions, "limits"> & Partial<Pick<FleetIndexOptions, "limits">>,
): IndexPort {
  const engine = new FleetIndex({ limits: defaultClusterLimits, mapSubject: (subject) => subject, ...options });
  const port = createInThreadPort(engine);
  engines.set(port, engine);
  return port;
}

/** The engine behind a port of `createInThreadIndex`. */
export function engineOf(port: IndexPort): FleetIndex {
  const engine = engines.get(port);
  assert(engine !== undefined, "the port is of createInThreadIndex");
  return engine;
}

/** The rows that an in-thread index holds of a kind, at this moment, in no order. */
export function rowsIn(port: IndexPort, cluster: string, resource: string): readonly Row[] {
  return [...(engineOf(port).tables.snapshot(cluster, resource)?.rows() ?? [])];
}
