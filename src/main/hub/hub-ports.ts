// SPDX-License-Identifier: Apache-2.0
import { existsSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { type ListenAddress, listenOn } from "../../rpc/listener/listen.ts";
import { lockDataDirectory } from "../../store/data-directory.ts";
import type { ConfigOf } from "../config/option-table.ts";

/** The addresses that a hub listens on. */
export interface HubPorts {
  readonly tls: ListenAddress;
  readonly plain: ListenAddress;
  readonly admin: ListenAddress | undefined;
}

/** The listeners of a configuration. */
export function toHubPorts({
  address,
  port,
  httpPort,
  adminPort,
}: Pick<ConfigOf<"hub">, "address" | "port" | "httpPort" | "adminPort">): HubPorts {
  const host = "127.0.0.1";
  return {
    tls: { host: address, port, portOption: "--port" },
    plain: { host, port: httpPort, portOption: "--http-port" },
    admin: adminPort === undefined ? undefined : { host, port: adminPort, portOption: "--admin-port", name: "admin" },
  };
}

/**
 * Opens and closes each port, so that a hub fails before it starts anything (CL16). Rejects with LISTEN_FAILED, or with
 * STORE_IN_USE if a hub runs in the folder, because that hub then has the port. Another process may still take a port
 * afterwards.
 */
export async function checkPorts({ tls, plain, admin }: HubPorts, folder: string): Promise<void> {
  // All ports are open at the same time, so that a port given twice is found too.
  await using probes = new AsyncDisposableStack();
  try {
    for (const address of [tls, plain, admin]) {
      if (address === undefined || address.port === 0) continue;
      const server = createServer((socket) => socket.destroy());
      await listenOn(server, address);
      probes.defer(() => new Promise<void>((closed) => void server.close(() => closed())));
    }
  } catch (reason) {
    if (existsSync(join(folder, "lock"))) lockDataDirectory(folder)[Symbol.dispose]();
    throw reason;
  }
}
