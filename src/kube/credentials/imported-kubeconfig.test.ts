// SPDX-License-Identifier: Apache-2.0
import { describe, expect, test } from "vitest";
import { ask, failureOf, lookupOf, openTestConnection, testAccess } from "../connection/testing/test-access.ts";
import { answerJson, startTestServer } from "../connection/testing/test-server.ts";
import { parseImportedKubeconfig, resolveImportedContext } from "./imported-kubeconfig.ts";
import { nearReasonOf, nearReasonOfHost } from "./local-address.ts";

const pem = Buffer.from("PEM").toString("base64");
const good = { server: "https://10.0.0.1:6443", "certificate-authority-data": pem };

async function resolve(cluster: object, user: object) {
  const text = JSON.stringify({
    clusters: [{ name: "c", cluster }],
    users: [{ name: "u", user }],
    contexts: [{ name: "x", context: { cluster: "c", user: "u" } }],
    "current-context": "x",
  });
  return resolveImportedContext(await parseImportedKubeconfig("sent by jane", text));
}

test("[KU7] inline credentials to an address elsewhere are taken, and marked", async () => {
  const users = [
    { token: "t" },
    { "client-certificate-data": pem, "client-key-data": pem },
    { username: "a", password: "b" },
  ];
  for (const user of users) expect(await resolve(good, user)).toMatchObject({ isRestricted: true });
  expect(await resolve({ server: "https://api.example.com" }, { token: "t" })).toMatchObject({ isRestricted: true });
});

const exec = { apiVersion: "client.authentication.k8s.io/v1", command: "sh", interactiveMode: "Never" };
test.each([
  [good, { exec }, "(exec)"],
  [good, { "auth-provider": { name: "gcp" } }, "auth-provider"],
  [good, { tokenFile: "/etc/shadow" }, "(tokenFile)"],
  [good, { token: "t", tokenFile: "/etc/shadow" }, "(tokenFile)"],
  [good, { "client-certificate": "/c", "client-key-data": pem }, "(client-certificate)"],
  [good, { "client-certificate-data": pem, "client-key": "/k" }, "(client-key)"],
  [good, { "client-certificate-data": pem, "client-key-data": pem, "client-key": "/k" }, "(client-key)"],
  [{ server: good.server, "certificate-authority": "/ca" }, {}, "(certificate-authority)"],
  [{ ...good, "certificate-authority": "/ca" }, {}, "(certificate-authority)"],
  [{ ...good, "proxy-url": "http://p" }, {}, "(proxy-url)"],
  [{ server: good.server, "insecure-skip-tls-verify": true }, {}, "(insecure-skip-tls-verify)"],
  [{ server: "http://10.0.0.1" }, {}, "without TLS (server)"],
])("[KU7] what else it holds is refused by name: %j %j", async (cluster, user, name) => {
  await expect(resolve(cluster, user)).rejects.toMatchObject({
    code: "CONFIG_INVALID",
    message: expect.stringContaining(name),
  });
});

test.each([
  ["127.0.0.1", "loopback"],
  ["127.255.1.2:6443", "loopback"],
  ["127.1", "loopback"],
  ["2130706433", "loopback"],
  ["0x7f000001", "loopback"],
  ["0177.0.0.1", "loopback"],
  ["0x7f.1", "loopback"],
  ["[::1]", "loopback"],
  ["[::ffff:127.0.0.1]", "loopback"],
  ["[::ffff:7f00:1]", "loopback"],
  ["[::127.0.0.1]", "loopback"],
  ["[64:ff9b::127.0.0.1]", "loopback"],
  ["[2002:7f00:1::]", "loopback"],
  ["localhost", "loopback"],
  ["LOCALHOST.", "loopback"],
  ["api.localhost", "loopback"],
  ["localhost.localdomain", "loopback"],
  ["１２７.0.0.1", "loopback"],
  ["169.254.169.254", "link-local"],
  ["0xa9fea9fe", "link-local"],
  ["[fe80::1]", "link-local"],
  ["[febf::1]", "link-local"],
  ["[::ffff:169.254.169.254]", "link-local"],
  ["0.0.0.0", "unspecified"],
  ["0", "unspecified"],
  ["[::]", "unspecified"],
])("[KU7] the target https://%s is refused as %s", async (host, reason) => {
  await expect(resolve({ ...good, server: `https://${host}` }, { token: "t" })).rejects.toMatchObject({
    code: "CONFIG_INVALID",
    message: expect.stringContaining(`a ${reason} address as its target (server)`),
  });
});

test("addresses elsewhere are no near ones", () => {
  for (const address of [
    "10.0.0.1",
    "192.168.1.1",
    "128.0.0.1",
    "169.253.1.1",
    "1.0.0.0",
    "fd00::1",
    "fec0::1",
    "2001:db8::1",
    "::ffff:8.8.8.8",
  ]) {
    expect(nearReasonOf(address)).toBeUndefined();
  }
  expect(nearReasonOf("fe80::1%eth0")).toBe("link-local");
  for (const name of ["example.com", "localhost.example.com", "notlocalhost"])
    expect(nearReasonOfHost(name)).toBeUndefined();
});

test("[KU7] a kubeconfig that is too large to be one cluster's is not read", async () => {
  await expect(parseImportedKubeconfig("sent", " ".repeat(300_000))).rejects.toMatchObject({ code: "TOO_LARGE" });
});

describe("when it is dialled", () => {
  test("[KU7] a name that comes to mean this machine is not dialled, and nothing is sent", async () => {
    await using server = await startTestServer((_request, response) => answerJson(response, 200, {}));
    const access = testAccess(`https://api.test:${server.port}`, { isRestricted: true });
    for (const address of ["127.0.0.1", "::ffff:127.0.0.1", "169.254.169.254", "0.0.0.0"]) {
      await using connection = openTestConnection(access, { lookup: lookupOf({ "api.test": [address] }) });
      const error = await failureOf(ask(connection, "/api"));
      expect(error).toMatchObject({
        fault: "dns",
        message: expect.stringContaining(`address ${address}, which an imported kubeconfig may not use`),
      });
    }
    expect(server.acceptedCount).toBe(0);
    await using named = openTestConnection(
      { ...access, isRestricted: false },
      { lookup: lookupOf({ "api.test": ["127.0.0.1"] }) },
    );
    expect(await ask(named, "/api")).toBe("{}");
  });

  test("[KU7] an address that no lookup was asked for is looked at once it is connected, before TLS begins", async () => {
    let receivedCount = 0;
    await using server = await startTestServer((_request, response) => answerJson(response, 200, {}));
    await using connection = openTestConnection(testAccess(server.url, { isRestricted: true }));
    expect(await failureOf(ask(connection, "/api"))).toMatchObject({ fault: "dns" });
    for (const socket of server.sockets) receivedCount += socket.bytesRead;
    await expect.poll(() => server.sockets.size).toBe(0);
    expect(receivedCount).toBe(0);
    expect(server.sessions.size).toBe(0);
  });
});
