// SPDX-License-Identifier: Apache-2.0
import { afterAll, beforeAll, describe } from "vitest";
import { createSeededRandom } from "../../src/base/random.ts";
import { systemClock } from "../../src/base/time/system-clock.ts";
import { startApiServer, type TestApiServer } from "../support/api-server.ts";
import { HttpsSource } from "../support/kube-https-source.ts";
import { HttpsWriter } from "../support/kube-https-writer.ts";
import { SimApiServer } from "../support/sim/sim-api-server.ts";
import { describeReading, type ReadingSubject } from "./api-reading-contract.ts";

describe("the simulated API server", () => {
  const configMaps = { group: "", version: "v1", resource: "configmaps", kind: "ConfigMap", isNamespaced: true };
  const server = new SimApiServer({ clock: systemClock, random: createSeededRandom(1), bookmarkEveryMs: 800 });
  server.serve(configMaps);
  let namespaceCount = 0;
  let writeCount = 0;
  const subject: ReadingSubject = {
    source: server,
    put: (namespace, name) => {
      writeCount += 1;
      return Promise.resolve(
        server.put(configMaps, { metadata: { name, namespace }, data: { write: String(writeCount) } }),
      );
    },
    delete: (namespace, name) => {
      server.delete(configMaps, namespace, name);
      return Promise.resolve();
    },
    expire: () => Promise.resolve(server.compact()),
    freshNamespaces: () => {
      namespaceCount += 2;
      return Promise.resolve([`one-${namespaceCount}`, `two-${namespaceCount}`]);
    },
  };
  describeReading(() => subject);
});

describe("our API server", () => {
  let api: TestApiServer;
  let source: HttpsSource;
  let writer: HttpsWriter;

  beforeAll(async () => {
    api = await startApiServer(new Map([["all", { user: "root", groups: ["system:masters"] }]]));
    source = new HttpsSource({ url: api.url, ca: api.ca, token: "all" });
    writer = new HttpsWriter({ url: api.url, ca: api.ca, token: "all" });
  });

  afterAll(async () => {
    source[Symbol.dispose]();
    writer.close();
    await api.close();
  });

  describeReading(() => ({ source, ...writer.subject }));
});
