// SPDX-License-Identifier: Apache-2.0
import { once } from "node:events";
import { createServer, type Server } from "node:net";
import { systemRandom } from "../../src/base/system-random.ts";

/**
 * Below the ephemeral ports (from 32768 on Linux, from 49152 elsewhere), above those of services. Servers of other
 * tests come and go all the time; one of them would sooner or later get the port of a program that is about to start,
 * or to start again.
 */
const [firstPort, endPort] = [10_000, 32_768];

/** Draws before giving up: a machine on which so many in a row are taken has none left. */
const drawCount = 100;

async function listen(): Promise<Server> {
  for (let drawn = 1; ; drawn += 1) {
    const server = createServer().listen(firstPort + systemRandom.int(endPort - firstPort), "127.0.0.1");
    try {
      await once(server, "listening");
      return server;
    } catch (reason) {
      const isTaken = reason instanceof Error && "code" in reason && reason.code === "EADDRINUSE";
      if (!isTaken || drawn === drawCount) throw reason;
    }
  }
}

async function release(server: Server): Promise<number> {
  const address = server.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  server.close();
  await once(server, "close");
  return port;
}

/**
 * That many different loopback ports, free a moment ago and outside the ephemeral range.
 */
export async function findFreePorts(count: number): Promise<readonly number[]> {
  const servers = await Promise.all(Array.from({ length: count }, listen));
  return Promise.all(servers.map(release));
}
