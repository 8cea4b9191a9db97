// SPDX-License-Identifier: Apache-2.0
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { createClient } from "@connectrpc/connect";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { SystemService, TokenService } from "../../src/gen/flotilla/admin/v1/admin_pb.ts";
import { type RunningHub, startHub } from "../support/running-hub.ts";
import { openTempFolder } from "../support/temp-folder.ts";

const viewer = { user: "vera", groups: ["flotilla:viewers"], description: "", ttlSeconds: 0 };

describe("a hub and its tokens", () => {
  const folder = openTempFolder();
  let hub: RunningHub;

  beforeAll(async () => {
    hub = await startHub(folder.path);
  });

  afterAll(async () => {
    await hub.stop();
    folder[Symbol.dispose]();
  });

  test("[U-7] a viewer may ask who they are, and may not list tokens", async () => {
    const { secret } = await createClient(TokenService, hub.connect()).createToken(viewer);
    const asViewer = hub.connect(secret);
    const me = await createClient(SystemService, asViewer).whoAmI({});
    expect(me).toMatchObject({ user: "vera", groups: ["flotilla:viewers", "system:authenticated"] });
    await expect(createClient(TokenService, asViewer).listTokens({})).rejects.toMatchObject({
      code: "PERMISSION_DENIED",
    });
  });

  test("[U-13] no file of the hub holds an issued token, and no log line does", async () => {
    const { secret } = await createClient(TokenService, hub.connect()).createToken(viewer);
    const own = join(folder.path, "admin-token");
    const files = readdirSync(folder.path, { recursive: true, encoding: "utf8" }).map((name) =>
      join(folder.path, name),
    );
    for (const file of files.filter((name) => statSync(name).isFile() && name !== own)) {
      const bytes = readFileSync(file, "latin1");
      expect(bytes.includes(secret.slice(25)), file).toBe(false);
      expect(bytes.includes(hub.adminToken.slice(25)), file).toBe(false);
    }
    expect(hub.logged.join("")).not.toContain(secret.slice(25));
  });

  test("[U-13] revoking a token refuses its next call and cuts its open stream", async () => {
    const admin = createClient(TokenService, hub.connect());
    const { secret, token } = await admin.createToken({ ...viewer, user: "ada", groups: ["flotilla:admins"] });
    const theirs = createClient(TokenService, hub.connect(secret));
    const stream = theirs.watchTokens({})[Symbol.asyncIterator]();
    await stream.next();
    const untilCut = async (): Promise<void> => {
      for (let step = await stream.next(); step.done !== true; step = await stream.next());
    };
    const cut = expect(untilCut()).rejects.toMatchObject({ code: "UNAUTHENTICATED" });
    await admin.revokeToken({ id: token?.id ?? "" });
    await cut;
    await expect(theirs.listTokens({})).rejects.toMatchObject({ code: "UNAUTHENTICATED" });
  });

  test("a cursor of another hub is answered with gone, and a mangled one with what to do", async () => {
    const watch = (cursor: string) =>
      createClient(TokenService, hub.connect()).watchTokens({ cursor })[Symbol.asyncIterator]().next();
    await expect(watch("st_00000000000000000000.7")).rejects.toMatchObject({ code: "GONE", next: "relist" });
    await expect(watch("yesterday")).rejects.toMatchObject({ code: "INVALID_ARGUMENT" });
  });

  test("tokens are listed in pages that all show one revision", async () => {
    const admin = createClient(TokenService, hub.connect());
    for (let index = 0; index < 5; index += 1) await admin.createToken({ ...viewer, description: `${index}` });
    const { length } = (await admin.listTokens({})).tokens;
    expect((await admin.listTokens({})).tokens.some(({ lastUsedAt }) => lastUsedAt !== undefined)).toBe(true);
    const first = await admin.listTokens({ pageSize: 2 });
    await admin.createToken({ ...viewer, description: "too late for this list" });
    const rest = await admin.listTokens({ pageSize: 500, pageToken: first.nextPageToken });
    const descriptions = [...first.tokens, ...rest.tokens].map(({ description }) => description);
    expect(descriptions).toHaveLength(length);
    expect(descriptions).not.toContain("too late for this list");
    expect(rest.nextPageToken).toBe("");
    expect(rest.cursor).toBe(first.cursor);
    await expect(admin.listTokens({ pageToken: "x" })).rejects.toThrow("page_token");
  });

  test.each([
    [{ user: "" }, "user: a name must not be empty"],
    [{ user: "system:admin" }, "user: names that start with system: are reserved for clusters"],
    [{ groups: ["system:masters"] }, "groups: names that start with system: are reserved for clusters"],
    [{ user: "a\nb" }, "user: a name must not contain control characters"],
    [{ groups: Array.from({ length: 65 }, (_, index) => `g${index}`) }, "groups: at most 64 groups are allowed"],
  ])("a token that cannot be is refused by field: %j", async (wrong, sentence) => {
    const admin = createClient(TokenService, hub.connect());
    const { length } = (await admin.listTokens({})).tokens;
    await expect(admin.createToken({ ...viewer, ...wrong })).rejects.toThrow(sentence);
    expect((await admin.listTokens({})).tokens).toHaveLength(length);
  });
});

