// SPDX-License-Identifier: Apache-2.0
import { once } from "node:events";
import { createServer } from "node:net";
import { expect, test } from "vitest";
import { findFreePorts } from "./free-ports.ts";

test("ports are different and free, and none of them is one that a kernel gives to whoever asks for any", async () => {
  const ports = await findFreePorts(6);
  expect(new Set(ports).size).toBe(6);
  expect(ports.filter((port) => port < 10_000 || port >= 32_768)).toEqual([]);
  for (const port of ports) {
    const server = createServer().listen(port, "127.0.0.1");
    await once(server, "listening");
    server.close();
    await once(server, "close");
  }
});
