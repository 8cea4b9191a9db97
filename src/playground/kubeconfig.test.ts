// SPDX-License-Identifier: Apache-2.0
import { expect, test } from "vitest";
import { parse } from "yaml";
import { kubeconfigText } from "./kubeconfig.ts";

test("each cluster has a context of its own name, and the first is the current one", () => {
  const base = { ca: "PEM", isRunning: true, network: "open", troubles: [] } as const;
  const config: unknown = parse(
    kubeconfigText([
      { ...base, name: "eu-west-1", region: "eu-west", url: "https://127.0.0.1:1", adminToken: "one" },
      { ...base, name: "us-east-1", region: "us-east", url: "https://127.0.0.1:2", adminToken: "two" },
    ]),
  );
  expect(config).toMatchObject({
    "current-context": "eu-west-1",
    clusters: [
      { name: "eu-west-1", cluster: { server: "https://127.0.0.1:1", "certificate-authority-data": "UEVN" } },
      {},
    ],
    users: [{}, { name: "us-east-1-admin", user: { token: "two" } }],
    contexts: [
      { name: "eu-west-1", context: { cluster: "eu-west-1", user: "eu-west-1-admin" } },
      { name: "us-east-1" },
    ],
  });
});
