// SPDX-License-Identifier: Apache-2.0
import { execFile } from "node:child_process";
import { chmodSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { openTempFolder } from "../../test/support/temp-folder.ts";
import { ManualClock } from "../base/testing/manual-clock.ts";
import { systemClock } from "../base/time/system-clock.ts";
import { type ClusterConnection, type ConnectClusterOptions, connectCluster } from "./connect-cluster.ts";
import { silentlyCollect } from "./connection/testing/collect.ts";
import { ask, failureOf, get, neverAborted, testAccess } from "./connection/testing/test-access.ts";
import {
  answerJson,
  answerStatus,
  type Respond,
  startTestServer,
  testAuthority,
} from "./connection/testing/test-server.ts";
import { anonymousUser, type ClusterAccess } from "./credentials/cluster-access.ts";
import { kubeconfigAccess } from "./credentials/load-kubeconfig.ts";
import type { KubeError } from "./kube-error.ts";

function connectTo(access: ClusterAccess, options: Partial<ConnectClusterOptions> = {}): ClusterConnection {
  return connectCluster({
    access,
    clock: systemClock,
    userAgent: "flotilla-agent/test",
    environment: { PATH: "/usr/bin:/bin" },
    ...options,
  });
}

/** A server that knows one token at a time, and answers watches with one event. */
function guarded(valid: { token: string; askedCount: number }): Respond {
  return (request, response) => {
    valid.askedCount += 1;
    if (request.headers.authorization !== `Bearer ${valid.token}`) answerStatus(response, 401, "Unauthorized");
    else if (request.url === "/watch") response.writeHead(200).write("{}\n");
    else answerJson(response, 200, {});
  };
}

test("[R-11] a reload reads the kubeconfig anew, ends the old watches and leaves nothing of the old client", async () => {
  using folder = openTempFolder();
  const file = join(folder.path, "config");
  const valid = { token: "first-token", askedCount: 0 };
  await using server = await startTestServer(guarded(valid));
  const write = (token: string): void => {
    const cluster = {
      server: server.url,
      "certificate-authority-data": Buffer.from(testAuthority.ca).toString("base64"),
    };
    const contexts = [{ name: "x", context: { cluster: "c", user: "u" } }];
    writeFileSync(
      file,
      JSON.stringify({ clusters: [{ name: "c", cluster }], users: [{ name: "u", user: { token } }], contexts }),
    );
  };
  write("first-token");
  const clock = new ManualClock();
  const reread = kubeconfigAccess({ file, environment: {} }, "x");
  const connection = connectTo(await reread(), { reread, clock });
  const broken: KubeError[] = [];
  connection.onBroken((error) => broken.push(error));
  const watch = silentlyCollect((await connection.request(get("/watch", { isWatch: true }), neverAborted)).body);
  await expect.poll(() => watch.parts.length).toBe(1);
  valid.token = "second-token";
  expect(await failureOf(ask(connection, "/api"))).toMatchObject({ fault: "unauthorized" });
  write("second-token");
  await Promise.all([connection.reload(), connection.reload()]);
  expect(await failureOf(watch.ended)).toMatchObject({ fault: "tcp" });
  expect(await ask(connection, "/api")).toBe("{}");
  await expect.poll(() => server.sockets.size).toBe(1);
  expect(server.acceptedCount).toBe(2);
  writeFileSync(file, "no: config");
  await expect(connection.reload()).rejects.toMatchObject({ code: "CONFIG_INVALID" });
  expect(await ask(connection, "/api")).toBe("{}");
  await connection.close();
  expect(broken).toEqual([]);
  await expect.poll(() => clock.timerCount).toBe(0);
  await expect.poll(() => server.sockets.size).toBe(0);
});

test("[KU6] [R-11] after a rotated token file a request that is refused goes out again with the new token", async () => {
  using folder = openTempFolder();
  const tokenFile = join(folder.path, "token");
  writeFileSync(tokenFile, "first");
  const valid = { token: "first", askedCount: 0 };
  await using server = await startTestServer(guarded(valid));
  // A clock that stands still: how long the file's text stays fresh is no matter of how long the test takes.
  const clock = new ManualClock();
  await using connection = connectTo(testAccess(server.url, { user: { ...anonymousUser, tokenFile } }), { clock });
  expect(await ask(connection, "/api")).toBe("{}");
  valid.token = "second";
  writeFileSync(tokenFile, "second");
  expect(await ask(connection, "/api")).toBe("{}");
  expect(valid.askedCount).toBe(3);
  valid.token = "third";
  expect(await failureOf(ask(connection, "/api"))).toMatchObject({ fault: "unauthorized", status: 401 });
  expect(valid.askedCount).toBe(4);
  writeFileSync(tokenFile, "third");
  expect(await failureOf(ask(connection, "/api", { method: "DELETE" }))).toMatchObject({ fault: "unauthorized" });
  expect(valid.askedCount).toBe(5);
  expect(server.acceptedCount).toBe(1);
});

test("[KU6] requests that are refused together ask the exec plugin once", async () => {
  using folder = openTempFolder();
  const command = join(folder.path, "plugin");
  const answer =
    '{"apiVersion":"client.authentication.k8s.io/v1","kind":"ExecCredential","status":{"token":"t\'$n\'"}}';
  writeFileSync(
    command,
    `#!/bin/sh\necho run >>"$0.runs"\nn=$(wc -l <"$0.runs" | tr -d ' ')\nprintf '%s' '${answer}'\n`,
  );
  chmodSync(command, 0o755);
  const exec = {
    apiVersion: "client.authentication.k8s.io/v1",
    command,
    args: [],
    env: [],
    provideClusterInfo: false,
    installHint: "",
    clusterConfig: undefined,
  } as const;
  const valid = { token: "t1", askedCount: 0 };
  await using server = await startTestServer(guarded(valid));
  await using connection = connectTo(testAccess(server.url, { user: { ...anonymousUser, exec } }));
  expect(await ask(connection, "/api")).toBe("{}");
  valid.token = "t2";
  const answers = await Promise.all(Array.from({ length: 5 }, () => ask(connection, "/api")));
  expect(answers).toEqual(["{}", "{}", "{}", "{}", "{}"]);
  expect(valid.askedCount).toBe(11);
});

test("[KU6] another client certificate means another connection", async () => {
  using folder = openTempFolder();
  const [certificate, key] = [join(folder.path, "crt"), join(folder.path, "key")];
  const write = (user: string): void => {
    const identity = testAuthority.issueClient(user);
    writeFileSync(certificate, identity.certificate);
    writeFileSync(key, identity.key);
  };
  write("old");
  await using server = await startTestServer((_request, response) => answerJson(response, 200, {}), {
    asksForCertificate: true,
  });
  const clock = new ManualClock();
  const clientCertificate = {
    certificate: { kind: "file", path: certificate },
    key: { kind: "file", path: key },
  } as const;
  await using connection = connectTo(testAccess(server.url, { user: { ...anonymousUser, clientCertificate } }), {
    clock,
  });
  expect(await ask(connection, "/api")).toBe("{}");
  write("new");
  await clock.advance(10_000);
  expect(await ask(connection, "/api")).toBe("{}");
  expect(server.acceptedCount).toBe(2);
  await expect.poll(() => server.sockets.size).toBe(1);
});

test("[R-8] whoever listens is told when the connection breaks, until it stops listening", async () => {
  await using server = await startTestServer((_request, response) => answerJson(response, 200, {}));
  await using connection = connectTo(testAccess(server.url));
  const told: string[] = [];
  const stop = connection.onBroken((error) => told.push(error.fault));
  expect(connection.state).toBe("idle");
  for (const expected of [["tcp"], ["tcp"]]) {
    await ask(connection, "/api");
    for (const socket of server.sockets) socket.destroy();
    await expect.poll(() => connection.state).toBe("broken");
    expect(told).toEqual(expected);
    stop();
  }
});

test("an agent in a cluster loads neither yaml nor zod", async () => {
  const entry = fileURLToPath(new URL("./connect-cluster.ts", import.meta.url));
  const inCluster = fileURLToPath(new URL("./credentials/in-cluster.ts", import.meta.url));
  const program = `
    import { registerHooks } from "node:module";
    const loaded = [];
    registerHooks({ resolve: (name, context, next) => { loaded.push(name); return next(name, context); } });
    await import(${JSON.stringify(entry)});
    await import(${JSON.stringify(inCluster)});
    console.log(JSON.stringify(loaded.filter((name) => !name.startsWith("node:") && !/^[./]/.test(name))));`;
  const { stdout } = await promisify(execFile)(process.execPath, ["--input-type=module", "-e", program]);
  expect(JSON.parse(stdout)).toEqual([]);
});

function jwt(exp: number): string {
  return `h.${Buffer.from(JSON.stringify({ exp, iat: exp - 60 })).toString("base64url")}.s`;
}

test("[SE46] when the credential ends is known from the first request on, through a reload too; of an exec plugin nothing is said", async () => {
  using folder = openTempFolder();
  const tokenFile = join(folder.path, "token");
  writeFileSync(tokenFile, jwt(2_000_000_000));
  await using server = await startTestServer((_request, response) => answerJson(response, 200, {}));
  const access = testAccess(server.url, { user: { ...anonymousUser, tokenFile } });
  await using connection = connectTo(access);
  expect(connection.credentialTerm).toBeUndefined();
  await ask(connection, "/api");
  const term = { endsAtMs: 2_000_000_000_000, lifetimeMs: 60_000 };
  expect(connection.credentialTerm).toEqual(term);
  writeFileSync(tokenFile, "opaque");
  await connection.reload();
  expect(connection.credentialTerm).toEqual(term);
  await ask(connection, "/api");
  expect(connection.credentialTerm).toBeUndefined();

  const plugin = join(folder.path, "plugin");
  const answer = { apiVersion: "client.authentication.k8s.io/v1", kind: "ExecCredential", status: { token: jwt(2e9) } };
  writeFileSync(plugin, `#!/bin/sh\necho '${JSON.stringify(answer)}'\n`);
  chmodSync(plugin, 0o755);
  const exec = {
    apiVersion: "client.authentication.k8s.io/v1",
    command: plugin,
    args: [],
    env: [],
    provideClusterInfo: false,
    installHint: "",
    clusterConfig: undefined,
  } as const;
  await using renewed = connectTo(testAccess(server.url, { user: { ...anonymousUser, exec } }));
  await ask(renewed, "/api");
  expect(renewed.credentialTerm).toBeUndefined();
});
