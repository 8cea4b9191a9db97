// SPDX-License-Identifier: Apache-2.0
import { once } from "node:events";
import { createServer, type Server } from "node:net";

async function listen(): Promise<Server> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  return server;
}

async function release(server: Server): Promise<number> {
  const address = server.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  server.close();
  await once(server, "close");
  return port;
}

/** That many different loopback ports that were free a moment ago. Somebody else may take one before it is used: start again then. */
export async function findFreePorts(count: number): Promise<readonly number[]> {
  const servers = await Promise.all(Array.from({ length: count }, listen));
  return Promise.all(servers.map(release));
}
