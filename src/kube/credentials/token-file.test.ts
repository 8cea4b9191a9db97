// SPDX-License-Identifier: Apache-2.0

import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { openTempFolder } from "../../../test/support/temp-folder.ts";
import { orAborted } from "../../base/abort.ts";
import { ManualClock, settle } from "../../base/testing/manual-clock.ts";
import { failureOf, neverAborted, testAccess } from "../connection/testing/test-access.ts";
import { anonymousUser } from "./cluster-access.ts";
import { inClusterAccess, isInCluster } from "./in-cluster.ts";
import { TokenFile } from "./token-file.ts";
import { createCredentialSource } from "./user-credential.ts";

test("[KU6] [R-11] a token file that was replaced counts within ten seconds, and at once after a refusal", async () => {
  using folder = openTempFolder();
  const path = join(folder.path, "token");
  const clock = new ManualClock();
  const source = new TokenFile(path, clock);
  const load = async () => (await source.load(neverAborted)).authorization;
  writeFileSync(path, "first\n");
  expect(await load()).toBe("Bearer first");
  writeFileSync(path, "second\n");
  await clock.advance(10_000);
  expect(await load()).toBe("Bearer second");
  writeFileSync(path, "third\n");
  expect(await load()).toBe("Bearer second");
  source.refuse();
  expect(await load()).toBe("Bearer third");
});

test("[KU6] a refusal while the file is being read counts: that read may have begun before the file was replaced", async () => {
  using folder = openTempFolder();
  const path = join(folder.path, "token");
  const source = new TokenFile(path, new ManualClock());
  writeFileSync(path, "first");
  const reading = source.load(neverAborted);
  source.refuse();
  await reading;
  writeFileSync(path, "second");
  expect(await source.load(neverAborted)).toMatchObject({ authorization: "Bearer second" });
});

test("whoever asks when it is too late gets the signal's reason, and the failure that nobody waits for ends nothing", async () => {
  const unhandled: unknown[] = [];
  const note = (reason: unknown): void => void unhandled.push(reason);
  process.on("unhandledRejection", note);
  const failing = Promise.reject(new Error("no such file"));
  const failure = await failureOf(orAborted(failing, AbortSignal.abort(new Error("enough"))));
  await settle();
  process.off("unhandledRejection", note);
  expect(failure).toMatchObject({ message: "enough" });
  expect(unhandled).toEqual([]);
});

test("a token file that is away or empty for a moment leaves the last token; at the start it is a failure", async () => {
  using folder = openTempFolder();
  const path = join(folder.path, "token");
  const clock = new ManualClock();
  const source = new TokenFile(path, clock);
  expect(await failureOf(source.load(neverAborted))).toMatchObject({
    fault: "unauthorized",
    message: expect.stringContaining(path),
  });
  writeFileSync(path, " \n");
  expect(await failureOf(source.load(neverAborted))).toMatchObject({ message: `the token file ${path} is empty` });
  writeFileSync(path, "good");
  source.refuse();
  expect(await source.load(neverAborted)).toMatchObject({ authorization: "Bearer good" });
  for (const change of [() => writeFileSync(path, ""), () => rmSync(path)]) {
    change();
    source.refuse();
    expect(await source.load(neverAborted)).toMatchObject({ authorization: "Bearer good" });
  }
});

test("[KU9] a file that is no token, or far too large, is refused and not shown", async () => {
  using folder = openTempFolder();
  const path = join(folder.path, "token");
  for (const text of ["s3cret and more", "s3cret\nx-admin: yes", "s3cret".repeat(20_000)]) {
    writeFileSync(path, text);
    const error = await failureOf(new TokenFile(path, new ManualClock()).load(neverAborted));
    expect(error).toMatchObject({ fault: "unauthorized" });
    expect(String(error)).not.toContain("s3cret");
  }
  expect(await failureOf(new TokenFile("/dev/zero", new ManualClock()).load(neverAborted))).toMatchObject({
    fault: "unauthorized",
  });
});

test("[KU6] of several credentials a token file goes before a token, that before basic auth, that before an exec plugin", async () => {
  using folder = openTempFolder();
  const tokenFile = join(folder.path, "token");
  writeFileSync(tokenFile, "of-file");
  const exec = {
    apiVersion: "client.authentication.k8s.io/v1",
    command: "/none",
    args: [],
    env: [],
    provideClusterInfo: false,
    installHint: "",
    clusterConfig: undefined,
  } as const;
  const basicAuth = { username: "me", password: "pass:word" };
  const shown: unknown[] = [];
  for (const user of [{ tokenFile, token: "inline", exec }, { token: "inline", exec }, { basicAuth, exec }, {}]) {
    const access = testAccess("https://x", { user: { ...anonymousUser, ...user } });
    const source = createCredentialSource(access, { clock: new ManualClock(), environment: {} });
    shown.push((await source.load(neverAborted)).authorization);
  }
  expect(shown).toEqual([
    "Bearer of-file",
    "Bearer inline",
    `Basic ${Buffer.from("me:pass:word").toString("base64")}`,
    undefined,
  ]);
});

test("[KU6] the files of a client certificate are read again when they were replaced", async () => {
  using folder = openTempFolder();
  const [certificate, key] = [join(folder.path, "crt"), join(folder.path, "key")];
  const clock = new ManualClock();
  const clientCertificate = {
    certificate: { kind: "file", path: certificate },
    key: { kind: "file", path: key },
  } as const;
  const access = testAccess("https://x", { user: { ...anonymousUser, clientCertificate } });
  const source = createCredentialSource(access, { clock, environment: {} });
  expect(await failureOf(source.load(neverAborted))).toMatchObject({
    fault: "unauthorized",
    message: expect.stringContaining(folder.path),
  });
  for (const version of ["1", "2"]) {
    writeFileSync(certificate, `c${version}`);
    writeFileSync(key, `k${version}`);
    await clock.advance(10_000);
    expect(await source.load(neverAborted)).toMatchObject({
      clientCertificate: { certificate: `c${version}`, key: `k${version}` },
    });
  }
});

test("[KU8] in a pod the credential is the service account's token file, its CA and the address of the environment", async () => {
  using folder = openTempFolder();
  writeFileSync(join(folder.path, "namespace"), "flotilla\n");
  const environment = { KUBERNETES_SERVICE_HOST: "10.96.0.1", KUBERNETES_SERVICE_PORT: "443" };
  expect(isInCluster({ environment })).toBe(true);
  expect(await inClusterAccess({ environment, folder: folder.path })).toMatchObject({
    name: "in-cluster",
    server: new URL("https://10.96.0.1:443"),
    certificateAuthority: { kind: "file", path: join(folder.path, "ca.crt") },
    namespace: "flotilla",
    user: { tokenFile: join(folder.path, "token"), token: undefined },
    insecureSkipTlsVerify: false,
  });
  const ipv6 = { ...environment, KUBERNETES_SERVICE_HOST: "fd00::1", KUBERNETES_SERVICE_PORT: "6443" };
  expect((await inClusterAccess({ environment: ipv6, folder: folder.path })).server.host).toBe("[fd00::1]:6443");
  expect(isInCluster({ environment: {} })).toBe(false);
  await expect(inClusterAccess({ environment: {} })).rejects.toMatchObject({ code: "CONFIG_INVALID" });
  await expect(inClusterAccess({ environment, folder: "/none" })).rejects.toThrow("/none/namespace cannot be read");
});
