// SPDX-License-Identifier: Apache-2.0
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { openTempFolder } from "../../../test/support/temp-folder.ts";
import { matchGlob } from "../../base/match-glob.ts";
import { loadKubeconfig } from "./load-kubeconfig.ts";
import { type KubeconfigFile, parseKubeconfig, resolveContext, selectContexts } from "./parse-kubeconfig.ts";

const base64 = (text: string): string => Buffer.from(text).toString("base64");

function kubeconfig(
  path: string,
  parts: { clusters?: unknown; users?: unknown; contexts?: unknown; current?: string },
): KubeconfigFile {
  const document = {
    apiVersion: "v1",
    kind: "Config",
    clusters: parts.clusters ?? [{ name: "c", cluster: { server: "https://10.0.0.1:6443" } }],
    users: parts.users ?? [{ name: "u", user: { token: "t" } }],
    contexts: parts.contexts ?? [{ name: "x", context: { cluster: "c", user: "u" } }],
    "current-context": parts.current ?? "x",
  };
  return { path, text: JSON.stringify(document) };
}

const one = async (cluster: unknown, user: unknown = { token: "t" }) =>
  resolveContext(
    await parseKubeconfig([
      kubeconfig("/home/me/config", { clusters: [{ name: "c", cluster }], users: [{ name: "u", user }] }),
    ]),
  );

const server = "https://10.0.0.1:6443";

