// SPDX-License-Identifier: Apache-2.0
import { describe, expect, test } from "vitest";
import { chooseProxy, showProxy } from "./proxy.ts";
import { ask, failureOf, lookupOf, openTestConnection, testAccess } from "./testing/test-access.ts";
import { startTestProxy } from "./testing/test-proxy.ts";
import { answerJson, startTestServer } from "./testing/test-server.ts";

const lookup = lookupOf({ "api.test": ["127.0.0.1"], "proxy.test": ["127.0.0.1"] });

describe("which proxy", () => {
  const choose = (server: string, environment: Record<string, string>, own?: string): string | undefined =>
    chooseProxy(new URL(server), own === undefined ? undefined : new URL(own), environment)?.href;

  test("[KU5] the kubeconfig's goes before the environment's, which is that of the server's scheme", () => {
    const environment = {
      HTTPS_PROXY: "http://a:1",
      HTTP_PROXY: "b:2",
      https_proxy: "http://c:3",
      NO_PROXY: "own.test",
    };
    expect(choose("https://own.test", environment, "http://own:9")).toBe("http://own:9/");
    expect(choose("https://x.test", environment)).toBe("http://a:1/");
    expect(choose("http://x.test", environment)).toBe("http://b:2/");
    expect(choose("https://x.test", { https_proxy: "http://c:3" })).toBe("http://c:3/");
    expect(choose("https://x.test", { HTTPS_PROXY: "" })).toBeUndefined();
  });

  test.each([
    ["*", true],
    ["api.test", true],
    ["test", true],
    [".test", true],
    ["*.test", true],
    [".api.test", false],
    ["pi.test", false],
    ["other.test, API.TEST", true],
    ["api.test:6443", true],
    ["api.test:443", false],
    ["10.0.0.0/8", false],
    ["", false],
  ])("[KU5] NO_PROXY=%s names https://api.test:6443: %s", (noProxy, isNamed) => {
    const chosen = choose("https://api.test:6443", { HTTPS_PROXY: "http://p:1", NO_PROXY: noProxy });
    expect(chosen === undefined).toBe(isNamed);
  });

  test.each([
    ["10.1.2.3", "10.1.2.3", true],
    ["10.1.2.3", "10.0.0.0/8", true],
    ["10.1.2.3", "11.0.0.0/8", false],
    ["10.1.2.3", "2.3", false],
    ["10.1.2.3", "10.0.0.0/99", false],
    ["10.1.2.3", "10.1.2.3:6443", true],
    ["10.1.2.3", "10.1.2.3:1", false],
    ["[fd00::1]", "fd00::/8", true],
    ["[fd00::1]", "fd00:0::1", true],
    ["[fd00::1]", "[fd00::1]:6443", true],
    ["[fd00::1]", "fe00::/8", false],
    ["[fd00::1]", "10.0.0.0/8", false],
  ])("[KU5] for the address %s NO_PROXY=%s counts: %s", (host, noProxy, isNamed) => {
    const chosen = choose(`https://${host}:6443`, { HTTPS_PROXY: "http://p:1", no_proxy: noProxy });
    expect(chosen === undefined).toBe(isNamed);
  });

  test("this machine needs no proxy, and a variable that is no URL is refused without showing it", () => {
    expect(choose("https://127.0.0.1:6443", { HTTPS_PROXY: "http://p:1" })).toBeUndefined();
    expect(choose("https://localhost", { HTTPS_PROXY: "http://p:1" })).toBeUndefined();
    const refused = (): unknown => choose("https://x.test", { HTTPS_PROXY: "socks5://me:secret@p:1" });
    expect(refused).toThrow(
      expect.objectContaining({ code: "CONFIG_INVALID", message: expect.not.stringContaining("secret") }),
    );
    expect(showProxy(new URL("http://me:secret@p:1"))).toBe("http://p:1");
  });
});

describe("by a proxy", () => {
  test.each([{ isSecure: false }, { isSecure: true }])(
    "[KU5] a server is reached by CONNECT, with the proxy's user (TLS to the proxy: $isSecure)",
    async ({ isSecure }) => {
      await using server = await startTestServer((_request, response) => answerJson(response, 200, {}));
      await using proxy = await startTestProxy({ isSecure, password: "me:p@ss" });
      const scheme = isSecure ? "https" : "http";
      const proxyUrl = new URL(`${scheme}://me:p%40ss@127.0.0.1:${proxy.port}`);
      await using connection = openTestConnection(testAccess(`https://api.test:${server.port}`, { proxyUrl }));
      expect(await ask(connection, "/api")).toBe("{}");
      expect(await ask(connection, "/api")).toBe("{}");
      expect(proxy.authorities).toEqual([`api.test:${server.port}`]);
    },
  );

  test("[KU5] the environment's proxy is used, unless NO_PROXY names the server", async () => {
    await using server = await startTestServer((_request, response) => answerJson(response, 200, {}));
    await using proxy = await startTestProxy({});
    const access = testAccess(`https://api.test:${server.port}`);
    const HTTPS_PROXY = `proxy.test:${proxy.port}`;
    await using by = openTestConnection(access, { lookup, environment: { HTTPS_PROXY } });
    expect(await ask(by, "/api")).toBe("{}");
    expect(proxy.authorities.length).toBe(1);
    for (const NO_PROXY of ["api.test", ".test"]) {
      await using direct = openTestConnection(access, { lookup, environment: { HTTPS_PROXY, NO_PROXY } });
      expect(await ask(direct, "/api")).toBe("{}");
      expect(proxy.authorities.length).toBe(1);
    }
  });

  test("[KU9] a proxy that refuses, or is not there, is told by name and without its password", async () => {
    const messages: string[] = [];
    await using proxy = await startTestProxy({ password: "me:other-secret" });
    for (const [userPassword, port] of [
      ["me:wrong-secret", proxy.port],
      ["me:wrong-secret", 1],
    ] as const) {
      const proxyUrl = new URL(`http://${userPassword}@127.0.0.1:${port}`);
      await using connection = openTestConnection(testAccess("https://api.test:6443", { proxyUrl }));
      const error = await failureOf(ask(connection, "/api"));
      expect(error).toMatchObject({ fault: "tcp" });
      messages.push(String(error));
    }
    expect(messages[0]).toContain(`the proxy http://127.0.0.1:${proxy.port} asks for a user and password (407)`);
    expect(messages[1]).toContain("by the proxy http://127.0.0.1:1: nothing listens there");
    expect(messages.join()).not.toContain("secret");
  });

  test("[KU7] a server of a kubeconfig that was sent is told to the proxy as the address that was looked at", async () => {
    await using server = await startTestServer((_request, response) => answerJson(response, 200, {}));
    await using proxy = await startTestProxy({});
    const environment = { HTTPS_PROXY: `http://127.0.0.1:${proxy.port}` };
    const sent = (names: Record<string, string[]>) =>
      openTestConnection(testAccess(`https://api.test:${server.port}`, { isRestricted: true }), {
        environment,
        lookup: lookupOf(names),
      });
    await using good = sent({ "api.test": ["127.0.0.1", "192.0.2.7"] });
    expect(await ask(good, "/api")).toBe("{}");
    expect(proxy.authorities).toEqual([`192.0.2.7:${server.port}`]);
    await using near = sent({ "api.test": ["127.0.0.1"] });
    expect(await failureOf(ask(near, "/api"))).toMatchObject({ fault: "dns" });
    expect(proxy.authorities.length).toBe(1);
  });
});
