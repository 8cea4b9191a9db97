// SPDX-License-Identifier: Apache-2.0
import { expect, test } from "vitest";
import { startApiServer } from "../../../test/support/api-server.ts";
import { Turns } from "./turns.ts";

test("work of one name goes one after the other, also past one that failed; other names do not wait", async () => {
  const turns = new Turns();
  const order: string[] = [];
  const first = Promise.withResolvers<void>();
  const runs = [
    turns.run("a", async () => {
      await first.promise;
      order.push("first");
      throw new Error("failed");
    }),
    turns.run("a", () => Promise.resolve(order.push("second"))),
    turns.run("b", () => Promise.resolve(order.push("other"))),
  ];
  await runs[2];
  expect(order).toEqual(["other"]);
  first.resolve();
  await Promise.allSettled(runs);
  expect(order).toEqual(["other", "first", "second"]);
});

test("Services made at the same moment get addresses and node ports of their own", async () => {
  const api = await startApiServer(new Map(), { clusterIpRange: "10.0.0.0/25" });
  try {
    const made = await Promise.all(
      Array.from({ length: 60 }, (_, index) =>
        api.server.client.create("services", {
          metadata: { name: `s${index}`, namespace: "default" },
          spec: { type: "NodePort", ports: [{ port: 80 }] },
        }),
      ),
    );
    const specs = made.map(({ spec }) => spec as { clusterIP: string; ports: { nodePort: number }[] });
    expect(new Set(specs.map(({ clusterIP }) => clusterIP)).size).toBe(60);
    expect(new Set(specs.map(({ ports }) => ports[0]?.nodePort)).size).toBe(60);
  } finally {
    await api.close();
  }
});
