// SPDX-License-Identifier: Apache-2.0
// Every metric, scraped from `flotilla up` and its agent before and after what should move it.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { create, type MessageInitShape, toBinary } from "@bufbuild/protobuf";
import { createClient } from "@connectrpc/connect";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { PageService } from "../../src/gen/flotilla/page/v1/page_pb.ts";
import { ConnectRequestSchema } from "../../src/gen/flotilla/session/v1/session_pb.ts";
import { connectPlain } from "../../src/rpc/testing/raw-peer.ts";
import { metricNames } from "../../src/telemetry/metric-names.ts";
import { type GrpcCall, openGrpc } from "../support/plain-grpc.ts";
import { eventually } from "./fleet/eventually.ts";
import { PlaygroundUp } from "./fleet/playground-up.ts";

const eu = "eu-west-1";
const configMaps = "/api/v1/namespaces/shop/configmaps";

/** Metrics that this scenario does not move, each with why, and with the test that does where there is one. */
const unmoved: Readonly<Record<string, string>> = {
  [metricNames.buildInfo]: "it is 1 for as long as the process runs",
  [metricNames.labelOverflow]: "it takes 60,000 label sets; src/telemetry/prom-metrics.test.ts makes it count",
  [metricNames.ingestWaitingBytes]: "it is above 0 only while a flush is being stored, for some milliseconds",
  [metricNames.clusterFlapping]: "it takes four losses within minutes; src/hub/health/cluster-health.test.ts has them",
  [metricNames.clusterFailingKinds]:
    "it takes an API server that refuses one kind; src/hub/health/cluster-health.test.ts has a status of one",
  [metricNames.taskFailures]: "it takes a bug; src/base/task-guard.test.ts has one",
  [metricNames.restoreDroppedRows]:
    "it takes a fleet log from before the check of rows; src/hub/ingest/restore-pages.test.ts has one",
  [metricNames.agentUnknownMessages]: "it takes a hub of a later release",
  [metricNames.gitopsClusters]: "it takes a management cluster; test/e2e/gitops.test.ts has one",
  [metricNames.accessDrift]:
    "it takes a cluster whose answers differ from its RBAC objects; src/hub/access-drift/access-drift.test.ts has one",
  [metricNames.accessDriftedClusters]:
    "it takes a cluster whose answers differ from its RBAC objects; src/hub/access-drift/access-drift.test.ts has one",
  [metricNames.standingQueryEvaluations]:
    "it takes a standing query; src/hub/saved-queries/standing-queries.test.ts has some",
  [metricNames.standingQueryDeliveries]:
    "it takes a receiver of a standing query; src/hub/saved-queries/standing-delivery.http.test.ts has one",
  [metricNames.accessSamples]: "samples are off unless configured; src/hub/access-drift/access-drift.test.ts has both",
};

