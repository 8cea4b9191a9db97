// SPDX-License-Identifier: Apache-2.0
import { chmodSync, existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { openTempFolder } from "../../../test/support/temp-folder.ts";
import { ManualClock } from "../../base/testing/manual-clock.ts";
import { failureOf, neverAborted, testAccess } from "../connection/testing/test-access.ts";
import type { ClusterAccess, ExecSpec } from "./cluster-access.ts";
import { ExecPlugin, type ExecPluginOptions } from "./exec-plugin.ts";

const folder = openTempFolder();
let scriptCount = 0;
afterAll(() => folder[Symbol.dispose]());

const v1 = "client.authentication.k8s.io/v1";
const path = { PATH: "/usr/bin:/bin" };

/** A script that notes the process of each of its runs beside itself, then does `body`. */
function script(body: string): { readonly command: string; readonly pids: () => readonly number[] } {
  scriptCount += 1;
  const command = join(folder.path, `plugin-${scriptCount}`);
  writeFileSync(command, `#!/bin/sh\necho $$ >>"$0.runs"\n${body}\n`);
  chmodSync(command, 0o755);
  const runs = `${command}.runs`;
  const read = (): string => (existsSync(runs) ? readFileSync(runs, "utf8") : "");
  return { command, pids: () => read().split("\n").slice(0, -1).map(Number) };
}

const credential = (status: object, apiVersion = v1): string =>
  `cat <<'END'\n${JSON.stringify({ apiVersion, kind: "ExecCredential", status })}\nEND`;

function plugin(
  command: string,
  spec: Partial<ExecSpec> = {},
  options: Partial<ExecPluginOptions> & { readonly access?: ClusterAccess } = {},
) {
  const clock = new ManualClock();
  const access = options.access ?? testAccess("https://10.0.0.1:6443/x");
  const whole: ExecSpec = {
    apiVersion: v1,
    command,
    args: [],
    env: [],
    provideClusterInfo: false,
    installHint: "",
    clusterConfig: undefined,
    ...spec,
  };
  return { clock, source: new ExecPlugin({ spec: whole, access, clock, environment: path, ...options }) };
}

test("[KU6] a token is kept until shortly before it expires, or is refused", async () => {
  const { command, pids } = script(
    `n=$(wc -l <"$0.runs" | tr -d ' ')\necho "{\\"apiVersion\\":\\"${v1}\\",\\"kind\\":\\"ExecCredential\\",\\"status\\":{\\"token\\":\\"t$n\\",\\"expirationTimestamp\\":\\"$EXPIRY\\"}}"`,
  );
  const wallStartMs = Date.UTC(2026, 0, 1);
  const env = [{ name: "EXPIRY", value: new Date(wallStartMs + 600_000).toISOString() }];
  const { clock, source } = plugin(command, { env });
  const load = async () => (await source.load(neverAborted)).authorization;
  expect(await load()).toBe("Bearer t1");
  await clock.advance(539_999);
  expect(await load()).toBe("Bearer t1");
  await clock.advance(1);
  expect(await load()).toBe("Bearer t2");
  const second = await source.load(neverAborted);
  source.refuse({ ...second, authorization: "Bearer older" });
  expect(await load()).toBe("Bearer t2");
  source.refuse(second);
  expect(await load()).toBe("Bearer t3");
  expect(pids()).toHaveLength(3);
  await clock.advance(60_001);
  expect(await failureOf(load())).toMatchObject({
    fault: "unauthorized",
    message: expect.stringContaining("has expired already"),
  });
});

test("[KU6] however many ask, one process runs; and one who leaves does not end it for the others", async () => {
  const { command, pids } = script(`while [ ! -e "$0.go" ]; do sleep 0.02; done\n${credential({ token: "t" })}`);
  const { source, clock } = plugin(command);
  const leave = new AbortController();
  const leaving = failureOf(source.load(leave.signal));
  const loading = Array.from({ length: 10 }, () => source.load(neverAborted));
  leave.abort(new Error("gone"));
  expect(await leaving).toMatchObject({ message: "gone" });
  writeFileSync(`${command}.go`, "");
  for (const each of loading) expect(await each).toEqual({ authorization: "Bearer t", clientCertificate: undefined });
  expect(pids()).toHaveLength(1);
  expect(clock.timerCount).toBe(0);
});

test("a client certificate is a credential too, in both API versions", async () => {
  const apiVersion = "client.authentication.k8s.io/v1beta1" as const;
  const { command } = script(credential({ clientCertificateData: "CERT", clientKeyData: "KEY" }, apiVersion));
  const { source } = plugin(command, { apiVersion });
  expect(await source.load(neverAborted)).toEqual({
    authorization: undefined,
    clientCertificate: { certificate: "CERT", key: "KEY" },
  });
});

test("the program gets its arguments, its environment, and the cluster where it is to be told", async () => {
  const { command } = script(
    `printf '%s\\n' "$*" "$OWN" "$INHERITED" "$KUBERNETES_EXEC_INFO" >"$0.told"\n${credential({ token: "t" })}`,
  );
  const access = testAccess("https://10.0.0.1:6443/x", { tlsServerName: "inner", proxyUrl: new URL("http://p:1") });
  const told = (): string[] => readFileSync(`${command}.told`, "utf8").trim().split("\n");
  const spec = { args: ["--for", "a b"], env: [{ name: "OWN", value: "mine" }], clusterConfig: { audience: "x" } };
  const environment = { ...path, INHERITED: "too", OWN: "theirs" };
  await plugin(command, spec, { access, environment }).source.load(neverAborted);
  expect(told().slice(0, 3)).toEqual(["--for a b", "mine", "too"]);
  expect(JSON.parse(told()[3]!)).toEqual({ apiVersion: v1, kind: "ExecCredential", spec: { interactive: false } });
  await plugin(command, { ...spec, provideClusterInfo: true }, { access, environment }).source.load(neverAborted);
  expect(JSON.parse(told()[3]!)).toMatchObject({
    spec: {
      cluster: {
        server: "https://10.0.0.1:6443/x",
        "tls-server-name": "inner",
        "proxy-url": "http://p:1/",
        "certificate-authority-data": expect.stringMatching(/^LS0t/),
        config: { audience: "x" },
      },
    },
  });
});

test.each([
  ["echo no", "it did not write JSON"],
  [`echo '{"kind":"List"}'`, "it did not write an ExecCredential"],
  [credential({ token: "t" }, "client.authentication.k8s.io/v1beta1"), "another apiVersion"],
  [credential({}), "neither a token nor a client certificate"],
  [credential({ clientKeyData: "s3cret" }), "only one of clientCertificateData and clientKeyData"],
  [credential({ token: 7 }), "its status.token must be text"],
  [credential({ token: "a\nb: s3cret" }), "is not a token"],
  [credential({ token: "s3cret", expirationTimestamp: "soon" }), "not an RFC 3339 time"],
  ["echo s3cret; exit 3", "ended with code 3 and wrote nothing to standard error"],
  ["echo 'login expired, run aws sso login' >&2; exit 255", "ended with code 255: login expired, run aws sso login"],
  ["kill -9 $$", "was killed"],
  ["head -c 2000000 /dev/zero; sleep 60", "wrote more than 1048576 bytes"],
])("[KU9] a program that gives no credential is told without what it gave: %s", async (body, sentence) => {
  const { source } = plugin(script(body).command);
  const error = await failureOf(source.load(neverAborted));
  expect(error).toMatchObject({ fault: "unauthorized", message: expect.stringContaining(sentence) });
  expect(error).not.toHaveProperty("cause.message");
  expect(String(error)).not.toContain("s3cret");
});

test("[KU9] what a program says when it fails is told without secrets, and cut", async () => {
  const env = [{ name: "CLIENT_SECRET", value: "my-own-secret" }];
  const body = `echo "bad $CLIENT_SECRET; token=abc123 eyJhbGciOi.eyJzdWIi.c2ln $(printf 'k%.0s' $(seq 40)) $(printf 'word %.0s' $(seq 1000))" >&2; exit 1`;
  const error = await failureOf(plugin(script(body).command, { env }).source.load(neverAborted));
  const { message } = error as Error;
  expect(message).toContain("bad [hidden]; token=[hidden] [hidden] [hidden] word word");
  expect(message.length).toBeLessThan(700);
});

test("a program that is not there is told with the hint of the kubeconfig", async () => {
  const missing = plugin("flotilla-no-such-program", { installHint: "get it at\nhttps://example.com" });
  expect(await failureOf(missing.source.load(neverAborted))).toMatchObject({
    fault: "unauthorized",
    message:
      'the exec plugin "flotilla-no-such-program" of test is not installed, or not in PATH: get it at https://example.com',
  });
});

test("a program that does not end is killed at its deadline, also where a child of it holds the output", async () => {
  const { command, pids } = script(`sleep 60 & sleep 60`);
  const { source, clock } = plugin(command, {}, { deadlineMs: 5_000 });
  const failing = failureOf(source.load(neverAborted));
  await expect.poll(pids).toHaveLength(1);
  await clock.advance(5_000);
  expect(await failing).toMatchObject({
    fault: "timeout",
    message: expect.stringContaining("did not end within 5000 ms"),
  });
  expect(clock.timerCount).toBe(0);
  const closing = failureOf(source.load(neverAborted));
  await expect.poll(pids).toHaveLength(2);
  source.close();
  expect(await closing).toMatchObject({ fault: "unauthorized" });
  for (const pid of pids()) expect(() => process.kill(pid, 0)).toThrow("ESRCH");
});