describe("one kubeconfig", () => {
  test("[KU6] YAML with everything a context can say", async () => {
    const text = `
apiVersion: v1
kind: Config
preferences: {}
current-context: prod
clusters:
- name: c
  cluster:
    server: https://api.example.com:6443/prefix
    certificate-authority-data: ${base64("CA PEM")}
    tls-server-name: inner.example.com
    proxy-url: http://proxy:3128
    disable-compression: true
    extensions:
    - name: client.authentication.k8s.io/exec
      extension: {audience: mine}
users:
- name: u
  user:
    client-certificate: certs/client.crt
    client-key-data: ${base64("KEY PEM")}
    as: jane
    as-groups: [staff]
    as-user-extra: {Scope: [a, b]}
    exec:
      apiVersion: client.authentication.k8s.io/v1
      command: ./bin/login
      args: [--cluster, c]
      env: [{name: A, value: b}]
      interactiveMode: IfAvailable
      provideClusterInfo: true
contexts:
- name: prod
  context: {cluster: c, user: u, namespace: shop}
`;
    const access = resolveContext(await parseKubeconfig([{ path: "/home/me/.kube/config", text }]));
    expect(access).toEqual({
      name: "prod",
      server: new URL("https://api.example.com:6443/prefix"),
      tlsServerName: "inner.example.com",
      insecureSkipTlsVerify: false,
      certificateAuthority: { kind: "inline", text: "CA PEM" },
      proxyUrl: new URL("http://proxy:3128"),
      disableCompression: true,
      namespace: "shop",
      isRestricted: false,
      user: {
        clientCertificate: {
          certificate: { kind: "file", path: "/home/me/.kube/certs/client.crt" },
          key: { kind: "inline", text: "KEY PEM" },
        },
        token: undefined,
        tokenFile: undefined,
        basicAuth: undefined,
        impersonation: { user: "jane", uid: undefined, groups: ["staff"], extra: new Map([["scope", ["a", "b"]]]) },
        exec: {
          apiVersion: "client.authentication.k8s.io/v1",
          command: "/home/me/.kube/bin/login",
          args: ["--cluster", "c"],
          env: [{ name: "A", value: "b" }],
          provideClusterInfo: true,
          installHint: "",
          clusterConfig: { audience: "mine" },
        },
      },
    });
  });

  test("[KU6] inline bytes go before a file, a bare command is left to PATH, and a server without scheme has TLS", async () => {
    const access = await one(
      { server: "10.0.0.1:6443", "certificate-authority": "/ca", "certificate-authority-data": base64("inline") },
      { exec: { apiVersion: "client.authentication.k8s.io/v1beta1", command: "aws" }, tokenFile: "token" },
    );
    expect(access.certificateAuthority).toMatchObject({ kind: "inline", text: "inline" });
    expect(access.server.href).toBe("https://10.0.0.1:6443/");
    expect(access.user).toMatchObject({ exec: { command: "aws" }, tokenFile: "/home/me/token" });
  });

  const user = (fields: unknown) => [{ server }, fields] as const;
  const exec = (fields: object) =>
    user({
      exec: { apiVersion: "client.authentication.k8s.io/v1", command: "x", interactiveMode: "Never", ...fields },
    });
  test.each([
    [[{}], 'cluster "c": server is missing'],
    [[{ server: "ftp://x" }], 'cluster "c": server is not a URL'],
    [[{ server: "https://me:secret@x" }], 'cluster "c": server holds a user or password'],
    [[{ server: 7 }], 'cluster "c": server must be text'],
    [[{ server, "certificate-authority-data": "no base64!" }], "certificate-authority-data must be base64"],
    [[{ server, "insecure-skip-tls-verify": "yes" }], "insecure-skip-tls-verify must be true or false"],
    [
      [{ server, "insecure-skip-tls-verify": true, "certificate-authority": "/ca" }],
      "insecure-skip-tls-verify cannot be true",
    ],
    [[{ server, "proxy-url": "socks5://x" }], "proxy-url must be a URL with http:// or https://"],
    [["text"], 'cluster "c" must be a map'],
    [user({ token: 12_345 }), 'user "u": token must be text'],
    [user({ token: "t", username: "me" }), 'user "u": token cannot be combined with username'],
    [user({ "client-certificate": "/c" }), 'user "u": client-key is missing beside client-certificate'],
    [user({ "auth-provider": { name: "gcp" } }), 'user "u": auth-provider is no longer supported'],
    [user({ "as-groups": ["a"] }), 'user "u": as is missing'],
    [
      exec({ apiVersion: "client.authentication.k8s.io/v1alpha1" }),
      "exec.apiVersion must be client.authentication.k8s.io/v1 or",
    ],
    [exec({ command: "" }), "exec.command is missing"],
    [exec({ interactiveMode: "Always" }), "exec.interactiveMode is Always, but the program has no terminal"],
    [exec({ interactiveMode: null }), "exec.interactiveMode is missing"],
    [exec({ args: "x" }), "exec.args must be a list"],
    [exec({ env: [{ value: "x" }] }), "exec.env must be a list of maps"],
  ])("a mistake names file, entry and field: %j", async ([cluster, of], sentence) => {
    const failure = await one(cluster, of).catch((reason: unknown) => reason);
    expect(failure).toMatchObject({ code: "CONFIG_INVALID", message: expect.stringContaining(sentence) });
    expect(failure).toMatchObject({ message: expect.stringContaining("kubeconfig /home/me/config, ") });
    expect(String(failure)).not.toContain("secret");
  });

  test("all mistakes of a context are told at once, and those of other entries harm only their own contexts", async () => {
    const config = await parseKubeconfig([
      kubeconfig("f", {
        clusters: [
          { name: "c", cluster: { server } },
          { name: "bad", cluster: { server: 1, "tls-server-name": 2 } },
        ],
        contexts: [
          { name: "x", context: { cluster: "c", user: "u" } },
          { name: "y", context: { cluster: "bad", user: "nobody" } },
          { name: "z", context: {} },
        ],
      }),
    ]);
    expect(resolveContext(config, "x").server.href).toBe(`${server}/`);
    expect(() => resolveContext(config, "y")).toThrow(
      /server must be text.*tls-server-name must be text.*user is "nobody", but there is no such user/,
    );
    expect(() => resolveContext(config, "z")).toThrow(/cluster is missing/);
    expect(() => resolveContext(config, "w")).toThrow(/no context "w"; it has "x", "y", "z"/);
    expect(config.mistakes.length).toBe(3);
  });

  test.each([
    ["a: [", "is not YAML at line 1, column"],
    ["token: s3cret\n  bad: [s3cret", "is not YAML"],
    ["[1, 2]", "must be a map with clusters"],
    ["kind: Secret", "kind must be Config"],
    [`${"[".repeat(5_000)}${"]".repeat(5_000)}`, "nested too deeply"],
    [Array.from({ length: 300 }, (_, depth) => `${" ".repeat(depth)}a:`).join("\n"), "nested too deeply"],
    [`${"- ".repeat(2_000)}a`, "nested too deeply"],
    [
      Array.from({ length: 20 }, (_, i) => `a${i}: &a${i} [${`*a${i - 1},`.repeat(i === 0 ? 0 : 20)}1]`).join("\n"),
      "aliases",
    ],
  ])("text that is no kubeconfig is refused without showing it", async (text, sentence) => {
    const failure = await parseKubeconfig([{ path: "sent", text }]).catch((reason: unknown) => reason);
    expect(failure).toMatchObject({ code: "CONFIG_INVALID", message: expect.stringContaining(sentence) });
    expect(String(failure)).not.toContain("s3cret");
  });

  test("names that objects have by themselves are plain names", async () => {
    const named = ["__proto__", "constructor", "toString"].map((name) => ({ name, context: { cluster: "c" } }));
    const config = await parseKubeconfig([kubeconfig("f", { contexts: named, current: "__proto__" })]);
    expect(selectContexts(config, "*")).toEqual(["__proto__", "constructor", "toString"]);
    expect(resolveContext(config).name).toBe("__proto__");
    expect(() => resolveContext(config, "hasOwnProperty")).toThrow("no context");
  });
});

