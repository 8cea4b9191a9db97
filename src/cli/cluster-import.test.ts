// SPDX-License-Identifier: Apache-2.0
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { Code, ConnectError } from "@connectrpc/connect";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { openTempFolder } from "../../test/support/temp-folder.ts";
import { FlotillaError } from "../base/error.ts";
import { parseRestrictedKubeconfig, resolveRestrictedContext } from "../kube/credentials/restricted-kubeconfig.ts";
import { type ImportChoice, importClusters, prepareImports } from "./cluster-import.ts";
import { fakeCluster, fakeFleetCall } from "./testing/fake-fleet.ts";

const nothing: ImportChoice = {
  kubeconfig: undefined,
  context: undefined,
  allContexts: undefined,
  as: undefined,
  region: "",
  environment: "",
  labels: [],
};

const exec = { apiVersion: "client.authentication.k8s.io/v1", command: "aws", interactiveMode: "Never" };

const config = {
  clusters: [{ name: "c", cluster: { server: "https://c.example.com:6443/base", "certificate-authority": "ca.pem" } }],
  users: [
    {
      name: "cert",
      user: { "client-certificate": "me.crt", "client-key": "me.key", as: "jane", "as-groups": ["dev"] },
    },
    { name: "file", user: { tokenFile: "token", token: "older" } },
    { name: "basic", user: { username: "ann", password: "secret" } },
    { name: "exec", user: { exec } },
    { name: "provider", user: { "auth-provider": { name: "gcp" } } },
    { name: "gone", user: { tokenFile: "nowhere" } },
  ],
  contexts: ["cert", "file", "basic", "exec", "provider", "gone"].map((user) => ({
    name: user === "basic" ? "Basic@c" : `prod-${user}`,
    context: { cluster: "c", user },
  })),
  "current-context": "prod-cert",
};

describe("prepared imports", () => {
  let folder: ReturnType<typeof openTempFolder>;
  let kubeconfig: string;

  beforeEach(() => {
    folder = openTempFolder();
    kubeconfig = join(folder.path, "config");
    writeFileSync(kubeconfig, JSON.stringify(config));
    const files = { "ca.pem": "CA", "me.crt": "CERTIFICATE", "me.key": "KEY", token: "t0ken\n" };
    for (const [name, text] of Object.entries(files)) writeFileSync(join(folder.path, name), text);
  });

  afterEach(() => folder[Symbol.dispose]());

  async function accessOf(choice: Partial<ImportChoice>) {
    const [prepared] = await prepareImports({ ...nothing, kubeconfig, ...choice }, {});
    const sent = await parseRestrictedKubeconfig("sent", prepared?.kubeconfig ?? "");
    return resolveRestrictedContext(sent);
  }

  const inline = (text: string): object => ({ kind: "inline", text });

  test("[KU7] every file of a context becomes part of it, so that a hub takes it as it is", async () => {
    expect(await accessOf({})).toMatchObject({
      name: "prod-cert",
      server: new URL("https://c.example.com:6443/base"),
      certificateAuthority: inline("CA"),
      user: {
        clientCertificate: { certificate: inline("CERTIFICATE"), key: inline("KEY") },
        impersonation: { user: "jane", groups: ["dev"] },
      },
    });
  });

  test("[KU6] a token file goes before a token, and basic auth stays", async () => {
    expect((await accessOf({ context: "prod-file" })).user).toMatchObject({ token: "t0ken", basicAuth: undefined });
    const basic = await accessOf({ context: "Basic@c", as: "basic" });
    expect(basic.user).toMatchObject({ token: undefined, basicAuth: { username: "ann", password: "secret" } });
  });

  test("every context that fits is prepared, and the kubeconfig of the environment is the default", async () => {
    const choice = { ...nothing, allContexts: "prod-*e*t", region: "eu", labels: ["tier=gold", "note=a=b"] };
    const all = await prepareImports(choice, { KUBECONFIG: kubeconfig });
    expect(all).toMatchObject([{ id: "prod-cert", region: "eu", labels: { tier: "gold", note: "a=b" } }]);
  });

  test.each<[Partial<ImportChoice>, RegExp]>([
    [{ context: "prod-exec" }, /an exec plugin \(exec\), which a hub does not run; give it a token/],
    [{ context: "prod-provider" }, /an auth provider \(auth-provider\), which a hub does not run/],
    [{ context: "prod-gone" }, /names .*nowhere as tokenFile, which cannot be read/],
    [{ context: "Basic@c" }, /context "Basic@c" is no name for a cluster.*; name it with --as/],
    [{ context: "none" }, /has no context "none"; it has "prod-cert"/],
    [{ context: "prod-cert", allContexts: "*" }, /exclude each other/],
    [{ allContexts: "stage-*" }, /no context fits --all-contexts "stage-\*"/],
    [{ allContexts: "prod-*", as: "one" }, /--as names one cluster, but 5 contexts were chosen/],
    [{ allContexts: "*" }, /"Basic@c".*import it alone and name it with --as/],
    [{ kubeconfig: "nowhere.yaml" }, /nowhere\.yaml is not there/],
  ])("%j is refused", async (choice, sentence) => {
    const refusal = await prepareImports({ ...nothing, kubeconfig, ...choice }, {}).catch((reason: unknown) => reason);
    expect(refusal).toBeInstanceOf(FlotillaError);
    expect(refusal).toMatchObject({ code: "CONFIG_INVALID", message: expect.stringMatching(sentence) as unknown });
  });
});

const prepared = ["west", "east", "north"].map((id) => ({
  id,
  kubeconfig: "{}",
  region: "",
  environment: "",
  labels: {},
}));

test("[L14] one that the hub refuses keeps no other from being imported", async () => {
  const { call, stdout, stderr } = fakeFleetCall({
    clusters: {
      importCluster: ({ id }) => {
        if (id === "east") throw new ConnectError("no such host", Code.Unavailable);
        return { cluster: fakeCluster({ id }) };
      },
    },
  });
  await expect(importClusters(call, prepared)).rejects.toThrow("1 of 3 clusters were not imported");
  expect(stdout()).toBe("north is imported\nwest is imported\n");
  expect(stderr()).toContain("east: ");
});

test("one alone fails with the hub's own sentence", async () => {
  const { call, stdout } = fakeFleetCall({
    clusters: {
      importCluster: () => {
        throw new ConnectError("nothing was imported", Code.InvalidArgument);
      },
    },
  });
  await expect(importClusters(call, prepared.slice(0, 1))).rejects.toThrow("nothing was imported");
  expect(stdout()).toBe("");
});
