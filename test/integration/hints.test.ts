// SPDX-License-Identifier: Apache-2.0
// A hub, an agent process and an API server on which the agent may list and not watch. Its next list is minutes away,
// so that a row which changes before that was changed by a hint.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { createClient } from "@connectrpc/connect";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { TokenService } from "../../src/gen/flotilla/admin/v1/admin_pb.ts";
import { JoinTokenService, RowService } from "../../src/gen/flotilla/fleet/v1/fleet_pb.ts";
import { HintOutcome, HintService } from "../../src/gen/flotilla/fleet/v1/hint_pb.ts";
import { createSubject } from "../../src/model/subject.ts";
import { hubGroups } from "../../src/rbac/hub-roles.ts";
import { BackgroundProgram, flotilla } from "../e2e/fleet/background-program.ts";
import { eventually } from "../e2e/fleet/eventually.ts";
import { HubView } from "../e2e/fleet/hub-view.ts";
import { startApiServer, type TestApiServer } from "../support/api-server.ts";
import { type RunningHub, startHub } from "../support/running-hub.ts";
import { openTempFolder } from "../support/temp-folder.ts";

const apiToken = "agent-token";
const rbac = "rbac.authorization.k8s.io";

/** The time until an agent that may not watch lists again; longer than this file takes. */
const listInterval = "4m";

