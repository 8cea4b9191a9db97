// SPDX-License-Identifier: Apache-2.0
// The contract of reading on the server it is taken from.
import { readFileSync } from "node:fs";
import { afterAll, beforeAll } from "vitest";
import { describeReading } from "../contract/api-reading-contract.ts";
import { HttpsSource } from "../support/kube-https-source.ts";
import { HttpsWriter } from "../support/kube-https-writer.ts";
import { describeOnKit } from "./describe-on-kit.ts";
import { type KubernetesCluster, startCluster } from "./start-cluster.ts";

describeOnKit("the contract of reading", [], (kit) => {
  let cluster: KubernetesCluster;
  let source: HttpsSource;
  let writer: HttpsWriter;

  beforeAll(async () => {
    cluster = await startCluster({ kit });
    const options = { url: cluster.url, ca: readFileSync(cluster.caFile, "utf8"), token: cluster.tokenOf("admin") };
    source = new HttpsSource(options);
    writer = new HttpsWriter(options);
  });

  afterAll(async () => {
    source[Symbol.dispose]();
    writer.close();
    await cluster.stop();
  });

  describeReading(() => ({ source, ...writer.subject }));
});
