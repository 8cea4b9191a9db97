// SPDX-License-Identifier: Apache-2.0
import { assert } from "../../../base/assert.ts";
import { createInThreadPort } from "../../../base/in-thread-port.ts";
import { ManualClock } from "../../../base/testing/manual-clock.ts";
import { defaultClusterLimits } from "../../../index/fold/cluster-size.ts";
import type { Row } from "../../../model/rows/row.ts";
import { FleetIndex, type FleetIndexOptions } from "../fleet-index.ts";
import type { IndexPort } from "../index-port.ts";

/** What a test need not give. */
type DefaultedOption = "limits" | "clock" | "cursorKey";

const engines = new WeakMap<IndexPort, FleetIndex>();

/** An index in this thread. Users of the hub are the same in clusters; `system:masters` sees everything. */
export function createInThreadIndex(
  options: Omit<FleetIndexOptions, DefaultedOption> & Partial<Pick<FleetIndexOptions, DefaultedOption>>,
): IndexPort {
  const engine = new FleetIndex({
    limits: defaultClusterLimits,
    mapSubject: (subject) => subject,
    clock: new ManualClock(),
    cursorKey: new Uint8Array(32),
    ...options,
  });
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

/** The port with other methods in place of some. It has the same engine. */
export function replaceMethods(port: IndexPort, methods: Partial<IndexPort>): IndexPort {
  const replaced = new Proxy(port, {
    get: (target, name) => Reflect.get(name in methods ? methods : target, name) as unknown,
  });
  engines.set(replaced, engineOf(port));
  return replaced;
}

/** The rows that an in-thread index holds of a kind, at this moment, in no order. */
export function rowsIn(port: IndexPort, cluster: string, resource: string): readonly Row[] {
  return [...(engineOf(port).tables.snapshot(cluster, resource)?.rows() ?? [])];
}
