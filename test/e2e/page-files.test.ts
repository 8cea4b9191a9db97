// SPDX-License-Identifier: Apache-2.0
// The page as a browser gets it from `flotilla up`: the built files, their headers, and the way from a link to a login.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { brotliDecompressSync, gunzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { root } from "../../scripts/project.ts";
import { callJson, openAnswer } from "../support/browser-request.ts";
import { openTempFolder } from "../support/temp-folder.ts";
import { promptEnvironment, runProgram } from "./run-program.ts";

const entry = join(root, "src/main/flotilla.ts");
const login = "flotilla.page.v1.LoginService/Login";

describe("the page of flotilla up", () => {
  const folder = openTempFolder();
  const options = { cwd: folder.path, env: promptEnvironment() };
  let url: string;
  let stop: () => Promise<unknown>;

  beforeAll(async () => {
    const args = ["up", "--clusters", "0", "--port", "0", "--http-port", "0", "--log-level", "error"];
    const child = spawn(process.execPath, [entry, ...args], { ...options, stdio: ["ignore", "pipe", "inherit"] });
    const closed = once(child, "close");
    stop = () => {
      child.kill("SIGTERM");
      return closed;
    };
    for await (const line of createInterface({ input: child.stdout })) {
      url = /http:\/\/127\S+/.exec(line)?.[0] ?? "";
      if (url !== "") break;
    }
  });

  afterAll(async () => {
    await stop();
    folder[Symbol.dispose]();
  });

  /** Asks, and takes the answer whole, so that its connection can close. */
  const ask = async (
    method: string,
    path: string,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<Response> => {
    const all = { "accept-encoding": "identity", connection: "close", ...headers };
    const answer = await fetch(`${url}${path}`, { method, headers: all, redirect: "manual" });
    const body = await answer.arrayBuffer();
    return new Response(body.byteLength === 0 ? null : body, answer);
  };

  const get = (path: string, headers: Readonly<Record<string, string>> = {}): Promise<Response> =>
    ask("GET", path, headers);

  test("[PG5] / leads to the page, and every address below it is the page", async () => {
    const lead = await get("/");
    expect([lead.status, lead.headers.get("location")]).toEqual([302, "/ui/"]);
    const page = await (await get("/ui/")).text();
    expect(page).toContain("<title>Flotilla</title>");
    for (const path of ["/ui/login", "/ui/clusters/east?group=region", "/ui/no/such/place"]) {
      const answer = await get(path);
      expect([path, answer.status, await answer.text()]).toEqual([path, 200, page]);
    }
  });

  test("[PG5] everything that the page names comes from the hub, and no script or style stands in it", async () => {
    const page = await (await get("/ui/")).text();
    const named = [...page.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, name]) => name ?? "");
    expect(named.length).toBeGreaterThan(1);
    for (const name of named) {
      expect(name).toMatch(/^\/ui\//);
      const answer = await get(name);
      expect([name, answer.status]).toEqual([name, 200]);
      expect(answer.headers.get("content-type")).toMatch(/^(text\/(javascript|css)|image\/svg)/);
    }
    expect(page).not.toMatch(/<script(?![^>]*\ssrc=)|<style|\sstyle=|\son\w+=/);
  });

  test("[PG5] every answer has a policy, and only files of the page may run scripts", async () => {
    for (const path of ["/ui/", "/ui/icon.svg"]) {
      const { headers } = await get(path);
      expect(headers.get("content-security-policy")).toMatch(
        /^default-src 'none'; script-src 'self'; style-src 'self';/,
      );
      expect(headers.get("cross-origin-opener-policy")).toBe("same-origin");
      expect(headers.get("x-content-type-options")).toBe("nosniff");
      expect(headers.get("referrer-policy")).toBe("no-referrer");
    }
    for (const path of ["/", "/nothing", "/health", "/ui/assets/none-12345678.js"]) {
      const { headers } = await get(path);
      expect([path, headers.get("content-security-policy")]).toEqual([
        path,
        "default-src 'none'; frame-ancestors 'none'; sandbox",
      ]);
    }
  });

  test("[PG6] files come compressed as they were built, and are the same when taken apart", async () => {
    const script = /src="([^"]+)"/.exec(await (await get("/ui/")).text())?.[1] ?? "";
    const plain = Buffer.from(await (await get(script)).arrayBuffer());
    for (const [coding, takeApart] of [
      ["br", brotliDecompressSync],
      ["gzip", gunzipSync],
    ] as const) {
      const answer = await openAnswer(`${url}${script}`, { headers: { "accept-encoding": coding } });
      const body = Buffer.concat(await Array.fromAsync(answer as AsyncIterable<Buffer>));
      const { headers, statusCode } = answer;
      expect([statusCode, headers["content-encoding"], headers["cache-control"]]).toEqual([
        200,
        coding,
        "public, max-age=31536000, immutable",
      ]);
      expect(body.length).toBeLessThan(plain.length);
      expect(takeApart(body).equals(plain)).toBe(true);
    }
  });

  test("[PG7] what the page loads before it shows anything is at most 200 KB of script", async () => {
    const page = await (await get("/ui/")).text();
    const names = [...page.matchAll(/(?:src|rel="modulepreload"[^>]* href)="([^"]+)"/g)].map(([, name]) => name ?? "");
    let totalBytes = 0;
    for (const name of names) {
      const answer = await openAnswer(`${url}${name}`, { method: "HEAD", headers: { "accept-encoding": "br" } });
      expect([name, answer.headers["content-type"]]).toEqual([name, "text/javascript; charset=utf-8"]);
      totalBytes += Number(answer.headers["content-length"]);
    }
    expect(totalBytes).toBeGreaterThan(0);
    expect(totalBytes).toBeLessThanOrEqual(200_000);
  });

  test("[PG6] the page is asked for each time and answered 304 when unchanged; HEAD has its length", async () => {
    const first = await get("/ui/");
    expect(first.headers.get("cache-control")).toBe("no-cache");
    const again = await get("/ui/clusters/east", { "if-none-match": first.headers.get("etag") ?? "" });
    expect([again.status, await again.text()]).toEqual([304, ""]);
    const head = await ask("HEAD", "/ui/");
    expect(head.headers.get("content-length")).toBe(String((await first.text()).length));
    expect((await ask("POST", "/ui/")).status).toBe(405);
  });

  test("[PG4] the link of flotilla login-link logs in once, and then it gives another", async () => {
    const before = await runProgram(process.execPath, [entry, "login-link"], options);
    const code = new URL(before.stdout.trim()).hash.slice("#code=".length);
    const first = await callJson(url, login, { code });
    expect([first.status, JSON.parse(first.body)]).toMatchObject([200, { viewer: { user: "admin" } }]);
    expect((await callJson(url, login, { code })).status).toBe(401);
    const made = await runProgram(process.execPath, [entry, "login-link"], options);
    expect(made.stderr).toBe("flotilla: this link logs in as admin, once, within 5 minutes\n");
    expect(made.stdout).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/ui\/login#code=flt_login_[\w-]{43}\n$/);
    expect(made.stdout.startsWith(`${url}/`)).toBe(true);
    expect(made.stdout).not.toBe(before.stdout);
    const next = new URL(made.stdout.trim()).hash.slice("#code=".length);
    expect((await callJson(url, login, { code: next })).status).toBe(200);
    const named = await runProgram(
      process.execPath,
      [entry, "login-link", "vera", "--groups", "dev", "-o", "json"],
      options,
    );
    expect(JSON.parse(named.stdout)).toMatchObject({ user: "vera", expiresInSeconds: 300 });
  });
});
