// SPDX-License-Identifier: Apache-2.0
import { createHost } from "./create-host.ts";
import type { Link } from "./link.ts";
import { PortLink } from "./port-link.ts";
import { type TabMessage, toPort, type WorkerMessage } from "./port-messages.ts";

/** The Link of this tab: over the shared worker where the browser has one, else over a stream of its own. It lives as long as the tab. */
export function openLink(): Link {
  const port = toPort<WorkerMessage, TabMessage>(openPort());
  const link = new PortLink(port, () => performance.now());
  // Held until the tab is gone, however it goes: a worker is not told of the end of a port.
  const lockName = `flotilla-tab-${crypto.randomUUID()}`;
  void navigator.locks.request(lockName, () => {
    port.postMessage({ kind: "hello", lockName });
    return new Promise<never>(() => undefined);
  });
  // Each says that it is worth looking now (PG14).
  globalThis.addEventListener("online", () => link.retryNow());
  document.addEventListener("visibilitychange", () => {
    if (document.visibilityState === "visible") link.retryNow();
  });
  return link;
}

function openPort(): MessagePort {
  if (typeof SharedWorker === "function") {
    // In this form the build finds the worker and gives it a file of its own.
    return new SharedWorker(new URL("./shared-link.worker.ts", import.meta.url), { type: "module", name: "flotilla" })
      .port;
  }
  const { port1, port2 } = new MessageChannel();
  createHost().add(toPort(port2));
  return port1;
}
