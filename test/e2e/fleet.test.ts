// SPDX-License-Identifier: Apache-2.0
// Two playground clusters and their agents as processes: what the hub says of them is what their API servers say.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createGenericKind } from "../../src/kinds/generic-kind.ts";
import { istioKinds } from "../../src/kinds/istio/istio-kinds.ts";
import { resourceIdText } from "../../src/model/gvr.ts";
import type { KubeClient } from "../kubernetes/kube-client.ts";
import { expectRefusal } from "./expect-refusal.ts";
import { createObject, define, undefine } from "./fleet/definitions.ts";
import { keyOf, listDirectly, toCompared } from "./fleet/direct-rows.ts";
import { eventually } from "./fleet/eventually.ts";
import { PlaygroundUp } from "./fleet/playground-up.ts";

const [eu, us] = ["eu-west-1", "us-east-1"] as const;
const configMaps = "/api/v1/namespaces/shop/configmaps";

const certificateKind = createGenericKind(
  { group: "cert-manager.io", resource: "certificates" },
  { kind: "Certificate", versions: ["v1"], isNamespaced: true },
);

interface Listed {
  readonly clusters: readonly {
    readonly id: string;
    readonly connection: { readonly state: string };
    readonly session: Readonly<Record<string, unknown>>;
  }[];
}

interface Audited {
  readonly records: readonly {
    readonly seq: number;
    readonly action: string;
    readonly requestId: string;
    readonly hash: string;
  }[];
}

interface Named {
  readonly namespace: string;
  readonly name: string;
}

interface Change {
  readonly clusterId: string;
  readonly what: string;
  readonly resource: string;
  readonly name: string;
  readonly position: string;
}

function parseLines(text: string): unknown[] {
  return text
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as unknown);
}

/** The plural name in a key of `RowsByKey`, without its group. */
function resourceOf(key: string): string {
  return key.slice(0, key.indexOf(" ")).split("/").at(-1) ?? "";
}

