// SPDX-License-Identifier: Apache-2.0
// The hub is replaced by one that serves another page, under tabs that stay open. The hub is composed here, of its own
// parts, because the page that it serves changes.
import { cpSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createClient } from "@connectrpc/connect";
import type { BrowserContext, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { root } from "../../scripts/project.ts";
import { silentLogger as log } from "../../src/base/log.ts";
import { systemRandom as random } from "../../src/base/system-random.ts";
import { silentMetrics as metrics } from "../../src/base/testing/silent-metrics.ts";
import { systemClock as clock } from "../../src/base/time/system-clock.ts";
import { PageService } from "../../src/gen/flotilla/page/v1/page_pb.ts";
import { createHub } from "../../src/hub/hub.ts";
import { createInThreadIndex } from "../../src/hub/index/testing/in-thread-index.ts";
import type { PublicName } from "../../src/hub/joining/public-name.ts";
import { pageVersionOf } from "../../src/hub/page/page-version.ts";
import { ensureAdminToken } from "../../src/main/hub/admin-token.ts";
import { openHubStores } from "../../src/main/hub/hub-stores.ts";
import { createPageParts } from "../../src/main/hub/page-parts.ts";
import { createHasher } from "../../src/model/rows/hasher.ts";
import { ed25519Verifier } from "../../src/rpc/auth/ed25519.ts";
import { zstdCodec } from "../../src/rpc/client/zstd-codec.ts";
import { type PageFiles, readPageFiles } from "../../src/rpc/page/page-files.ts";
import { openEndpoint } from "../../src/rpc/server/endpoint.ts";
import { dataPaths } from "../../src/store/data-directory.ts";
import { startHub as startWholeHub } from "../support/running-hub.ts";
import { openTempFolder } from "../support/temp-folder.ts";
import { eventually } from "./fleet/eventually.ts";
import { isSamePage, markPage, PageBrowser, startLimitMs } from "./page/page-browser.ts";

const hubName = "hub-of-upgrades";
const retentionMs = 86_400_000;

/** A page as a hub serves it. */
interface Build {
  readonly files: PageFiles;
  readonly version: string;
}

function toBuild(folder: string): Build {
  const files = readPageFiles(folder);
  if (files === undefined) throw new Error(`there is no built page in ${folder}`);
  return { files, version: pageVersionOf(files) };
}

/**
 * The built page in `folder` as another build would name it: the entry and the worker have other hashes, and whatever
 * names them says so.
 */
function makeOtherBuild(folder: string): Build {
  cpSync(join(root, "ui", "dist"), folder, { recursive: true });
  const entry = /index-[\w-]{8}(?=\.js)/.exec(readFileSync(join(folder, "index.html"), "utf8"))?.[0] ?? "";
  const names = new Map([[entry, "index-othrOTHR"]]);
  const assets = join(folder, "assets");
  for (const name of readdirSync(assets)) {
    const worker = /^(shared-link\.worker-)([\w-]{8})\.js$/.exec(name);
    if (worker !== null) names.set(`${worker[1]}${worker[2]}`, `${worker[1]}othrOTHR`);
  }
  expect(names.size).toBe(2);
  for (const path of readdirSync(folder, { recursive: true, encoding: "utf8" })) {
    const file = join(folder, path);
    if (/\.(br|gz)$/.test(path)) rmSync(file);
    if (!/\.(js|html)$/.test(path)) continue;
    let text = readFileSync(file, "utf8");
    for (const [name, other] of names) text = text.replaceAll(name, other);
    writeFileSync(file, text);
  }
  for (const [name, other] of names) renameSync(join(assets, `${name}.js`), join(assets, `${other}.js`));
  return toBuild(folder);
}

/** What a hub serves of its page, and what it says that it serves. */
interface Serving {
  readonly files: PageFiles;
  readonly said: string;
}

/** A hub that runs; `stop` ends it in good order. */
interface RunningHub {
  readonly port: number;
  readonly link: string;
  stop(): Promise<void>;
}

/** A name that clusters could reach it by; none does here. */
const publicName: PublicName = { url: "https://hub.test", trust: { kind: "public" }, isLoopback: false };

/** Starts a hub on this data folder and port as main does, with the page of the test's choice. */
async function startHub(folder: string, port: number, { files, said }: Serving): Promise<RunningHub> {
  const paths = dataPaths(folder);
  const stores = await openHubStores(paths, { clock, encryptedResources: [] });
  const hub = createHub({
    ...stores,
    pageVersion: said,
    clock,
    random,
    log,
    metrics,
    version: "test",
    changeRetentionMs: retentionMs,
    historyRetentionMs: retentionMs,
    auditRetentionMs: retentionMs,
    joining: { publicName: () => publicName, renderManifest: () => "" },
    index: createInThreadIndex({ codec: zstdCodec, hasher: await createHasher(), pause: () => clock.sleep(0) }),
    verifier: ed25519Verifier,
    hubName,
    hubCa: () => "",
    settings: {},
    thresholds: {},
  });
  const ending = new AbortController();
  const working = hub.run(ending.signal);
  await hub.tokens.loaded;
  const { tokens, authorizer } = hub;
  const login = { tokens, authorizer, hubName, version: "test", hubUrl: () => "", clock, random };
  const page = createPageParts(login, files);
  const endpoint = await openEndpoint({
    plain: { host: "127.0.0.1", port, portOption: "--http-port" },
    services: [...hub.services, ...page.services],
    routes: page.routes,
    credentials: page.credentials,
    verifier: tokens,
    authorizer,
    hostNames: [],
    origins: [],
    clock,
    random,
    log,
    metrics,
  });
  const url = endpoint.plain?.url ?? "";
  return {
    port: endpoint.plain?.port ?? 0,
    link: page.createLink?.(url, await ensureAdminToken(tokens, paths.adminTokenFile)) ?? "",
    async stop() {
      await endpoint.drain(1_000);
      ending.abort(new Error("the test ends this hub"));
      await working;
      await stores[Symbol.asyncDispose]();
    },
  };
}

/** A tab, and how often its document was loaded. */
interface CountedTab {
  readonly page: Page;
  loadCount: number;
}

test("[PG26] a hub as main runs it says which page it serves", async () => {
  using folder = openTempFolder();
  await using hub = await startWholeHub(folder.path);
  const index = await (await fetch(`${hub.record.httpUrl}/ui/`, { headers: { connection: "close" } })).text();
  const leaving = new AbortController();
  const opened = createClient(PageService, hub.connect()).open({}, { signal: leaving.signal });
  for await (const { pageVersion } of opened) {
    expect(pageVersion).toMatch(/^assets\/index-[\w-]{8}\.js$/);
    expect(index).toContain(`src="/ui/${pageVersion}"`);
    break;
  }
  leaving.abort();
});

describe("the page through an upgrade of its hub", { timeout: startLimitMs }, () => {
  const folder = openTempFolder();
  const browser = new PageBrowser();
  let old: Build;
  let other: Build;
  let hub: RunningHub;
  let said: string;
  let context: BrowserContext;
  let origin: string;

  beforeAll(async () => {
    old = toBuild(join(root, "ui", "dist"));
    other = makeOtherBuild(join(folder.path, "other"));
    [hub] = await Promise.all([startHub(join(folder.path, "data"), 0, serving(old)), browser.start()]);
    context = await browser.openContext();
    const { page } = await browser.openTab(context, hub.link);
    await page.getByText("hub live").waitFor();
    origin = new URL(page.url()).origin;
    said = old.version;
    await page.close();
  }, startLimitMs);

  afterAll(async () => {
    await browser.close();
    await hub.stop();
    folder[Symbol.dispose]();
  });

  const serving = ({ files, version }: Build): Serving => ({ files, said: version });

  /** Another hub at the same address, over the same data. */
  const restart = async (next: Serving): Promise<void> => {
    await hub.stop();
    hub = await startHub(join(folder.path, "data"), hub.port, next);
    said = next.said;
  };

  /** The same under a tab that is to notice: it loses the first and is live with the second. */
  const restartUnder = async (page: Page, next: Serving): Promise<void> => {
    await Promise.all([page.getByText(/The hub is lost/).waitFor(), restart(next)]);
    await page.getByText("hub live").waitFor();
  };

  /** What a test begins with, whatever became of the one before. */
  const begin = async (build: Build): Promise<void> => {
    if (said !== build.version) await restart(serving(build));
  };

  const open = async (path: string): Promise<CountedTab> => {
    const { page } = await browser.openTab(context, `${origin}${path}`);
    const tab: CountedTab = { page, loadCount: 0 };
    page.on("load", () => (tab.loadCount += 1));
    await page.getByText("hub live").waitFor();
    await markPage(page);
    return tab;
  };

  /** The script that the document of a tab runs. */
  const scriptOf = async (page: Page): Promise<string> =>
    (await page.locator("script[src]").first().getAttribute("src"))?.replace("/ui/", "") ?? "";

  /** Until the tab runs this build and its hub is live. */
  const untilRuns = (page: Page, build: Build): Promise<void> =>
    eventually(async () => {
      expect(await scriptOf(page)).toBe(build.version);
      expect(await page.getByText("hub live").count()).toBe(1);
    });

  const lineOf = (page: Page, kind: "offered" | "kept") => page.locator(`[data-newer-page="${kind}"]`);

  /** The workers that tabs share now, by their names. */
  const listWorkers = async (): Promise<readonly string[]> => {
    const session = await context.browser()?.newBrowserCDPSession();
    const targets = await session?.send("Target.getTargets");
    await session?.detach();
    const workers = targets?.targetInfos.filter(({ type }) => type === "shared_worker") ?? [];
    return workers.map(({ url }) => url.slice(url.lastIndexOf("/") + 1));
  };

  test("the other build is another: its script and its worker have other names", () => {
    expect(old.version).toMatch(/^assets\/index-[\w-]{8}\.js$/);
    expect(other.version).toBe("assets/index-othrOTHR.js");
  });

  test("[PG26] a tab goes over to the new page by itself, once, and is at the same place; one with a dialog waits until it is closed", async () => {
    await begin(old);
    const calm = await open("/ui/changes?kind=pods");
    const busy = await open("/ui/");
    await busy.page.keyboard.press("?");
    await busy.page.getByRole("dialog").waitFor();
    const [oldWorker, ...more] = await listWorkers();
    expect(more).toEqual([]);

    await restart(serving(other));
    await untilRuns(calm.page, other);
    expect(calm.page.url()).toBe(`${origin}/ui/changes?kind=pods`);

    await lineOf(busy.page, "offered").waitFor();
    expect(await lineOf(busy.page, "offered").innerText()).toBe("A newer version of this page is available. Reload");
    expect(await isSamePage(busy.page)).toBe(true);
    expect(await busy.page.getByText("hub live").count()).toBe(1);
    expect(new Set(await listWorkers())).toEqual(new Set([oldWorker, "shared-link.worker-othrOTHR.js"]));

    await busy.page.keyboard.press("Escape");
    await untilRuns(busy.page, other);
    await eventually(async () => expect(await listWorkers()).toEqual(["shared-link.worker-othrOTHR.js"]));
    for (const { page, loadCount } of [calm, busy]) {
      expect(loadCount).toBe(1);
      expect(await page.locator("[data-newer-page]").count()).toBe(0);
      await page.close();
    }
  });

  test("[PG26] a tab in which somebody types waits, and so does one that shows what is shown only once", async () => {
    await begin(other);
    const typing = await open("/ui/add");
    await typing.page.getByLabel("Name the cluster").fill("east");
    const told = await open("/ui/add");
    await told.page.getByRole("button", { name: "Create the join command" }).click();
    await told.page.getByText(/kubectl apply -f/).waitFor();
    const calm = await open("/ui/");

    await restart(serving(old));
    await untilRuns(calm.page, old);
    for (const { page } of [typing, told]) {
      await lineOf(page, "offered").waitFor();
      expect(await isSamePage(page)).toBe(true);
    }
    expect(await typing.page.getByLabel("Name the cluster").inputValue()).toBe("east");
    await typing.page.getByLabel("Name the cluster").blur();
    await untilRuns(typing.page, old);
    expect(await isSamePage(told.page)).toBe(true);
    expect(await told.page.getByText(/kubectl apply -f/).count()).toBe(1);

    await told.page.getByRole("button", { name: "Reload" }).click();
    await untilRuns(told.page, old);
    for (const { page, loadCount } of [typing, told, calm]) {
      expect(loadCount).toBe(1);
      await page.close();
    }
  });

  test("[PG26] where a reload brings the old page again it is not repeated, and the page says so and stays live", async () => {
    await begin(old);
    const kept = await open("/ui/");
    const stale: Serving = { files: old.files, said: other.version };
    await restart(stale);
    await lineOf(kept.page, "kept").waitFor();
    expect(await lineOf(kept.page, "kept").innerText()).toMatch(/^The hub serves a newer page, but a reload brought/);
    expect(kept.loadCount).toBe(1);
    await restartUnder(kept.page, stale);
    await lineOf(kept.page, "kept").waitFor();
    expect(kept.loadCount).toBe(1);

    await restart(serving(old));
    await eventually(async () => expect(await kept.page.evaluate("sessionStorage.length")).toBe(0));
    expect(await lineOf(kept.page, "kept").count()).toBe(0);
    await restart(serving(other));
    await untilRuns(kept.page, other);
    expect(kept.loadCount).toBe(2);
    await kept.page.close();
  });

  test("[PG26] a page that cannot be had is not asked for by a reload; a tab that nobody looks at does not wait for its dialog", async () => {
    await begin(other);
    const { page } = await open("/ui/");
    let triedCount = 0;
    await page.route("**/ui/", async (route) => {
      if (route.request().method() === "HEAD") {
        triedCount += 1;
        await route.abort();
      } else await route.continue();
    });
    await restart(serving(old));
    await eventually(() => expect(triedCount).toBeGreaterThan(1));
    expect(await lineOf(page, "offered").count()).toBe(1);
    expect(await isSamePage(page)).toBe(true);
    await page.keyboard.press("?");
    await page.getByRole("dialog").waitFor();
    await page.unroute("**/ui/");
    await page.evaluate("Object.defineProperty(document, 'visibilityState', { value: 'hidden' })");
    await untilRuns(page, old);
    await page.close();
  });

  test("[PG26] a hub that says no version, or the same, leaves the page as it is", async () => {
    await begin(old);
    const tab = await open("/ui/");
    for (const next of [{ files: other.files, said: "" }, serving(old)]) {
      await restartUnder(tab.page, next);
      expect(await tab.page.locator("[data-newer-page]").count()).toBe(0);
      expect(await isSamePage(tab.page)).toBe(true);
    }
    await tab.page.close();
  });
});
