// SPDX-License-Identifier: Apache-2.0
// The first cluster of a hub, by keys alone: from an empty page to its tile.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createSubject } from "../../src/model/subject.ts";
import { mastersGroup } from "../../src/rbac/authorizer-chain.ts";
import { BackgroundProgram } from "../e2e/fleet/background-program.ts";
import { eventually } from "../e2e/fleet/eventually.ts";
import { HubBrowser } from "../e2e/page/hub-browser.ts";
import { runJoinCommand } from "../e2e/page/join-shell.ts";
import { isSamePage, markPage, startLimitMs, untilTile, type WatchedPage } from "../e2e/page/page-browser.ts";
import { findFreePorts } from "../kubernetes/free-ports.ts";
import { startApiServer, type TestApiServer } from "../support/api-server.ts";

const adminToken = "admin-token";

/** More than the page has places where a key may go. */
const maxTabCount = 40;

/** Goes on with Tab until the focus is at what is called so. */
async function tabTo(page: Page, name: RegExp): Promise<void> {
  const focused = `(({ localName, labels, textContent }) =>
    ["a", "button", "input"].includes(localName) ? (labels?.[0]?.textContent ?? textContent) : ""
  )(document.activeElement)`;
  for (let count = 0; count < maxTabCount; count += 1) {
    await page.keyboard.press("Tab");
    if (name.test(String(await page.evaluate(focused)))) return;
  }
  expect.unreachable(`no Tab leads to ${name.source}`);
}

/** A kubeconfig of the server's admin. */
function writeKubeconfig(file: string, { url, ca }: TestApiServer): void {
  const cluster = { server: url, "certificate-authority-data": Buffer.from(ca).toString("base64") };
  const config = {
    apiVersion: "v1",
    kind: "Config",
    clusters: [{ name: "first", cluster }],
    users: [{ name: "admin", user: { token: adminToken } }],
    contexts: [{ name: "first", context: { cluster: "first", user: "admin" } }],
    "current-context": "first",
  };
  writeFileSync(file, JSON.stringify(config), { mode: 0o600 });
}

describe("the page of a hub without clusters", () => {
  const world = new HubBrowser();
  let server: TestApiServer;
  let agent: BackgroundProgram | undefined;
  let tab: WatchedPage;

  beforeAll(async () => {
    const admin = createSubject({ user: "admin", groups: [mastersGroup] });
    const [port = 0] = await findFreePorts(1);
    const flags = ["--port", String(port), "--public-url", `https://127.0.0.1:${port}`];
    [server] = await Promise.all([startApiServer(new Map([[adminToken, admin]])), world.start(...flags)]);
    const context = await world.openContext({ permissions: ["clipboard-read", "clipboard-write"] });
    tab = await world.logIn(context);
    await tab.page.getByRole("heading", { name: "No cluster has joined yet" }).waitFor();
    await markPage(tab.page);
  }, startLimitMs);

  afterAll(async () => {
    await agent?.end();
    await world.close();
    await server.close();
  });

  test("a name that the hub would refuse is answered with a sentence, and there is no line for it", async () => {
    const { page } = tab;
    await tabTo(page, /Add a cluster/);
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: "Add a cluster" }).waitFor();
    await tabTo(page, /Name the cluster/);
    await page.keyboard.press("Control+a");
    await page.keyboard.type("My cluster");
    await page.getByText("lower-case letters, digits").waitFor();
    await page.keyboard.press("Enter");
    expect(await page.getByText("kubectl apply").count()).toBe(0);
    await page.keyboard.press("Control+a");
    await page.keyboard.type("first-one");
    await page.keyboard.press("Enter");
    await page.getByText("| kubectl apply -f -").waitFor();
    expect(await page.getByText("lower-case letters, digits").count()).toBe(0);
    await page.locator('[data-step="fetched"][data-state="waiting"]').waitFor();
  });

  test("[IN15] [IN16] the line that it copies, run as it stands, is an agent whose join is followed step by step until it is live, without a reload", async () => {
    const { page } = tab;
    await tabTo(page, /^Copy$/);
    await page.keyboard.press("Enter");
    await page.getByRole("button", { name: "Copied" }).waitFor();
    const command = String(await page.evaluate("navigator.clipboard.readText()"));
    const args = await runJoinCommand(command, world.folder);
    await page.getByText("The manifest was fetched by 127.0.0.1.").waitFor();
    await page.locator('[data-step="registered"][data-state="waiting"]').getByText("ImagePullBackOff").waitFor();
    const kubeconfig = join(world.folder, "kubeconfig");
    writeKubeconfig(kubeconfig, server);
    const files = ["--kubeconfig", kubeconfig, "--key-file", join(world.folder, "agent.key")];
    agent = new BackgroundProgram({ cwd: world.folder, args: [...args, ...files, "--log-format", "json"] });
    await page.locator('[data-step="live"][data-state="done"]').waitFor();
    await tabTo(page, /Open first-one/);
    await page.keyboard.press("Enter");
    await page.locator('[data-panel="first-one"]').waitFor();
    await untilTile(page, "first-one", "live");
    await eventually(async () => expect(await page.getByText("1 of 1 cluster live").count()).toBe(1));
    expect(await isSamePage(page)).toBe(true);
  });
});
