// SPDX-License-Identifier: Apache-2.0
// Agents and verbs that reach their hub by an HTTP proxy: no name of the hub leads anywhere but through it.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { createClient } from "@connectrpc/connect";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { systemRandom } from "../../src/base/system-random.ts";
import { systemClock } from "../../src/base/time/system-clock.ts";
import { JoinTokenService } from "../../src/gen/flotilla/fleet/v1/fleet_pb.ts";
import { startTestProxy, type TestProxy } from "../../src/kube/connection/testing/test-proxy.ts";
import { withoutProxyTo } from "../../src/main/hub/fleet-agents.ts";
import { createSubject } from "../../src/model/subject.ts";
import { mastersGroup } from "../../src/rbac/authorizer-chain.ts";
import { createHubTransport } from "../../src/rpc/client/client.ts";
import { chooseHubProxy } from "../../src/rpc/client/hub-proxy.ts";
import { BackgroundProgram, flotilla } from "../e2e/fleet/background-program.ts";
import { eventually } from "../e2e/fleet/eventually.ts";
import { HubView } from "../e2e/fleet/hub-view.ts";
import { startApiServer, type TestApiServer } from "../support/api-server.ts";
import { type RunningHub, startHub } from "../support/running-hub.ts";
import { openTempFolder } from "../support/temp-folder.ts";

const apiToken = "admin-token";

describe("[IN24] by an HTTP proxy", () => {
  const folder = openTempFolder();
  let hub: RunningHub;
  let proxy: TestProxy;
  let server: TestApiServer;
  let url = "";
  let authority = "";

  beforeAll(async () => {
    const admin = createSubject({ user: "admin", groups: [mastersGroup] });
    [hub, proxy, server] = await Promise.all([
      startHub(join(folder.path, "hub"), ["--hosts", "hub.test"]),
      startTestProxy({ password: "me:p@ss" }),
      startApiServer(new Map([[apiToken, admin]])),
    ]);
    authority = `hub.test:${new URL(hub.record.hubUrl).port}`;
    url = `https://${authority}`;
  });

  afterAll(async () => {
    await hub.stop();
    await proxy[Symbol.asyncDispose]();
    await server.close();
    folder[Symbol.dispose]();
  });

  const proxyUrl = (user = "me:p%40ss@"): string => `http://${user}127.0.0.1:${proxy.port}`;

  test("an agent joins and is live, with its session and its registration through the proxy", async () => {
    const tokens = createClient(JoinTokenService, hub.connect());
    const { secret } = await tokens.createJoinToken({ namePattern: "behind", uses: 1, ttlSeconds: 600 });
    const file = (name: string, text: string): string => {
      const path = join(folder.path, name);
      writeFileSync(path, text, { mode: 0o600 });
      return path;
    };
    const cluster = { server: server.url, "certificate-authority-data": Buffer.from(server.ca).toString("base64") };
    const kubeconfig = {
      clusters: [{ name: "c", cluster }],
      users: [{ name: "u", user: { token: apiToken } }],
      contexts: [{ name: "c", context: { cluster: "c", user: "u" } }],
      "current-context": "c",
    };
    const flags = {
      hub: url,
      "ca-file": hub.record.caFile,
      "cluster-id": "behind",
      "join-token-file": file("join-token", secret),
      kubeconfig: file("kubeconfig", JSON.stringify(kubeconfig)),
      "key-file": join(folder.path, "agent.key"),
      "log-format": "json",
    };
    const args = ["agent", ...Object.entries(flags).map(([name, value]) => `--${name}=${value}`)];
    const variables = { HTTPS_PROXY: proxyUrl(), NO_PROXY: "elsewhere.test" };
    const agent = new BackgroundProgram({ cwd: folder.path, args, variables });
    const view = new HubView(hub.record);
    try {
      await eventually(async () => expect(await view.state("behind").catch(() => "none")).toBe("live"));
      expect(new Set(proxy.authorities)).toEqual(new Set([authority]));
      expect(proxy.authorities.length).toBeGreaterThanOrEqual(2);
    } finally {
      view.close();
      await agent.end();
    }
  });

  test("a verb goes through it too, and says what the proxy refuses without its password", async () => {
    const args = ["token", "list", "--hub", url, "--ca-file", hub.record.caFile];
    const run = (proxyText: string) =>
      flotilla(folder.path, args, { FLOTILLA_TOKEN: hub.adminToken, HTTPS_PROXY: proxyText });
    expect(await run(proxyUrl())).toMatchObject({ code: 0, stderr: "" });
    const { code, stderr } = await run(proxyUrl("me:wr0ng@"));
    expect([code, stderr]).toEqual([
      5,
      `flotilla: the hub at ${url} cannot be reached by the proxy http://127.0.0.1:${proxy.port}: the proxy http://127.0.0.1:${proxy.port} asks for a user and password (407); put them into the proxy's URL\n`,
    ]);
  });

  test("a proxy that is not there is said, and a dial that is given up leaves nothing", async () => {
    const options = { url, caFile: hub.record.caFile, token: hub.adminToken, clock: systemClock, random: systemRandom };
    const nowhere = createHubTransport({ ...options, proxy: new URL("http://127.0.0.1:1") });
    await expect(createClient(JoinTokenService, nowhere).listJoinTokens({})).rejects.toMatchObject({
      code: "UNAVAILABLE",
      message: expect.stringContaining("cannot be reached by the proxy http://127.0.0.1:1: "),
    });
    const given = createHubTransport({ ...options, proxy: new URL(proxyUrl()) });
    const asked = createClient(JoinTokenService, given).listJoinTokens({});
    given.close();
    await expect(asked).rejects.toMatchObject({ code: "UNAVAILABLE" });
    nowhere.close();
  });

  test("an agent beside its hub needs none, whatever address the hub listens on", () => {
    const environment = { HTTPS_PROXY: "http://p:1", NO_PROXY: "a.test" };
    for (const address of ["https://127.0.0.1:7443", "https://0.0.0.0:7443", "https://[::1]:7443"])
      expect(chooseHubProxy(address, environment)).toBeUndefined();
    const noProxy = withoutProxyTo("https://10.0.0.5:7443", environment);
    expect(noProxy).toBe("a.test,10.0.0.5");
    expect(chooseHubProxy("https://10.0.0.5:7443", environment)?.href).toBe("http://p:1/");
    expect(chooseHubProxy("https://10.0.0.5:7443", { ...environment, NO_PROXY: noProxy })).toBeUndefined();
  });

  test("the hub's own certificate is checked through the proxy", async () => {
    const options = { url, token: hub.adminToken, clock: systemClock, random: systemRandom };
    const transport = createHubTransport({ ...options, proxy: new URL(proxyUrl()) });
    await expect(createClient(JoinTokenService, transport).listJoinTokens({})).rejects.toMatchObject({
      code: "CERTIFICATE_INVALID",
    });
    transport.close();
  });
});
