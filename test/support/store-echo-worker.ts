// SPDX-License-Identifier: Apache-2.0
// An engine for the test of the port to a thread: it answers, fails and dies as asked.
import { parentPort, workerData } from "node:worker_threads";
import { assert } from "../../src/base/assert.ts";
import { FlotillaError } from "../../src/base/error.ts";
import { serveEngine } from "../../src/base/worker-port.ts";

/** What the test calls. */
export class EchoEngine {
  #callCount = 0;

  echo(bytes: Uint8Array): { readonly bytes: Uint8Array; readonly place: number } {
    this.#callCount += 1;
    return { bytes, place: this.#callCount };
  }

  refuse(): void {
    throw new FlotillaError("STORE_FULL", "no room", { ids: { file: "hub.db" }, cause: new Error("inner") });
  }

  stumble(): void {
    throw new TypeError("a bug with a secret in its message");
  }

  die(): void {
    process.exit(1);
  }

  blowUp(): void {
    setImmediate(() => {
      throw new Error("out of the blue");
    });
  }

  close(): void {
    this.#callCount = 0;
  }
}

assert(parentPort !== null, "this module runs as a worker thread");
serveEngine(parentPort, () => {
  if (workerData === "refuse to open") throw new FlotillaError("STORE_NEWER", "too new");
  return new EchoEngine();
});
