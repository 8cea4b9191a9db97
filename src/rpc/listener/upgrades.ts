// SPDX-License-Identifier: Apache-2.0
import { type IncomingMessage, ServerResponse } from "node:http";
import { Socket } from "node:net";
import type { Duplex } from "node:stream";
import { assert } from "../../base/assert.ts";
import { guardListener, type TaskGuard } from "../../base/task-guard.ts";
import type { UpgradeListener } from "../http/http-types.ts";
import type { ConnectionSet } from "./connection-set.ts";

/** An HTTP server that emits upgrades: HTTP/1.1, alone or together with HTTP/2. */
interface UpgradeEvents {
  on(event: "upgrade", listener: (request: IncomingMessage, socket: Duplex, head: Buffer) => void): unknown;
}

/**
 * Passes upgrade requests to the listener. Such a request has a response like any other: it is counted until its
 * connection closes, and can be refused in HTTP. The connection is not used for HTTP again.
 */
export function serveUpgrades(
  server: UpgradeEvents,
  upgrades: UpgradeListener,
  { connections, guard }: { readonly connections: ConnectionSet; readonly guard: TaskGuard },
): void {
  // Node's HTTP/2 server takes this only as a property, unlike its HTTP/1.1 server. Without it every request with an
  // Upgrade header, such as curl's for h2c, would be an upgrade.
  Object.assign(server, { shouldUpgradeCallback: (request: IncomingMessage) => upgrades.accepts(request) });
  const onUpgrade = (request: IncomingMessage, socket: Duplex, head: Buffer): void => {
    assert(socket instanceof Socket, "an upgrade comes on a socket");
    socket.on("error", () => undefined); // Node no longer handles the socket's errors; its `close` event follows
    const response = new ServerResponse(request);
    response.shouldKeepAlive = false;
    response.assignSocket(socket);
    response.once("finish", () => socket.destroySoon());
    upgrades.onUpgrade(request, response, { socket, head }, connections.addExchange(request, response));
  };
  server.on(
    "upgrade",
    guardListener(guard, "upgrade", onUpgrade, (_request, socket) => socket.destroy()),
  );
}
