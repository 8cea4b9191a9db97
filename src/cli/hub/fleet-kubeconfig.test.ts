// SPDX-License-Identifier: Apache-2.0
import { expect, test } from "vitest";
import { parse } from "yaml";
import { recordIo } from "../testing/recorded-io.ts";
import { printFleetKubeconfig } from "./fleet-kubeconfig.ts";

test.each(["text", "yaml", "json"] as const)(
  "[CL41] the context fleet has the hub's URL, CA and token, as %s",
  async (output) => {
    const { io, stdout } = recordIo();
    await printFleetKubeconfig(io, output, { url: "https://hub.example.com:7443", ca: "PEM", token: "flt_x" });
    expect(parse(stdout())).toEqual({
      apiVersion: "v1",
      kind: "Config",
      "current-context": "fleet",
      clusters: [
        {
          name: "fleet",
          cluster: { server: "https://hub.example.com:7443/fleet-api", "certificate-authority-data": btoa("PEM") },
        },
      ],
      users: [{ name: "fleet", user: { token: "flt_x" } }],
      contexts: [{ name: "fleet", context: { cluster: "fleet", user: "fleet" } }],
    });
  },
);

test("[CL41] a hub whose certificate the system trusts has no CA in it", async () => {
  const { io, stdout } = recordIo();
  await printFleetKubeconfig(io, "json", { url: "https://hub.example.com", token: "flt_x" });
  expect(JSON.parse(stdout())).toMatchObject({
    clusters: [{ cluster: { server: "https://hub.example.com/fleet-api" } }],
  });
  expect(stdout()).not.toContain("certificate-authority");
});
