// SPDX-License-Identifier: Apache-2.0
// The login of the page against a whole hub: cookie, codes, and what pages of other origins can do with them.
import { readFileSync } from "node:fs";
import { timestampMs } from "@bufbuild/protobuf/wkt";
import { createClient } from "@connectrpc/connect";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { TokenService } from "../../src/gen/flotilla/admin/v1/admin_pb.ts";
import { LoginService } from "../../src/gen/flotilla/page/v1/page_pb.ts";
import { type BrowserAnswer, browserRequest, callJson, openAnswer } from "../support/browser-request.ts";
import { type RunningHub, startHub } from "../support/running-hub.ts";
import { openTempFolder } from "../support/temp-folder.ts";

const login = "flotilla.page.v1.LoginService/Login";
const logout = "flotilla.page.v1.LoginService/Logout";
const getViewer = "flotilla.page.v1.LoginService/GetViewer";
const ofPage = { "sec-fetch-site": "same-origin" };

/** Name and value of the cookie that an answer sets, as a browser sends it back. */
function cookieOf({ headers }: BrowserAnswer): string {
  return headers["set-cookie"]?.[0]?.split(";")[0] ?? "";
}

describe("the login of the page", () => {
  const folder = openTempFolder();
  let hub: RunningHub;
  let url: string;

  beforeAll(async () => {
    hub = await startHub(folder.path);
    url = hub.record.httpUrl;
  });

  afterAll(async () => {
    await hub.stop();
    folder[Symbol.dispose]();
  });

  const createToken = (groups: string[], ttlSeconds = 0) =>
    createClient(TokenService, hub.connect()).createToken({ user: "vera", groups, description: "", ttlSeconds });

  async function logIn(groups = ["flotilla:viewers"]) {
    const { secret, token } = await createToken(groups);
    const answer = await callJson(url, login, { token: secret });
    expect(answer.status).toBe(200);
    return { cookie: cookieOf(answer), parentId: token?.id ?? "", secret, answer };
  }

  const see = (cookie: string, headers: Readonly<Record<string, string>> = ofPage) =>
    callJson(url, getViewer, {}, { headers: { cookie, ...headers } });

  test("[PG1] a token becomes a cookie with a token of its own, for the same user, with an end", async () => {
    const { cookie, secret, answer } = await logIn();
    expect(cookie).not.toContain(secret);
    const viewer = {
      user: "vera",
      groups: ["flotilla:viewers", "system:authenticated"],
      hubName: expect.stringMatching(/^hub_/) as unknown,
      hubVersion: "test",
      hubUrl: hub.record.hubUrl,
      canListClusters: true,
      canSeeObjects: true,
    };
    const body: unknown = JSON.parse(answer.body);
    expect(body).toEqual({
      viewer: { ...viewer, expiresInMs: expect.stringMatching(/^43(200|1\d\d)\d{3}$/) as unknown },
    });
    expect(JSON.parse((await see(cookie)).body)).toMatchObject({ viewer });
    const listed = (await createClient(TokenService, hub.connect()).listTokens({})).tokens;
    const own = listed.find(({ id }) => cookie.includes(id.slice("tok_".length)));
    expect(own).toMatchObject({ user: "vera", description: expect.stringContaining("login of the page") as unknown });
  });

  test("[RP56] a login makes no token and no join token that outlives it, whatever end is asked for", async () => {
    const { cookie } = await logIn(["flotilla:admins"]);
    const headers = { cookie, ...ofPage };
    const { tokens } = await createClient(TokenService, hub.connect()).listTokens({});
    const own = tokens.find(({ id }) => cookie.includes(id.slice("tok_".length)));
    const endMs = timestampMs(own?.expiresAt ?? expect.unreachable());
    for (const ttlSeconds of [0, 999_999_999]) {
      const made = await callJson(
        url,
        "flotilla.admin.v1.TokenService/CreateToken",
        { user: "eve", ttlSeconds },
        { headers },
      );
      const { token } = JSON.parse(made.body) as { token: { expiresAt: string } };
      expect(Date.parse(token.expiresAt)).toBe(endMs);
      const wanted = { namePattern: "east", uses: 1, ttlSeconds };
      const join = await callJson(url, "flotilla.fleet.v1.JoinTokenService/CreateJoinToken", wanted, { headers });
      expect(Date.parse((JSON.parse(join.body) as { token: { expiresAt: string } }).token.expiresAt)).toBe(endMs);
    }
    const short = await callJson(
      url,
      "flotilla.admin.v1.TokenService/CreateToken",
      { user: "eve", ttlSeconds: 60 },
      { headers },
    );
    expect(Date.parse((JSON.parse(short.body) as { token: { expiresAt: string } }).token.expiresAt)).toBeLessThan(
      endMs,
    );
  });

  test("[PG1] the viewer of an admin is offered what an admin may do", async () => {
    const { answer } = await logIn(["flotilla:admins"]);
    const can = { canSeeObjects: true, canChangeClusters: true, canCreateJoinTokens: true, canListClusters: true };
    expect(JSON.parse(answer.body)).toMatchObject({ viewer: can });
  });

  test("[PG34] a user without rights is told so: the page does not take that for a hub without clusters", async () => {
    const { answer } = await logIn(["nobody:knows"]);
    expect(JSON.parse(answer.body)).not.toMatchObject({ viewer: { canListClusters: true } });
  });

  test("[PG1] a login ends no later than the token that was shown", async () => {
    const { secret } = await createToken([], 600);
    const answer = await callJson(url, login, { token: secret });
    expect(answer.headers["set-cookie"]?.[0]).toMatch(/; Max-Age=(600|5\d\d);/);
  });

  test.each([
    ["no proof", {}],
    ["an empty token", { token: "" }],
    ["an unknown token", { token: `flt_${"0".repeat(20)}_${"a".repeat(43)}` }],
    ["a code as a token", { token: "flt_login_x" }],
    ["an unknown code", { code: "flt_login_x" }],
  ])("[PG1] %s is refused, and sets no cookie", async (_what, message) => {
    const answer = await callJson(url, login, message);
    expect(answer.status).toBe(401);
    expect(answer.headers["set-cookie"]).toBeUndefined();
  });

  test("[PG1] the token of a cookie does not log in again, so no login outlives its end", async () => {
    const { cookie } = await logIn();
    const answer = await callJson(url, login, { token: cookie.split("=")[1] });
    expect(answer).toMatchObject({
      status: 401,
      body: expect.stringContaining("the token is not one of this hub") as unknown,
    });
  });

  test("[PG1] revoking the token ends the login at once, with the stream that it opened", async () => {
    const { cookie, parentId } = await logIn();
    const stream = await openAnswer(`${url}/health`, { headers: { cookie, ...ofPage, accept: "text/event-stream" } });
    expect(stream.statusCode).toBe(200);
    const ended = new Promise((resolve) => stream.on("end", resolve).resume());
    await createClient(TokenService, hub.connect()).revokeToken({ id: parentId });
    await ended;
    expect((await see(cookie)).status).toBe(401);
  });

  test("[PG1] logging out ends the login and takes the cookie away, and leaves the token", async () => {
    const { cookie, secret } = await logIn();
    const answer = await callJson(url, logout, {}, { headers: { cookie, ...ofPage } });
    expect(answer.status).toBe(200);
    expect(answer.headers["set-cookie"]?.[0]).toMatch(
      /^flotilla-hub_\w+=; Path=\/; Max-Age=0; HttpOnly; SameSite=Strict$/,
    );
    expect((await see(cookie)).status).toBe(401);
    const withToken = { headers: { authorization: `Bearer ${secret}` } };
    expect((await callJson(url, logout, {}, withToken)).status).toBe(200);
    expect((await callJson(url, getViewer, {}, withToken)).status).toBe(200);
  });

  test("[PG2] the cookie is out of reach of scripts and of other sites, and on TLS of this host over TLS alone", async () => {
    const { answer, secret } = await logIn();
    const value = "flt_[0-9a-z]{20}_[\\w-]{43}";
    const attributes = "Path=/; Max-Age=\\d+; HttpOnly; SameSite=Strict";
    const plain = new RegExp(`^flotilla-hub_[0-9a-z]{20}=${value}; ${attributes}$`);
    const secure = new RegExp(`^__Host-flotilla-hub_[0-9a-z]{20}=${value}; ${attributes}; Secure$`);
    expect(answer.headers["set-cookie"]).toEqual([expect.stringMatching(plain)]);
    const ca = readFileSync(hub.record.caFile, "utf8");
    const overTls = await callJson(hub.record.hubUrl, login, { token: secret }, { ca });
    expect(overTls.headers["set-cookie"]).toEqual([expect.stringMatching(secure)]);
    const cookie = cookieOf(overTls);
    const seen = await callJson(hub.record.hubUrl, getViewer, {}, { ca, headers: { cookie, ...ofPage } });
    expect(seen.status).toBe(200);
    // The plain cookie reaches the TLS port too, since browsers do not tell ports apart; it does not count there.
    const crossed = { ca, headers: { cookie: cookieOf(answer), ...ofPage } };
    expect((await callJson(hub.record.hubUrl, getViewer, {}, crossed)).status).toBe(401);
  });

  test("[PG3] the cookie counts by the request's own Origin or by Sec-Fetch-Site, and not without either", async () => {
    const { cookie } = await logIn();
    expect((await see(cookie, { origin: url })).status).toBe(200);
    expect((await see(cookie, { origin: url, ...ofPage })).status).toBe(200);
    expect((await see(cookie, {})).status).toBe(401);
    expect((await see(cookie, { referer: `${url}/ui/` })).status).toBe(401);
  });

  test("[PG3] a page of another site, or of another port of this host, cannot post with it", async () => {
    const { cookie } = await logIn(["flotilla:admins"]);
    const create = "flotilla.admin.v1.TokenService/CreateToken";
    const post = (headers: Readonly<Record<string, string>>) =>
      callJson(url, create, { user: "mallory" }, { headers: { cookie, ...headers } });
    const before = await createClient(TokenService, hub.connect()).listTokens({});
    expect((await post({ origin: "https://evil.example", "sec-fetch-site": "cross-site" })).status).toBe(403);
    expect((await post({ origin: "http://127.0.0.1:3000", "sec-fetch-site": "same-site" })).status).toBe(403);
    expect((await post({ "sec-fetch-site": "same-site" })).status).toBe(401);
    expect((await post({ "sec-fetch-site": "cross-site" })).status).toBe(401);
    expect((await post({ "sec-fetch-site": "none" })).status).toBe(401);
    expect((await post({ origin: url, "sec-fetch-site": "same-site" })).status).toBe(401);
    expect((await post({})).status).toBe(401);
    const after = await createClient(TokenService, hub.connect()).listTokens({});
    expect(after.tokens.map(({ id }) => id)).toEqual(before.tokens.map(({ id }) => id));
    expect((await post(ofPage)).status).toBe(200);
  });

  test("[PG3] a GET with it reads for this hub's page alone, and changes nothing for anybody", async () => {
    const { cookie } = await logIn(["flotilla:admins"]);
    const get = (method: string, headers: Readonly<Record<string, string>>) =>
      browserRequest(`${url}/${method}?connect=v1&encoding=json&message=%7B%7D`, { headers: { cookie, ...headers } });
    expect((await get(getViewer, ofPage)).status).toBe(200);
    for (const site of ["cross-site", "same-site", "none"]) {
      expect([site, (await get(getViewer, { "sec-fetch-site": site })).status]).toEqual([site, 401]);
    }
    for (const method of [login, logout, "flotilla.admin.v1.TokenService/CreateToken"]) {
      expect([method, (await get(method, ofPage)).status]).toEqual([method, 405]);
    }
    expect((await see(cookie)).status).toBe(200);
  });

  test("[PG3] it counts on /health, and not on other routes", async () => {
    const { cookie } = await logIn(["flotilla:admins"]);
    const get = (path: string, headers: Readonly<Record<string, string>>) =>
      browserRequest(`${url}${path}`, { headers: { cookie, accept: "application/json", ...headers } });
    expect((await get("/health", ofPage)).status).toBe(200);
    expect((await get("/health", { "sec-fetch-site": "cross-site" })).status).toBe(401);
    expect((await get("/metrics", ofPage)).status).toBe(401);
  });

  test("[PG3][RP49] an Authorization header comes first: a wrong one is not saved by a right cookie", async () => {
    const { cookie } = await logIn();
    expect((await see(cookie, { ...ofPage, authorization: "Bearer wrong" })).status).toBe(401);
    const admin = await see(cookie, { ...ofPage, authorization: `Bearer ${hub.adminToken}` });
    expect(JSON.parse(admin.body)).toMatchObject({ viewer: { user: "admin" } });
  });

  test("[PG4] the code of a link logs in once, as the caller or as the user who was named", async () => {
    const admin = createClient(LoginService, hub.connect());
    const own = await admin.createLoginLink({});
    expect(own).toMatchObject({ user: "admin", expiresInMs: 300_000n });
    const first = await callJson(url, login, { code: own.code });
    expect(JSON.parse(first.body)).toMatchObject({ viewer: { user: "admin", canCreateJoinTokens: true } });
    const again = await callJson(url, login, { code: own.code });
    expect(again.status).toBe(401);
    expect(JSON.parse(again.body)).toMatchObject({
      message: "the code of this login link is used, unknown or expired; get another link with `flotilla login-link`",
    });
    const named = await admin.createLoginLink({ user: "otto", groups: ["flotilla:viewers"] });
    const other = await callJson(url, login, { code: named.code });
    expect(JSON.parse(other.body)).toMatchObject({
      viewer: { user: "otto", groups: ["flotilla:viewers", "system:authenticated"] },
    });
  });

  test("[PG4] a link needs the right to make tokens, a sane user, and ends with the token that it was made with", async () => {
    const viewer = createClient(LoginService, hub.connect((await createToken(["flotilla:viewers"])).secret));
    await expect(viewer.createLoginLink({})).rejects.toMatchObject({ code: "PERMISSION_DENIED" });
    const { secret, token } = await createToken(["flotilla:admins"]);
    const admin = createClient(LoginService, hub.connect(secret));
    for (const wanted of [
      { user: "system:masters" },
      { user: "otto", groups: ["system:masters"] },
      { groups: ["x"] },
    ]) {
      await expect(admin.createLoginLink(wanted)).rejects.toMatchObject({ code: "INVALID_ARGUMENT" });
    }
    const [used, waiting] = [
      await admin.createLoginLink({ user: "otto" }),
      await admin.createLoginLink({ user: "otto" }),
    ];
    const cookie = cookieOf(await callJson(url, login, { code: used.code }));
    expect((await see(cookie)).status).toBe(200);
    await createClient(TokenService, hub.connect()).revokeToken({ id: token?.id ?? "" });
    expect((await see(cookie)).status).toBe(401);
    expect((await callJson(url, login, { code: waiting.code })).status).toBe(401);
  });

  test("[PG4][U-13] no code and no cookie is in the log or in a file of the hub", async () => {
    const { code } = await createClient(LoginService, hub.connect()).createLoginLink({});
    const cookie = cookieOf(await callJson(url, login, { code }));
    expect((await see(cookie)).status).toBe(200);
    const logged = hub.logged.join("");
    expect(logged).toContain("logged in");
    expect(logged).not.toContain(code.slice("flt_login_".length));
    expect(logged).not.toContain(cookie.slice(-43));
    const stored =
      readFileSync(`${folder.path}/hub.db-wal`, "latin1") + readFileSync(`${folder.path}/hub.db`, "latin1");
    expect(stored).toContain("login of the page");
    expect(stored).not.toContain(cookie.slice(-43));
  });
});

