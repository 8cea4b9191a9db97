// SPDX-License-Identifier: Apache-2.0
import { expect, test } from "vitest";
import { startApiServer } from "../../../test/support/api-server.ts";

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
