// SPDX-License-Identifier: Apache-2.0
// A real kube-apiserver that ends and begins anew under an open page.
import { afterAll, beforeAll, expect, test } from "vitest";
import type { BackgroundProgram } from "../e2e/fleet/background-program.ts";
import { eventually } from "../e2e/fleet/eventually.ts";
import {
  isSamePage,
  markPage,
  PageBrowser,
  startLimitMs,
  tileOf,
  untilNoNotice,
  untilNotice,
  untilTile,
  type WatchedPage,
} from "../e2e/page/page-browser.ts";
import { receivedText, recordContext } from "../e2e/page/received-bytes.ts";
import { describeOnKit } from "./describe-on-kit.ts";
import type { KubeClient } from "./kube-client.ts";
import { RealFleet } from "./real-fleet.ts";
import { ServerSwitch } from "./real-fleet-server.ts";
import { type KubernetesCluster, startCluster } from "./start-cluster.ts";

const agentRole = "/apis/rbac.authorization.k8s.io/v1/clusterroles/flotilla-agent";

interface Role {
  readonly rules: readonly { readonly resources?: readonly string[] }[];
}

/** The right to another resource in the place of this one: a rule for none is not taken. */
function withoutConfigMaps(resource: string): string {
  return resource === "configmaps" ? "nothing" : resource;
}

/** The Pod of no controller: it is made, and nothing more happens to it. */
const pod = {
  metadata: { name: "made-after-return" },
  spec: { automountServiceAccountToken: false, containers: [{ name: "main", image: "example.com/main:1" }] },
};

describeOnKit("the page of a cluster whose API server stops", [], (kit) => {
  const fleet = new RealFleet();
  const browser = new PageBrowser();
  let cluster: KubernetesCluster;
  let server: ServerSwitch;
  let admin: KubeClient;
  let agent: BackgroundProgram;
  let first: WatchedPage;
  let second: WatchedPage;

  /** Where somebody is let in who follows a login link with these words. */
  async function loginLink(...words: readonly string[]): Promise<string> {
    const { link } = JSON.parse(await fleet.run("login-link", ...words, "-o", "json")) as { readonly link: string };
    return link;
  }

  beforeAll(async () => {
    [cluster] = await Promise.all([startCluster({ kit }), fleet.startHub(), browser.start()]);
    server = new ServerSwitch(cluster, kit);
    admin = cluster.connect();
    await fleet.install("only", cluster, kit);
    agent = fleet.startAgent("only", cluster, { isPod: true });
    const [link, context] = [await loginLink(), await browser.openContext()];
    first = await browser.openTab(context, link);
    await untilTile(first.page, "only", "live");
    second = await browser.openTab(context, new URL("/ui/changes", link).href);
  }, startLimitMs);

  afterAll(async () => {
    await browser.close();
    await fleet.close();
    await server.close();
    expect([...first.faults, ...second.faults]).toEqual([]);
  });

  test("[R-5][R-28][R-29] ended it is one notice, begun anew it is told as back, and a Pod that is made then arrives without a reload", async () => {
    for (const { page } of [first, second]) await markPage(page);
    await server.end();
    await untilTile(first.page, "only", "disconnected");
    for (const { page } of [first, second]) await untilNotice(page, /Disconnected: only[\s\S]*connection refused/);
    // It is told for ten seconds, and the agent may be back before the server calls itself ready.
    const told = [first, second].map(({ page }) => untilNotice(page, /Live again: only/));
    await Promise.all([server.begin(), ...told]);
    await untilTile(first.page, "only", "live");
    await admin.send("POST", "/api/v1/namespaces/default/serviceaccounts", { body: { metadata: { name: "default" } } });
    await admin.ask("POST", "/api/v1/namespaces/default/pods", { body: pod });
    await eventually(async () =>
      expect(await second.page.locator('[data-change="added pods default/made-after-return"]').count()).toBe(1),
    );
    await untilNoNotice(first.page);
    for (const { page } of [first, second]) expect(await isSamePage(page)).toBe(true);
  });

  test("[R-30][R-32] a kind that its agent may not read is shown with its error, and the cluster stays live; a user without rights there sees no counts", async () => {
    const role = (await admin.ask("GET", agentRole)) as Role;
    const rules = role.rules.map(({ resources, ...rule }) => {
      return resources === undefined ? rule : { ...rule, resources: resources.map(withoutConfigMaps) };
    });
    await admin.ask("PUT", agentRole, { body: { ...role, rules } });
    await agent.end();
    fleet.startAgent("only", cluster, { isPod: true });
    const { page } = first;
    await page.goto(new URL("/ui/clusters/only", page.url()).href);
    await page.locator('[data-kind="configmaps"][data-state="failed"]').waitFor();
    const panel = page.locator('[data-panel="only"]');
    expect(await panel.innerText()).toMatch(
      /list.*configmaps is forbidden: User "system:serviceaccount:flotilla:flotilla-agent"/,
    );
    await untilTile(page, "only", "live");

    const context = await browser.openContext();
    await recordContext(context);
    const viewer = await browser.openTab(context, await loginLink("look", "--groups", "flotilla:viewers"));
    await untilTile(viewer.page, "only", "live");
    await tileOf(viewer.page, "only").click();
    await viewer.page.locator('[data-hop="api-server"]').waitFor();
    await viewer.page.locator("[data-kind]").first().waitFor();
    expect(await receivedText(viewer.page)).not.toMatch(/kube-root-ca|coredns|unhealthyCount/);
    expect(viewer.faults).toEqual([]);
    await context.close();
  });
});
