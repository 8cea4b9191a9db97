// SPDX-License-Identifier: Apache-2.0
import type { WorkerPort } from "./worker-port.ts";

/**
 * A WorkerPort to an engine in this thread. Each call runs at once and is answered a turn later, so that callers
 * observe the same order as with a thread.
 */
export function createInThreadPort<Engine extends object>(engine: Engine): WorkerPort<Engine> {
  return new Proxy({} as WorkerPort<Engine>, {
    get(_target, method) {
      if (typeof method !== "string" || method === "then") return undefined;
      const run: unknown = Reflect.get(engine, method);
      if (typeof run !== "function") return undefined;
      return async (...args: unknown[]): Promise<unknown> => await Reflect.apply(run, engine, args);
    },
  });
}