test("[PG1] a login goes on after a restart of the hub, and still ends with its token", async () => {
  using folder = openTempFolder();
  const first = await startHub(folder.path);
  const { secret, token } = await createClient(TokenService, first.connect()).createToken({ user: "vera" });
  const cookie = cookieOf(await callJson(first.record.httpUrl, login, { token: secret }));
  await first.stop();
  await using second = await startHub(folder.path);
  const see = () => callJson(second.record.httpUrl, getViewer, {}, { headers: { cookie, ...ofPage } });
  expect((await see()).status).toBe(200);
  await createClient(TokenService, second.connect()).revokeToken({ id: token?.id ?? "" });
  expect((await see()).status).toBe(401);
});

test("[PG1] after 20 failed logins an address is told to wait, a right token too", async () => {
  using folder = openTempFolder();
  await using hub = await startHub(folder.path);
  const { httpUrl } = hub.record;
  for (let each = 0; each < 20; each += 1) {
    expect((await callJson(httpUrl, login, { token: "wrong" })).status).toBe(401);
  }
  const held = await callJson(httpUrl, login, { token: hub.adminToken });
  expect(held.status).toBe(429);
  expect(held.headers["set-cookie"]).toBeUndefined();
  expect(JSON.parse(held.body)).toMatchObject({
    message: expect.stringMatching(
      /^too many logins from this address have failed; try again in \d+ seconds$/,
    ) as unknown,
  });
});
