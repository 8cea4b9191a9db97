// SPDX-License-Identifier: Apache-2.0
import { connect, createServer } from "node:net";
import { listen, type TestListener } from "./test-server.ts";

/** A simulated network link between a client and a port of loopback. */
export interface Relay extends TestListener {
  /** From now on bytes of both sides are dropped silently: half-open connections. Later connections work. */
  swallow(): void;
}

/** Relays each connection to that port of loopback. */
export async function startRelay(port: number): Promise<Relay> {
  const links = new Set<{ isDead: boolean }>();
  const listener = await listen(
    createServer((near) => {
      const link = { isDead: false };
      links.add(link);
      const far = connect({ host: "127.0.0.1", port });
      near.on("data", (bytes) => link.isDead || far.write(bytes));
      far.on("data", (bytes) => link.isDead || near.write(bytes));
      far.on("error", () => near.destroy());
      far.once("close", () => near.destroy());
      near.once("close", () => {
        links.delete(link);
        far.destroy();
      });
    }),
  );
  const swallow = (): void => {
    for (const link of links) link.isDead = true;
  };
  return Object.assign(listener, { swallow });
}
