// SPDX-License-Identifier: Apache-2.0
// Unmodified kubectl on the fleet API, over a listener of a hub.
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createSeededRandom } from "../../src/base/random.ts";
import { systemClock } from "../../src/base/time/system-clock.ts";
import { createFleetApiRoute } from "../../src/hub/fleet-api/fleet-api-route.ts";
import { SmallFleet, type SmallRow } from "../../src/hub/fleet-api/testing/small-fleet.ts";
import { openTestHub, type TestHub } from "../../src/rpc/testing/test-hub.ts";
import { chooseKubectls } from "../e2e/kubectl/choose-kubectl.ts";
import { type KubectlResult, KubectlRunner } from "../e2e/kubectl/run-kubectl.ts";
import { watchLines } from "../e2e/kubectl/watch-lines.ts";
import { KubeClient } from "../kubernetes/kube-client.ts";
import { openTempFolder } from "../support/temp-folder.ts";

const limitMs = 60_000;

function pod(cluster: string, name: string, more: Partial<SmallRow> = {}): SmallRow {
  const createdAt = systemClock.wallMs() - 10.5 * 86_400_000;
  return {
    cluster,
    name,
    createdAt,
    labels: { app: "web" },
    columns: { phase: "Running", ready: "1/1", node: "n1" },
    ...more,
  };
}

function deployment(cluster: string, name: string, ready: number): SmallRow {
  const columns = { replicas: 2, ready, updated: 2, available: ready };
  return { ...pod(cluster, name, { columns }), resource: "apps/deployments", kind: "Deployment" };
}

async function openFleetHub(fleet: SmallFleet): Promise<TestHub> {
  const authorizer = { isAllowed: () => true };
  const route = createFleetApiRoute({
    clock: systemClock,
    random: createSeededRandom("fleet api"),
    reader: fleet.reader,
    authorizer,
    tunnels: {
      readObject: ({ cluster, read: { namespace, name } }) => {
        const metadata = { namespace, name, labels: { readIn: cluster } };
        return Promise.resolve(
          Buffer.from(
            JSON.stringify({ apiVersion: "v1", kind: "Pod", metadata, spec: { containers: [{ name: "c" }] } }),
          ),
        );
      },
    },
    coverageSentence: () => "2 of 3 clusters, 1 disconnected",
  });
  return openTestHub({ routes: [route], authorizer });
}

function createFleet(): SmallFleet {
  const fleet = new SmallFleet();
  fleet.put(pod("east", "web-1"), pod("west", "web-1"), pod("west", "db-0", { namespace: "data", labels: {} }));
  fleet.put(deployment("east", "web", 2), deployment("west", "api", 1));
  fleet.put({ cluster: "east", resource: "nodes", kind: "Node", namespace: "", name: "n1" });
  for (const cluster of ["east", "west"])
    fleet.put({ cluster, resource: "namespaces", kind: "Namespace", namespace: "", name: "shop" });
  return fleet;
}

test("[FA1, FA13] over HTTP a refusal is a Status in JSON, and no credential is no answer", async () => {
  await using hub = await openFleetHub(createFleet());
  const client = new KubeClient({ url: hub.url, ca: hub.ca, token: "root" });
  const stranger = new KubeClient({ url: hub.url, ca: hub.ca, token: "wrong" });
  try {
    const list = await client.send("GET", "/fleet-api/api/v1/pods");
    expect(list).toMatchObject({ status: 406, body: { kind: "Status", reason: "NotAcceptable" } });
    const write = await client.send("POST", "/fleet-api/api/v1/namespaces/shop/pods", { body: {} });
    expect(write).toMatchObject({ status: 405, body: { kind: "Status", reason: "MethodNotAllowed" } });
    expect((await stranger.send("GET", "/fleet-api/api/v1/pods")).status).toBe(401);
  } finally {
    client.close();
    stranger.close();
  }
});

const chosen = chooseKubectls().filter(({ extent }) => extent === "whole");