describe("a hub and its data directory", () => {
  test("[L1] [U-37] [CL21] after a restart of the hub a watch goes on from its cursor, misses nothing, and the last use of tokens is known", async () => {
    using folder = openTempFolder();
    let cursor = "";
    {
      await using hub = await startHub(folder.path);
      const admin = createClient(TokenService, hub.connect());
      for await (const message of admin.watchTokens({})) {
        cursor = message.cursor;
        if (message.event.case === "bookmark") break;
      }
      const { secret } = await admin.createToken({ ...viewer, description: "while nobody watched" });
      await createClient(SystemService, hub.connect(secret)).whoAmI({});
    }
    await using hub = await startHub(folder.path);
    const { tokens } = await createClient(TokenService, hub.connect()).listTokens({});
    expect(tokens.find(({ user }) => user === viewer.user)?.lastUsedAt).toBeDefined();
    const seen: string[] = [];
    for await (const { event } of createClient(TokenService, hub.connect()).watchTokens({ cursor })) {
      if (event.case === "upserted") seen.push(event.value.description);
      break;
    }
    expect(seen).toEqual(["while nobody watched"]);
  });

  test("[ST24] a second hub on the same directory is refused while the first lives, and not after", async () => {
    using folder = openTempFolder();
    const first = await startHub(folder.path);
    await expect(startHub(folder.path)).rejects.toMatchObject({ code: "STORE_IN_USE" });
    await first.stop();
    await using second = await startHub(folder.path);
    expect(second.adminToken).toBe(first.adminToken);
  });

  test("run.json is there exactly while the hub runs, and only its owner may read it", async () => {
    using folder = openTempFolder();
    const hub = await startHub(folder.path);
    const file = join(folder.path, "run.json");
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(statSync(folder.path).mode & 0o777).toBe(0o700);
    await hub.stop();
    expect(existsSync(file)).toBe(false);
  });

  test("[U-73] the hub says it is ready on every port, and metrics ask for a token where others can reach them", async () => {
    using folder = openTempFolder();
    await using hub = await startHub(folder.path);
    const get = (path: string, token?: string) =>
      fetch(
        `${hub.record.httpUrl}${path}`,
        token === undefined ? {} : { headers: { authorization: `Bearer ${token}` } },
      );
    expect((await get("/livez")).status).toBe(200);
    expect((await get("/readyz")).status).toBe(200);
    expect((await get("/metrics")).status).toBe(401);
    const metrics = await (await get("/metrics", hub.adminToken)).text();
    expect(metrics).toContain("flotilla_rpc_requests_total");
  });

  test("[U-73][CL17] readiness is logged before it is announced, so that the login link is the last line; the admin port serves probes and metrics without a token, and nothing else", async () => {
    using folder = openTempFolder();
    await using hub = await startHub(folder.path, ["--admin-port", "0"]);
    expect(hub.loggedWhenReady).toContain("hub is ready");
    const adminUrl = /"adminUrl":"([^"]+)"/.exec(hub.logged.join(""))?.[1] ?? "";
    const get = (path: string) => fetch(`${adminUrl}${path}`);
    expect((await get("/readyz")).status).toBe(200);
    expect(await (await get("/metrics")).text()).toContain('flotilla_build_info{version="test"} 1');
    expect((await get("/flotilla.admin.v1.SystemService/GetVersion")).status).toBe(404);
    expect(hub.record.httpUrl).not.toBe(adminUrl);
  });
});
