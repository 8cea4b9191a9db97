// SPDX-License-Identifier: Apache-2.0
import { expect, test } from "vitest";
import { describeOnKit } from "./describe-on-kit.ts";
import type { KubeClient } from "./kube-client.ts";
import { startCluster } from "./start-cluster.ts";

const labels = { app: "web" };
const deployment = {
  metadata: { name: "web" },
  spec: {
    replicas: 5,
    selector: { matchLabels: labels },
    template: { metadata: { labels }, spec: { containers: [{ name: "web", image: "example.invalid/web:1" }] } },
  },
};

interface PodSeen {
  readonly isReady: boolean;
  readonly address: string;
  readonly node: string;
}

interface PodList {
  readonly items: readonly {
    readonly spec: { readonly nodeName?: string };
    readonly status: {
      readonly podIP?: string;
      readonly conditions?: readonly { readonly type: string; readonly status: string }[];
    };
  }[];
}

async function listPods(client: KubeClient): Promise<readonly PodSeen[]> {
  const { items } = (await client.ask("GET", "/api/v1/namespaces/default/pods?labelSelector=app%3Dweb")) as PodList;
  return items.map(({ spec, status }) => ({
    isReady: status.conditions?.some(({ type, status }) => type === "Ready" && status === "True") === true,
    address: status.podIP ?? "",
    node: spec.nodeName ?? "",
  }));
}

describeOnKit("a cluster with controllers and kwok", ["controllers", "kwok"], (kit) => {
  test("makes a Deployment of 5 into 5 ready Pods, each with an address of its own", async () => {
    await using cluster = await startCluster({ kit, controllers: true, kwok: true });
    const client = cluster.connect();
    await client.ask("POST", "/apis/apps/v1/namespaces/default/deployments", { body: deployment });
    const readyCount = async (): Promise<number> => (await listPods(client)).filter(({ isReady }) => isReady).length;
    await expect.poll(readyCount, { timeout: 45_000, interval: 100 }).toBe(5);
    const pods = await listPods(client);
    expect(new Set(pods.map(({ address }) => address)).size).toBe(5);
    expect(pods).toEqual(
      pods.map(() => ({ isReady: true, address: expect.stringMatching(/^\d+(\.\d+){3}$/), node: "kwok-1" })),
    );
    const status = { status: expect.objectContaining({ replicas: 5, readyReplicas: 5, availableReplicas: 5 }) };
    const read = (): Promise<unknown> => client.ask("GET", "/apis/apps/v1/namespaces/default/deployments/web");
    await expect.poll(read, { timeout: 10_000, interval: 100 }).toMatchObject(status);
  });
});
