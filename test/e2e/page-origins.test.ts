// SPDX-License-Identifier: Apache-2.0
// What a real browser makes of the cookie and of the policy: the page of the hub itself, and a page on another port of
// the same host, to which browsers send the cookie all the same.
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { createClient } from "@connectrpc/connect";
import type { Browser, BrowserContext, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { TokenService } from "../../src/gen/flotilla/admin/v1/admin_pb.ts";
import { LoginService } from "../../src/gen/flotilla/page/v1/page_pb.ts";
import { openBrowser } from "../support/browser.ts";
import { type RunningHub, startHub } from "../support/running-hub.ts";
import { openTempFolder } from "../support/temp-folder.ts";

const login = "/flotilla.page.v1.LoginService/Login";
const getViewer = "/flotilla.page.v1.LoginService/GetViewer";
const createToken = "/flotilla.admin.v1.TokenService/CreateToken";

/** Runs in the page: a call as its script makes it. Gives 0 where the browser hides the answer or makes no call. */
function call([url, body, contentType]: readonly [string, string, string]): Promise<number> {
  const init = { method: "POST", credentials: "include", headers: { "content-type": contentType }, body } as const;
  return fetch(url, init).then(
    ({ status }) => status,
    () => 0,
  );
}

describe("a browser that is logged in", () => {
  const folder = openTempFolder();
  const cookiesElsewhere: (string | undefined)[] = [];
  let hub: RunningHub;
  let elsewhere: Server;
  let browser: Browser;
  let context: BrowserContext;
  let own: Page;
  let elsewhereUrl: string;

  beforeAll(async () => {
    hub = await startHub(folder.path);
    elsewhere = createServer((request, response) => {
      cookiesElsewhere.push(request.headers.cookie);
      response.setHeader("content-type", "text/html").end("<!doctype html><title>elsewhere</title>");
    });
    await new Promise<void>((resolve) => elsewhere.listen(0, "127.0.0.1", resolve));
    elsewhereUrl = `http://127.0.0.1:${(elsewhere.address() as AddressInfo).port}/`;
    browser = await openBrowser();
    context = await browser.newContext();
    own = await context.newPage();
    await own.goto(`${hub.record.httpUrl}/`);
    const { code } = await createClient(LoginService, hub.connect()).createLoginLink({});
    expect(await own.evaluate(call, [login, JSON.stringify({ code }), "application/json"] as const)).toBe(200);
  });

  afterAll(async () => {
    await browser.close();
    await new Promise((resolve) => elsewhere.close(resolve).closeAllConnections());
    await hub.stop();
    folder[Symbol.dispose]();
  });

  test("[PG1][PG2][PG3] the page's own calls count, by GET too, and no script can read the cookie", async () => {
    expect(own.url()).toBe(`${hub.record.httpUrl}/ui/`);
    expect(await own.evaluate(call, [getViewer, "{}", "application/json"] as const)).toBe(200);
    const got = await own.evaluate(
      (url) => fetch(url).then(({ status }) => status),
      `${getViewer}?connect=v1&encoding=json&message=%7B%7D`,
    );
    expect(got).toBe(200);
    expect(await own.evaluate("document.cookie")).toBe("");
    expect(await context.cookies()).toMatchObject([
      { httpOnly: true, sameSite: "Strict", path: "/", domain: "127.0.0.1" },
    ]);
  });

  test("[PG3] a page on another port has the cookie sent with its calls, and they do nothing", async () => {
    const other = await context.newPage();
    await other.goto(elsewhereUrl);
    // Without this the test would show nothing: the browser does take the two for one site.
    expect(cookiesElsewhere.at(-1)).toMatch(/^flotilla-hub_/);
    const message = JSON.stringify({ user: "mallory", groups: ["flotilla:admins"] });
    const target = `${hub.record.httpUrl}${createToken}`;
    for (const contentType of ["application/json", "text/plain", "application/x-www-form-urlencoded"]) {
      expect(await other.evaluate(call, [target, message, contentType] as const)).toBe(0);
    }
    const navigated = other.waitForResponse(target);
    await other.evaluate(`{
      const form = document.createElement("form");
      Object.assign(form, { action: ${JSON.stringify(target)}, method: "post", enctype: "text/plain" });
      const field = document.createElement("input");
      Object.assign(field, { name: ${JSON.stringify(message)}, value: "" });
      form.append(field);
      document.body.append(form);
      form.submit();
    }`);
    expect((await navigated).status()).toBe(403);
    await other.waitForURL(target);
    const { tokens } = await createClient(TokenService, hub.connect()).listTokens({});
    expect(tokens.map(({ user }) => user)).not.toContain("mallory");
    await other.close();
  });

  test("[PG3] a page on another port cannot read by GET what the viewer may see", async () => {
    const other = await context.newPage();
    await other.goto(elsewhereUrl);
    const target = `${hub.record.httpUrl}${getViewer}?connect=v1&encoding=json&message=%7B%7D`;
    expect(
      await other.evaluate(`fetch(${JSON.stringify(target)}, { credentials: "include" }).catch(() => "hidden")`),
    ).toBe("hidden");
    const answered = other.waitForResponse(target);
    await other.evaluate(`location.href = ${JSON.stringify(target)}`);
    expect((await answered).status()).toBe(401);
    await other.waitForURL(target); // a page that is closed on its way to another may never be closed
    await other.close();
  });

  test("[PG5] the browser runs no script that stands in the page, and loads none from elsewhere", async () => {
    const page = await context.newPage();
    await page.goto(`${hub.record.httpUrl}/ui/`);
    const blocked: { readonly seen: readonly string[]; readonly title: string } = await page.evaluate(`(async () => {
      const source = ${JSON.stringify(elsewhereUrl)};
      const seen = [];
      const { promise, resolve } = Promise.withResolvers();
      document.addEventListener("securitypolicyviolation", ({ effectiveDirective }) => {
        seen.push(effectiveDirective);
        if (seen.length === 4) resolve();
      });
      const inline = Object.assign(document.createElement("script"), { textContent: "document.title = 'taken'" });
      const remote = Object.assign(document.createElement("script"), { src: source });
      const style = Object.assign(document.createElement("style"), { textContent: "body { display: none }" });
      const image = Object.assign(new Image(), { src: source });
      document.head.append(inline, remote, style, image);
      await promise;
      return { seen: seen.toSorted(), title: document.title };
    })()`);
    expect(blocked.seen).toEqual(["img-src", "script-src-elem", "script-src-elem", "style-src-elem"]);
    expect(blocked.title).not.toBe("taken");
    await page.close();
  });

  test("[PG5] the page as it was built breaks no rule of its policy and asks nobody else for anything", async () => {
    const page = await context.newPage();
    const asked: string[] = [];
    const complaints: string[] = [];
    page.on("request", (request) => void asked.push(new URL(request.url()).origin));
    page.on("console", (line) => void complaints.push(line.text()));
    await page.goto(`${hub.record.httpUrl}/ui/`, { waitUntil: "load" });
    expect(new Set(asked)).toEqual(new Set([hub.record.httpUrl]));
    expect(complaints.filter((line) => /content security policy/i.test(line))).toEqual([]);
    await page.close();
  });
});
