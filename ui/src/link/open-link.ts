// SPDX-License-Identifier: Apache-2.0
import { createHost } from "./create-host.ts";
import type { Link } from "./link.ts";
import { PortLink } from "./port-link.ts";
import { type TabMessage, toPort, type WorkerMessage } from "./port-messages.ts";

/**
 * Opens the Link of this tab: over the shared worker if the browser has one, else over a stream of its own. It lives as
 * long as the tab.
 */
export function openLink(): Link {
  const port = toPort<WorkerMessage, TabMessage>(openPort());
  const link = new PortLink(port, () => performance.now());
  // Held until the tab closes for any reason: a worker gets no event when a port ends.
  const lockName = `flotilla-tab-${crypto.randomUUID()}`;
  void navigator.locks.request(lockName, () => {
    port.postMessage({ kind: "hello", lockName });
    return new Promise<never>(() => undefined);
  });
  // Both events are reasons to retry now (PG14).
  globalThis.addEventListener("online", () => link.retryNow());
  document.addEventListener("visibilitychange", () => {
    if (document.visibilityState === "visible") link.retryNow();
  });
  return link;
}

function openPort(): MessagePort {
  if (typeof SharedWorker === "function") {
    // The bundler recognises this form and emits a file for the worker.
    return new SharedWorker(new URL("./shared-link.worker.ts", import.meta.url), { type: "module", name: "flotilla" })
      .port;
  }
  const { port1, port2 } = new MessageChannel();
  createHost().add(toPort(port2));
  return port1;
}