describe("several kubeconfigs", () => {
  test("the first file to name an entry or a current context wins, and paths start from their own file", async () => {
    const config = await parseKubeconfig([
      kubeconfig("/a/config", { contexts: [], current: "", users: [{ name: "u", user: { tokenFile: "t" } }] }),
      kubeconfig("/b/config", {
        clusters: [
          { name: "c", cluster: { server: "https://other", "tls-server-name": "other" } },
          { name: "d", cluster: { server: "https://d", "certificate-authority": "ca.crt" } },
        ],
        contexts: [{ name: "y", context: { cluster: "d", user: "u" } }],
        current: "y",
      }),
      kubeconfig("/c/config", {}),
    ]);
    const y = resolveContext(config);
    expect(y.certificateAuthority).toEqual({ kind: "file", path: "/b/ca.crt" });
    expect(y.user.tokenFile).toBe("/a/t");
    expect(resolveContext(config, "x")).toMatchObject({ server: new URL(server), tlsServerName: undefined });
  });

  test("of the files of KUBECONFIG missing ones are passed over; one that a flag names must be there", async () => {
    using folder = openTempFolder();
    const [a, home] = [join(folder.path, "a"), join(folder.path, ".kube", "config")];
    mkdirSync(join(folder.path, ".kube"));
    writeFileSync(a, kubeconfig("", { contexts: [{ name: "of-a", context: { cluster: "c" } }] }).text);
    writeFileSync(home, kubeconfig("", { contexts: [{ name: "of-home", context: { cluster: "c" } }] }).text);
    const named = await loadKubeconfig({
      environment: { KUBECONFIG: `${join(folder.path, "none")}:${a}:`, HOME: folder.path },
    });
    expect(selectContexts(named, "*")).toEqual(["of-a"]);
    expect(selectContexts(await loadKubeconfig({ environment: { HOME: folder.path } }), "*")).toEqual(["of-home"]);
    expect(selectContexts(await loadKubeconfig({ file: a, environment: { HOME: folder.path } }), "*")).toEqual([
      "of-a",
    ]);
    await expect(loadKubeconfig({ file: join(folder.path, "none"), environment: {} })).rejects.toMatchObject({
      code: "CONFIG_INVALID",
    });
    await expect(loadKubeconfig({ environment: { KUBECONFIG: "/none/a:/none/b" } })).rejects.toThrow(
      "no kubeconfig found at /none/a or /none/b",
    );
  });
});

test("contexts are chosen by a glob", async () => {
  const contexts = ["prod-eu", "prod-us", "prod", "dev", "a.b"].map((name) => ({ name, context: { cluster: "c" } }));
  const config = await parseKubeconfig([kubeconfig("f", { contexts })]);
  expect(selectContexts(config, "prod-*")).toEqual(["prod-eu", "prod-us"]);
  expect(selectContexts(config, "prod-?s")).toEqual(["prod-us"]);
  expect(selectContexts(config, "*o*")).toEqual(["prod", "prod-eu", "prod-us"]);
  expect(selectContexts(config, "a?b")).toEqual(["a.b"]);
  expect(selectContexts(config, "d.v")).toEqual([]);
  expect(selectContexts(config, "")).toEqual([]);
});

test("a glob of many stars takes no longer than it should", () => {
  expect(matchGlob("*a".repeat(200), "a".repeat(20_000))).toBe(true);
  expect(matchGlob(`${"*a".repeat(200)}b`, "a".repeat(20_000))).toBe(false);
});