describe.each([...chosen])("kubectl $kubectl.label on the fleet API", ({ kubectl }) => {
  const folder = openTempFolder();
  const fleet = createFleet();
  let hub: TestHub;
  let runner: KubectlRunner;

  const run = (words: string): Promise<KubectlResult> => runner.run(words.split(" "));
  /** The lines of stdout, with runs of spaces as one. */
  const lines = async (words: string): Promise<readonly string[]> => {
    const result = await run(words);
    expect(result, words).toMatchObject({ code: 0 });
    return result.stdout
      .trimEnd()
      .split("\n")
      .map((line) => line.replaceAll(/ +/g, " ").trim());
  };

  beforeAll(async () => {
    hub = await openFleetHub(fleet);
    const server = { url: `${hub.url}/fleet-api`, ca: hub.ca, tokens: new Map([["root", "root"]]) };
    runner = new KubectlRunner({
      kubectl,
      server,
      namespace: "shop",
      folder: join(folder.path, "home"),
      cwd: folder.path,
    });
  }, limitMs);

  afterAll(async () => {
    await hub[Symbol.asyncDispose]();
    folder[Symbol.dispose]();
  });

  test("[FA3, FA9, FA12] lists have a CLUSTER column, in pages, and the coverage on stderr", {
    timeout: limitMs,
  }, async () => {
    expect(await lines("get pods -A --chunk-size=1")).toEqual([
      "NAMESPACE CLUSTER NAME READY STATUS RESTARTS AGE",
      "shop east web-1 1/1 Running 0 10d",
      "data west db-0 1/1 Running 0 10d",
      "shop west web-1 1/1 Running 0 10d",
    ]);
    expect((await run("get pods")).stderr).toBe("Warning: 2 of 3 clusters, 1 disconnected\n");
    expect((await lines("get pods -o wide"))[0]).toBe(
      "CLUSTER NAME READY STATUS RESTARTS AGE IP NODE NOMINATED NODE READINESS GATES",
    );
    expect(await lines("get po,deploy --no-headers")).toEqual([
      "east pod/web-1 1/1 Running 0 10d",
      "west pod/web-1 1/1 Running 0 10d",
      "east deployment.apps/web 2/2 2 2 10d",
      "west deployment.apps/api 1/2 2 1 10d",
    ]);
  });

  test("[FA7, FA8] selectors and --sort-by", { timeout: limitMs }, async () => {
    expect(await lines("get pods -A -l app!=web,flotilla.dev/cluster=west --no-headers")).toEqual([
      "data west db-0 1/1 Running 0 10d",
    ]);
    expect(await lines("get pods -A --field-selector cluster=east,spec.nodeName=n1 --no-headers")).toEqual([
      "shop east web-1 1/1 Running 0 10d",
    ]);
    const sorted = await lines("get pods -A --sort-by=.metadata.name --no-headers");
    expect(sorted[0]).toBe("data west db-0 1/1 Running 0 10d");
    const refused = await run("get pods --field-selector spec.restartPolicy=Always");
    expect(refused.stderr).toContain("field label not supported: spec.restartPolicy");
  });

  test("[FA5, FA6] one object is read in its cluster, lists of objects are refused", { timeout: limitMs }, async () => {
    expect(await lines("get pod web-1@west -o jsonpath={.metadata.labels.readIn}")).toEqual(["west"]);
    expect(await lines("get pod web-1 --no-headers")).toEqual([
      "east web-1 1/1 Running 0 10d",
      "west web-1 1/1 Running 0 10d",
    ]);
    expect((await run("get pod web-1 -o yaml")).stderr).toContain(
      "2 clusters have it: east, west. Name one: web-1@east",
    );
    expect((await run("get pods -o yaml")).stderr).toContain("(NotAcceptable): the fleet holds rows, not objects");
    expect((await run("get pod nosuch")).stderr).toContain('pods "nosuch" not found');
  });

  test("[FA2, FA13] discovery, explain, and what is refused", { timeout: limitMs }, async () => {
    const names = await lines("api-resources --verbs=list,watch -o name");
    expect(names).toEqual(expect.arrayContaining(["pods", "nodes", "deployments.apps"]));
    expect(await lines("get no --no-headers")).toEqual([expect.stringMatching(/^east n1 /)]);
    expect((await lines("explain deployment.spec.replicas")).join(" ")).toContain("replicas <integer>");
    expect((await run("delete pod web-1@east")).stderr).toContain("the fleet API is read-only and serves no DELETE");
    expect((await run("logs web-1@east")).stderr).toContain("use kubectl --context CLUSTER logs");
    expect((await run("get widgets")).stderr).toContain('the server doesn\'t have a resource type "widgets"');
  });

  test("[FA10, FA11] -w prints the list, then what changes in any cluster", { timeout: limitMs }, async () => {
    await using watched = watchLines(runner, ["get", "deploy", "-l", "app=web", "-w", "--output-watch-events"]);
    expect(await watched.next()).toBe("EVENT CLUSTER NAME READY UP-TO-DATE AVAILABLE AGE");
    expect(await watched.next()).toBe("ADDED east web 2/2 2 2 10d");
    expect(await watched.next()).toBe("ADDED west api 1/2 2 1 10d");
    fleet.put({ ...deployment("east", "other", 1), labels: { app: "other" } });
    fleet.put(deployment("west", "api", 2));
    expect(await watched.next()).toBe("MODIFIED west api 2/2 2 2 10d");
    fleet.remove(deployment("west", "api", 2));
    expect(await watched.next()).toBe("DELETED west api 2/2 2 2 10d");
  });
});
