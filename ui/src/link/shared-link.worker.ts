// SPDX-License-Identifier: Apache-2.0
// The worker shared by all tabs of a browser. Its URL contains the build's hash, so tabs of another build use another
// worker.
import { createHost } from "./create-host.ts";
import { toPort } from "./port-messages.ts";

const scope = globalThis as unknown as { onconnect: ((event: MessageEvent) => void) | null };
const host = createHost();
scope.onconnect = ({ ports }) => {
  for (const port of ports) host.add(toPort(port));
};