describe("[Q-33] a hint", () => {
  const folder = openTempFolder();
  let hub: RunningHub;
  let api: TestApiServer;
  let agent: BackgroundProgram;
  let view: HubView;

  beforeAll(async () => {
    const subject = createSubject({ user: "agent" });
    [hub, api] = await Promise.all([
      startHub(join(folder.path, "hub")),
      startApiServer(new Map([[apiToken, subject]])),
    ]);
    await allowLists();
    for (const name of ["shop", "left-out"]) await createThere("namespaces", { metadata: { name } });
    for (const name of ["cart", "web"]) await createThere("configmaps", configMap(name, "one"));
    agent = await startAgent();
    view = new HubView(hub.record);
    await eventually(async () => expect(await releases()).toEqual({ cart: "one", web: "one" }));
  }, 120_000);

  afterAll(async () => {
    view.close();
    await agent.end();
    await hub.stop();
    await api.close();
    folder[Symbol.dispose]();
  });

  async function createThere(resource: string, object: Parameters<TestApiServer["server"]["client"]["create"]>[1]) {
    await api.server.client.create(resource, object);
  }

  /** Rights of the agent, and of the hub's admins, who see the same rows. The grants are watched, as hubs need them. */
  async function allowLists(): Promise<void> {
    const metadata = { name: "agent" };
    const rules = [
      { apiGroups: ["*"], resources: ["*"], verbs: ["get", "list"] },
      { apiGroups: [rbac], resources: ["*"], verbs: ["watch"] },
      { nonResourceURLs: ["*"], verbs: ["get"] },
    ];
    await createThere(`${rbac}/clusterroles`, { metadata, rules });
    await createThere(`${rbac}/clusterrolebindings`, {
      metadata,
      roleRef: { apiGroup: rbac, kind: "ClusterRole", name: "agent" },
      subjects: [
        { apiGroup: rbac, kind: "User", name: "agent" },
        { apiGroup: rbac, kind: "Group", name: hubGroups.admins },
      ],
    });
  }

  async function startAgent(): Promise<BackgroundProgram> {
    const tokens = createClient(JoinTokenService, hub.connect());
    const { secret } = await tokens.createJoinToken({ namePattern: "east", uses: 1, ttlSeconds: 600 });
    const file = (name: string, text: string): string => {
      const path = join(folder.path, name);
      writeFileSync(path, text, { mode: 0o600 });
      return path;
    };
    const cluster = { server: api.url, "certificate-authority-data": Buffer.from(api.ca).toString("base64") };
    const kubeconfig = {
      clusters: [{ name: "c", cluster }],
      users: [{ name: "u", user: { token: apiToken } }],
      contexts: [{ name: "c", context: { cluster: "c", user: "u" } }],
      "current-context": "c",
    };
    const flags = {
      hub: hub.record.hubUrl,
      "ca-file": hub.record.caFile,
      "cluster-id": "east",
      "join-token-file": file("join-token", secret),
      kubeconfig: file("kubeconfig", JSON.stringify(kubeconfig)),
      "key-file": join(folder.path, "agent.key"),
      "sync-interval": listInterval,
      "log-format": "json",
    };
    const args = ["agent", ...Object.entries(flags).map(([name, value]) => `--${name}=${value}`)];
    return new BackgroundProgram({ cwd: folder.path, args: [...args, "--exclude-namespaces", "left-out"] });
  }

  function configMap(name: string, release: string) {
    return { metadata: { name, namespace: "shop", labels: { release } }, data: { secretish: "marker-value" } };
  }

  async function setRelease(name: string, release: string): Promise<void> {
    await api.server.client.update({ resource: "configmaps", namespace: "shop", name }, (object) => {
      object["metadata"] = { ...(object["metadata"] as object), labels: { release } };
    });
  }

  /** The label `release` of the hub's ConfigMap rows of the namespace shop, by name. */
  async function releases(): Promise<Readonly<Record<string, string | undefined>>> {
    const found: Record<string, string | undefined> = {};
    const rows = createClient(RowService, view.transport).listRows({ clusterId: "east", resources: ["configmaps"] });
    for await (const answer of rows)
      for (const { namespace, name, labels } of answer.rows)
        if (namespace === "shop" && labels["release"] !== undefined) found[name] = labels["release"];
    return found;
  }

  /** The verb as another system runs it. */
  function hint(name: string, ...flags: readonly string[]): ReturnType<typeof flotilla> {
    const address = ["--hub", hub.record.hubUrl, "--ca-file", hub.record.caFile];
    return flotilla(folder.path, ["hint", "east", "cm", name, "-n", "shop", ...address, ...flags], {
      FLOTILLA_TOKEN: hub.adminToken,
    });
  }

  test("[SE67] refreshes the row that it names at once, and no other", async () => {
    await setRelease("cart", "two");
    await setRelease("web", "two");
    expect(await releases()).toEqual({ cart: "one", web: "one" });
    const { code, stdout, stderr } = await hint("cart");
    expect([code, stderr]).toEqual([0, ""]);
    expect(stdout).toBe(
      'The agent has read configmaps "cart" of namespace "shop" in cluster east again, and sends the changed row now.\n',
    );
    await eventually(async () => expect(await releases()).toEqual({ cart: "two", web: "one" }), 10_000);
  }, 60_000);

  test("[SE67] brings a new object, also to users' queries", async () => {
    await createThere("configmaps", configMap("late", "three"));
    const { outcome } = await createClient(HintService, view.transport).hintObject({
      cluster: "east",
      kind: "ConfigMap",
      namespace: "shop",
      name: "late",
    });
    expect(outcome).toBe(HintOutcome.REFRESHED);
    await eventually(async () => expect(await releases()).toEqual({ cart: "two", late: "three", web: "one" }), 10_000);
  });

  test("[SE67] [L4] that is false changes nothing: unchanged, gone, never there", async () => {
    const before = await releases();
    const client = createClient(HintService, view.transport);
    const ask = async (name: string): Promise<HintOutcome> => {
      const { outcome, sentence } = await client.hintObject({ cluster: "east", kind: "cm", namespace: "shop", name });
      expect(sentence).not.toContain("marker-value");
      return outcome;
    };
    expect(await ask("cart")).toBe(HintOutcome.UNCHANGED);
    expect(await ask("never")).toBe(HintOutcome.NOT_FOUND);
    await api.server.client.delete({ resource: "configmaps", namespace: "shop", name: "late" });
    expect(await ask("late")).toBe(HintOutcome.NOT_FOUND);
    // A hint that does change a row comes after whatever the others would have sent.
    await setRelease("web", "four");
    expect(await ask("web")).toBe(HintOutcome.REFRESHED);
    await eventually(async () => expect(await releases()).toEqual({ ...before, web: "four" }), 10_000);
  });

  test("[SE68] of what the agent does not collect is refused with one sentence", async () => {
    const client = createClient(HintService, view.transport);
    const excluded = { cluster: "east", kind: "cm", namespace: "left-out", name: "cart" };
    await expect(client.hintObject(excluded)).rejects.toMatchObject({
      code: "NOT_FOUND",
      message: expect.stringContaining('the agent does not collect namespace "left-out", so it has no row to refresh'),
    });
    await expect(client.hintObject({ ...excluded, kind: "secrets" })).rejects.toMatchObject({ code: "NOT_FOUND" });
  });

  test("[SE69] needs the permission to create hints: a viewer has none", async () => {
    const tokens = createClient(TokenService, view.transport);
    const request = { cluster: "east", kind: "cm", namespace: "shop", name: "cart" };
    const withGroup = async (group: string) => {
      const { secret } = await tokens.createToken({ user: "ci", groups: [group] });
      return createClient(HintService, hub.connect(secret)).hintObject(request);
    };
    await expect(withGroup(hubGroups.viewers)).rejects.toMatchObject({ code: "PERMISSION_DENIED" });
    expect((await withGroup(hubGroups.operators)).outcome).toBe(HintOutcome.UNCHANGED);
  });

  test("[SE66] beyond the rate is answered with resource_exhausted, and the session goes on", async () => {
    const client = createClient(HintService, view.transport);
    const request = { cluster: "east", kind: "cm", namespace: "shop", name: "cart" };
    const asked = await Promise.allSettled(Array.from({ length: 60 }, () => client.hintObject(request)));
    const refused = asked.filter(({ status }) => status === "rejected");
    expect(refused.length).toBeGreaterThan(0);
    for (const { reason } of refused as PromiseRejectedResult[])
      expect(reason).toMatchObject({ code: "OVERLOADED", message: expect.stringContaining("try again later") });
    expect(await view.state("east")).toBe("live");
  });

  test("[SE69] of a cluster whose agent is gone is dropped, with exit code 5", async () => {
    await agent.end();
    await eventually(async () => expect(await view.state("east")).not.toBe("live"));
    // The hints before may have used up the rate.
    await eventually(async () => {
      const { code, stdout, stderr } = await hint("cart", "-o", "json");
      expect(stderr).toContain("The agent is not connected");
      expect([code, JSON.parse(stdout)]).toMatchObject([5, { cluster: "east", name: "cart", outcome: "clusterAway" }]);
    });
  }, 60_000);
});