/** The series of a scrape by metric; a histogram under its own name. */
function seriesOf(text: string): ReadonlyMap<string, string> {
  const types = [...text.matchAll(/^# TYPE (\S+) /gm)].map(([, name = ""]) => name);
  const lines = text.split("\n");
  return new Map(
    types.map((name) => {
      const series = new RegExp(`^${name}(?:_bucket|_sum|_count)?[ {]`);
      return [name, lines.filter((line) => series.test(line)).join("\n")];
    }),
  );
}

function encodeUp(message?: MessageInitShape<typeof ConnectRequestSchema>["message"]): Uint8Array {
  return toBinary(ConnectRequestSchema, create(ConnectRequestSchema, message === undefined ? {} : { message }));
}

describe("the metrics of a hub and its agent", () => {
  // The log says where the agent's own port is; strangers are sent away soon, so that a cut connection can be waited
  // for.
  const fleet = new PlaygroundUp(1, {
    FLOTILLA_ADMIN_PORT: "0",
    FLOTILLA_LOG_LEVEL: "debug",
    FLOTILLA_AUTHENTICATION_TIMEOUT: "1s",
    FLOTILLA_CLUSTER_VERSION: "r7",
    FLOTILLA_LABELS: "tier=gold",
    FLOTILLA_EXCLUDE_KINDS: "events",
  });
  const scrapes: ReadonlyMap<string, string>[] = [];
  let agentUrl = "";

  /** Both processes at one moment. */
  const scrape = async (): Promise<void> => {
    const texts = [await (await fleet.hub.fetch("/metrics")).text(), await (await fetch(`${agentUrl}/metrics`)).text()];
    const [hub = new Map<string, string>(), agent = new Map<string, string>()] = texts.map(seriesOf);
    scrapes.push(new Map([...agent, ...hub].map(([name]) => [name, `${hub.get(name)}\n${agent.get(name)}`])));
  };

  beforeAll(async () => {
    await fleet.start();
    await fleet.hub.untilState(eu, "live");
    const served = fleet.program.logged("serving probes and metrics");
    agentUrl = String(served.at(-1)?.["url"]);
    await scrape();
  });

  afterAll(async () => {
    expect(await fleet.close()).toBe(0);
  });

  test("[N-32] the agent's settings for its cluster reach the hub", async () => {
    const { version, labels, kinds } = await fleet.hub.cluster(eu);
    expect([version, labels["tier"]]).toEqual(["r7", "gold"]);
    const resources = kinds.map(({ resource }) => resource);
    expect(resources).toContain("pods");
    expect(resources).not.toContain("events");
  });

  test("what strangers and viewers do is counted", async () => {
    const { hubUrl, caFile } = JSON.parse(readFileSync(join(fleet.dataDir, "run.json"), "utf8")) as {
      readonly hubUrl: string;
      readonly caFile: string;
    };
    const stranger = await connectPlain(hubUrl);
    await stranger.closed;
    using grpc = await openGrpc(hubUrl, readFileSync(caFile, "utf8"));
    const connect = (): GrpcCall => grpc.call("/flotilla.session.v1.SessionService/Connect");
    const disorderly = connect();
    disorderly.send(encodeUp()); // of no kind that the hub knows
    disorderly.send(encodeUp({ case: "heartbeat", value: { number: 1n } })); // before Hello: refused
    await disorderly.next();
    const keyless = connect();
    const hello = { protocol: 1, clusterId: eu, agentId: "stranger", incarnation: "one", clusterUid: "uid" };
    keyless.send(encodeUp({ case: "hello", value: hello }));
    await keyless.next();
    keyless.send(encodeUp({ case: "proof", value: { signature: new Uint8Array(64) } })); // fits no key: rejected
    await keyless.next();
    const leaving = new AbortController();
    const page = createClient(PageService, fleet.hub.transport);
    const subscriptions = [{ id: 1, view: { case: "fleet", value: {} } }] as const;
    const opened = page.open({ subscriptions: [...subscriptions] }, { signal: leaving.signal });
    const updates = opened[Symbol.asyncIterator]();
    for (let step = await updates.next(); step.done !== true && step.value.update.length === 0; )
      step = await updates.next();
    await scrape();
    expect(scrapes.at(-1)?.get(metricNames.pageStreams)).toContain("flotilla_page_streams 1");
    leaving.abort();
    await updates.next().catch(() => undefined); // a call that was aborted rejects with that
  });

  test("what happens to a cluster is counted, by its hub and by its agent", async () => {
    const client = fleet.connect(eu);
    expect(await fleet.run("playground", "trouble", eu, "crash-loop")).toMatchObject({ code: 0 });
    await eventually(async () => {
      await scrape();
      expect(scrapes.at(-1)?.get(metricNames.clusterObjects)).toMatch(
        /kind="Pod",status="(unhealthy|degraded)"\} [1-9]/,
      );
    });
    await client.ask("POST", configMaps, { body: { metadata: { name: "prices" } } });
    await fleet.hub.untilRow(eu, "configmaps shop/prices");
    expect(await fleet.run("cluster", "object", eu, "configmap", "prices", "-n", "shop")).toMatchObject({ code: 0 });
    expect(await fleet.run("hint", eu, "configmap", "prices", "-n", "shop")).toMatchObject({ code: 0 });
    expect(await fleet.run("cluster", "pause", eu)).toMatchObject({ code: 0 });
    await client.ask("POST", configMaps, { body: { metadata: { name: "later" } } });
    await eventually(async () => {
      await scrape();
      expect(scrapes.at(-1)?.get(metricNames.agentWaitingRows)).toMatch(/ [1-9]\d*$/); // while paused, rows wait
    });
    expect(await fleet.run("cluster", "resume", eu)).toMatchObject({ code: 0 });
    const pids = fleet.agentPids(eu);
    for (const pid of pids) process.kill(pid, "SIGSTOP");
    await fleet.hub.untilState(eu, "disconnected");
    await client.ask("DELETE", `${configMaps}/prices`);
    for (const pid of pids) process.kill(pid, "SIGCONT");
    await fleet.hub.untilRow(eu, "configmaps shop/prices", false);
    await fleet.hub.untilState(eu, "live");
    await scrape();
    // Its key is refused from here on: no session, and an agent that has none.
    expect(await fleet.run("cluster", "rotate", eu, "--revoke")).toMatchObject({ code: 0 });
  });

  test("[R-33] every metric that there is is served and has moved, or stands in the list with its reason", async () => {
    // What the revocation leads to comes a moment later.
    await eventually(async () => {
      await scrape();
      const valuesOf = (name: string): readonly string[] => scrapes.map((each) => each.get(name) ?? "not served");
      const names = Object.values(metricNames);
      expect(names.filter((name) => valuesOf(name).includes("not served"))).toEqual([]);
      const still = names.filter((name) => new Set(valuesOf(name)).size === 1);
      expect(still.filter((name) => !(name in unmoved))).toEqual([]);
    });
  });
});