describe("a fleet of playground clusters", () => {
  const fleet = new PlaygroundUp(2, { FLOTILLA_KINDS: "default,cert-manager.io/*" });
  let client: KubeClient;

  beforeAll(async () => {
    await fleet.start();
    client = fleet.connect(eu);
    await fleet.hub.untilState(eu, "live");
    await fleet.hub.untilState(us, "live");
  });

  afterAll(async () => {
    expect(await fleet.close()).toBe(0);
  });

  test("[N-1][N-45][N-31][CL10] lists every cluster as live, with its session, agent, address and times", async () => {
    let clusters: Listed["clusters"] = [];
    await eventually(async () => {
      ({ clusters } = (await fleet.json("cluster", "list")) as Listed);
      expect(clusters.map(({ id, connection }) => [id, connection.state])).toEqual([
        [eu, "live"],
        [us, "live"],
      ]);
    });
    for (const { session } of clusters) {
      expect(session).toMatchObject({
        isActive: true,
        agentId: expect.stringMatching(/^agt_/) as unknown,
        address: expect.stringMatching(/^127\.0\.0\.1:\d+$/) as unknown,
        connectedAt: expect.stringMatching(/^\d{4}-/) as unknown,
        lastMessageMsAgo: expect.any(Number) as unknown,
      });
    }
  });

  test("[N-1][N-4] has of each cluster the rows of its own API server, field by field, of every kind", async () => {
    const euRows = await fleet.hub.untilEqual(eu, client);
    const usRows = await fleet.hub.untilEqual(us, fleet.connect(us));
    expect(euRows).not.toEqual(usRows);
    expect(new Set(Object.keys(euRows).map((key) => key.split(" ")[0])).size).toBeGreaterThan(20);
  });

  test("[KI14][KI23][SE56] follows the kind of a definition that comes, by metadata and conditions, until it goes", async () => {
    await define(client, certificateKind);
    const condition = { type: "Ready", status: "False", reason: "Expired", message: "the certificate ended" };
    const body = {
      apiVersion: "cert-manager.io/v1",
      kind: "Certificate",
      metadata: { name: "web" },
      spec: { privateKey: "not-for-others" },
      status: { conditions: [condition] },
    };
    await client.ask("POST", "/apis/cert-manager.io/v1/namespaces/shop/certificates", { body });
    await fleet.hub.untilRow(eu, "cert-manager.io/certificates shop/web");
    const { stdout } = await fleet.run("cluster", "rows", eu, "--kind", "Certificate");
    expect(parseLines(stdout)).toMatchObject([
      {
        name: "web",
        kind: "Certificate",
        status: "unhealthy",
        reason: "Expired",
        columns: { conditions: [{ type: "Ready", status: "False", reason: "Expired" }] },
      },
    ]);
    expect(stdout).not.toContain("not-for-others");
    const kindNow = async (): Promise<unknown> =>
      (await fleet.hub.cluster(eu)).kinds.find(({ resource }) => resource === "cert-manager.io/certificates");
    await eventually(async () =>
      expect(await kindNow()).toMatchObject({ kind: "Certificate", state: "watching", unhealthyCount: 1 }),
    );
    await undefine(client, certificateKind);
    await fleet.hub.untilRow(eu, "cert-manager.io/certificates shop/web", false);
    await eventually(async () => expect(await kindNow()).toMatchObject({ state: "notInstalled" }));
  });

  test("cluster rows prints them, one a line, and of one kind alone where asked", async () => {
    const printed = async (): Promise<unknown> => {
      const { stdout } = await fleet.run("cluster", "rows", eu, "--kind", "nodes,apps/deployments");
      const lines = parseLines(stdout) as (Named & { cluster: string; resource: string })[];
      expect(new Set(lines.map(({ cluster }) => cluster))).toEqual(new Set([eu]));
      return Object.fromEntries(lines.map(({ cluster: _eu, ...row }) => [keyOf(row.resource, row), toCompared(row)]));
    };
    const wanted = async (): Promise<unknown> => {
      const all = Object.entries(await listDirectly(client));
      return Object.fromEntries(all.filter(([key]) => /^(nodes|apps\/deployments) /.test(key)));
    };
    await eventually(async () => expect(await printed()).toEqual(await wanted()));
  });

  test("[N-32] selects clusters by what their agents said of them", async () => {
    const select = async (selector: string): Promise<readonly string[]> =>
      ((await fleet.json("cluster", "list", "-l", selector)) as Listed).clusters.map(({ id }) => id);
    expect(await select("environment=playground")).toEqual([eu, us]);
    expect(await select("environment=playground,region=us-east")).toEqual([us]);
    expect(await select("environment=staging")).toEqual([]);
  });

  test("[N-4][N-8] finds Services, EndpointSlices and bare Pods in any namespace, also a new one", async () => {
    for (const namespace of ["default", "payments", "late"]) {
      if (namespace === "late")
        await client.ask("POST", "/api/v1/namespaces", { body: { metadata: { name: "late" } } });
      const containers = [{ name: "app", image: "example.com/app:1" }];
      const bodies = {
        pods: { metadata: { name: "bare" }, spec: { containers } },
        services: { metadata: { name: "found" }, spec: { ports: [{ port: 80 }] } },
      };
      for (const [resource, body] of Object.entries(bodies)) {
        await client.ask("POST", `/api/v1/namespaces/${namespace}/${resource}`, { body });
      }
      const slice = { metadata: { name: "found" }, addressType: "IPv4", endpoints: [{ addresses: ["192.0.2.1"] }] };
      await client.ask("POST", `/apis/discovery.k8s.io/v1/namespaces/${namespace}/endpointslices`, { body: slice });
      await fleet.hub.untilRow(eu, `pods ${namespace}/bare`);
      await fleet.hub.untilRow(eu, `services ${namespace}/found`);
      await fleet.hub.untilRow(eu, `discovery.k8s.io/endpointslices ${namespace}/found`);
    }
    const state = (await fleet.json("cluster", "state", eu)) as Record<string, readonly Named[]>;
    const found = (list: string): readonly string[] =>
      (state[list] ?? []).filter(({ name }) => ["bare", "found"].includes(name)).map(({ namespace }) => namespace);
    for (const list of ["pods", "services", "endpointSlices"]) {
      expect([list, found(list).toSorted()]).toEqual([list, ["default", "late", "payments"]]);
    }
  });

  test("[L18] has nothing of what people keep in an object's variables, arguments, annotations and values", async () => {
    const marker = "kept-in-the-cluster";
    const metadata = { name: "guarded", annotations: { note: marker } };
    const container = {
      name: "app",
      image: "example.com/app:1",
      args: [marker],
      env: [{ name: "KEY", value: marker }],
    };
    const bodies = {
      pods: { metadata, spec: { containers: [container] } },
      configmaps: { metadata, data: { key: marker } },
      secrets: { metadata, stringData: { key: marker } },
    };
    for (const [resource, body] of Object.entries(bodies))
      await client.ask("POST", `/api/v1/namespaces/shop/${resource}`, { body });
    await fleet.hub.untilRow(eu, "pods shop/guarded");
    await fleet.hub.untilRow(eu, "configmaps shop/guarded");
    for (const verb of ["rows", "state"]) {
      const { stdout } = await fleet.run("cluster", verb, eu, "-o", "json");
      expect(stdout).toContain("guarded");
      expect(stdout).not.toContain(marker);
    }
  });

  test("[N-5][N-6] finds an object of each Istio kind in a namespace of its own, also of kinds defined while it runs", async () => {
    for (const kind of istioKinds) {
      await define(client, kind);
      const namespace = `mesh-${kind.kind.toLowerCase()}`;
      await client.ask("POST", "/api/v1/namespaces", { body: { metadata: { name: namespace } } });
      await createObject(client, kind, namespace, "found");
    }
    const keys = istioKinds.map(({ resource, kind }) => `${resourceIdText(resource)} mesh-${kind.toLowerCase()}/found`);
    for (const key of keys) await fleet.hub.untilRow(eu, key);
    const rows = await fleet.hub.untilEqual(eu, client);
    expect(keys.filter((key) => !Object.hasOwn(rows, key))).toEqual([]);
  });

  test("[N-8] gives the packaged state of a cluster: a list for each kind, with every object of it", async () => {
    // A CronJob of the playground may begin a Pod between the two reads.
    await eventually(async () => {
      const { coverage: _, readings, ...state } = (await fleet.json("cluster", "state", eu)) as Record<string, unknown>;
      const lists = Object.entries(state).filter((entry): entry is [string, Named[]] => Array.isArray(entry[1]));
      expect(lists).toHaveLength(15);
      expect(readings).toBeDefined();
      const keys = Object.keys(await listDirectly(client));
      for (const [list, objects] of lists) {
        const own = keys.filter((key) => resourceOf(key) === list.toLowerCase());
        const names = objects.map(({ namespace, name }) => `${namespace}/${name}`);
        expect([list, names.toSorted()]).toEqual([list, own.map((key) => key.slice(key.indexOf(" ") + 1)).toSorted()]);
        expect(names).not.toEqual([]);
      }
    });
  });

  test("tells what was added, changed and removed", async () => {
    const before = (parseLines((await fleet.run("changes", "-o", "json")).stdout) as Change[]).at(-1)?.position ?? "";
    const key = "configmaps shop/told";
    await client.ask("POST", configMaps, { body: { metadata: { name: "told" }, data: { a: "1" } } });
    await fleet.hub.untilRow(eu, key);
    await client.ask("PUT", `${configMaps}/told`, { body: { metadata: { name: "told" }, data: { a: "1", b: "2" } } });
    await eventually(async () =>
      expect((await fleet.hub.rows(eu))[key]).toMatchObject({ columns: { keys: ["a", "b"] } }),
    );
    await client.ask("DELETE", `${configMaps}/told`);
    await fleet.hub.untilRow(eu, key, false);
    const words = ["--position", before, "--cluster", eu, "--kind", "svc,ConfigMap,deploy.apps,pods.v1"];
    const { stdout } = await fleet.run("changes", ...words, "-o", "json");
    const told = (parseLines(stdout) as Change[]).filter(({ name }) => name === "told");
    expect(told.map(({ clusterId, resource, what }) => [clusterId, resource, what])).toEqual([
      [eu, "configmaps", "added"],
      [eu, "configmaps", "changed"],
      [eu, "configmaps", "removed"],
    ]);
  });

  test("labels a cluster, and selects it by the label", async () => {
    expect(await fleet.run("cluster", "label", us, "tier=gold")).toMatchObject({ code: 0 });
    expect(await fleet.json("cluster", "list", "-l", "tier=gold")).toMatchObject({ clusters: [{ id: us }] });
    expect(await fleet.run("cluster", "label", us, "tier-")).toMatchObject({ code: 0 });
    expect(await fleet.json("cluster", "list", "-l", "tier=gold")).toMatchObject({ clusters: [] });
  });

  test("makes a join token as its options say", async () => {
    const options = ["--join-ttl", "2h", "--uses", "3", "--needs-approval", "--description", "for tests"];
    const { token } = (await fleet.json("cluster", "join", "new-*", "--token-only", ...options)) as {
      readonly token: { readonly createdAt: string; readonly expiresAt: string };
    };
    expect(token).toMatchObject({ usesLeft: 3, needsApproval: true, description: "for tests" });
    expect(Date.parse(token.expiresAt) - Date.parse(token.createdAt)).toBe(7_200_000);
  });

  test("says in one sentence what is wrong with what it was given", async () => {
    const wrong: readonly (readonly [readonly string[], number, RegExp])[] = [
      [["cluster", "rows", "nowhere"], 3, /there is no cluster "nowhere"/],
      [["cluster", "join", "a:b", "--token-only"], 2, /name pattern "a:b" is not made of lower-case letters/],
      [["cluster", "join", "new", "--join-ttl", "2h"], 2, /--join-ttl.* works only with --token-only/],
      [["cluster", "list", "-l", "a in ("], 2, /label selector, position 7/],
      [["changes", "--position", "0"], 2, /"0" is not a position of the change feed/],
      [["changes", "--cluster", "eu-wst-1"], 3, /there is no cluster "eu-wst-1"; did you mean "eu-west-1"\?/],
      [["changes", "--kind", "deploymnets"], 3, /no cluster has a kind "deploymnets"; did you mean "deployments"\?/],
      [["cluster", "remove", us], 2, /deletes its registration, .* add --yes to confirm/],
      [["cluster", "accept", eu, "123"], 2, /the agent of the present one is disconnected .* add --yes to confirm/],
      [["cluster", "accept", eu, "123", "--yes"], 2, /no agent of a cluster with uid "123" was refused as eu-west-1/],
    ];
    for (const [args, exitCode, sentence] of wrong) expectRefusal(await fleet.run(...args), exitCode, sentence);
  });

  test("[SE43] [HE16] keeps the rows and the session of a paused cluster, and takes up what happened meanwhile as soon as it goes on", async () => {
    const { session } = await fleet.hub.cluster(us);
    expect(await fleet.run("cluster", "pause", us)).toMatchObject({ code: 0 });
    const direct = fleet.connect(us);
    await direct.ask("POST", configMaps, { body: { metadata: { name: "meanwhile" } } });
    await eventually(async () => expect(await fleet.hub.state(us)).toBe("stale"));
    const paused = await fleet.hub.cluster(us);
    expect([paused.isPaused, paused.session?.epoch]).toEqual([true, session?.epoch]);
    const { stdout } = await fleet.run("cluster", "list");
    expect(stdout).toMatch(/us-east-1 +paused .*paused on purpose.*\(by /);
    expect(Object.keys(await fleet.hub.rows(us))).not.toContain("configmaps shop/meanwhile");
    expect(await fleet.run("cluster", "resume", us)).toMatchObject({ code: 0 });
    await fleet.hub.untilRow(us, "configmaps shop/meanwhile");
    await fleet.hub.untilEqual(us, direct);
    expect((await fleet.hub.cluster(us)).session?.epoch).toBe(session?.epoch);
  });

  test("[SE10] has the agent back within seconds after it was killed, and not only after the grace period", async () => {
    const { session } = await fleet.hub.cluster(us);
    for (const pid of fleet.agentPids(us)) process.kill(pid, "SIGKILL");
    const epoch = async (): Promise<unknown> => (await fleet.hub.cluster(us)).session?.epoch;
    await eventually(async () => expect(await epoch()).not.toBe(session?.epoch));
    await fleet.hub.untilState(us, "live");
    const after = (await fleet.hub.cluster(us)).session;
    expect([after?.agentId, after?.isActive]).toEqual([session?.agentId, true]);
  });

  test("forgets a cluster that is removed: its registration and its rows", async () => {
    expect(await fleet.run("cluster", "remove", us, "--yes")).toMatchObject({ code: 0 });
    const { clusters } = (await fleet.json("cluster", "list")) as Listed;
    expect(clusters.map(({ id }) => id)).toEqual([eu]);
    const { code, stderr } = await fleet.run("cluster", "rows", us);
    expect([code, stderr]).toEqual([3, expect.stringContaining(`there is no cluster "${us}"`)]);
  });

  test("[AU1, AU2, AU6, CL1] every change that was made of a cluster is in the audit log after its removal, with its actor, and the log is whole", async () => {
    const { records } = (await fleet.json("audit", us)) as Audited;
    expect(records.map(({ action }) => action).toReversed()).toEqual([
      "cluster.join",
      "cluster.label",
      "cluster.label",
      "cluster.pause",
      "cluster.resume",
      "cluster.remove",
    ]);
    const labelled = records.find(({ action }) => action === "cluster.label");
    expect(labelled).toMatchObject({ user: "admin", target: us, old: { labels: "tier=gold" }, new: { labels: "" } });
    expect(labelled?.requestId).not.toBe("");
    const filter = ["--actor", "admin", "--action", "cluster", "--since", "1h", "--limit", "2"];
    const chosen = (await fleet.json("audit", ...filter)) as Audited;
    expect(chosen.records.map(({ action }) => action)).toEqual(["cluster.remove", "cluster.resume"]);
    const [newest] = records;
    const { stdout } = await fleet.run("audit", "--verify", "--noted", `${newest?.seq}:${newest?.hash}`);
    expect(stdout).toContain("the audit log is intact");
    const altered = await fleet.run("audit", "--verify", "--noted", `${newest?.seq}:${"0".repeat(64)}`);
    expectRefusal(altered, 7, /the log was rewritten/);
    expectRefusal(await fleet.run("audit", "--verify", "--noted", "last"), 2, /--noted must be SEQUENCE:HASH/);
  });
});
