// SPDX-License-Identifier: Apache-2.0
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { Code, ConnectError } from "@connectrpc/connect";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { openTempFolder } from "../../../test/support/temp-folder.ts";
import { untilAborted } from "../../base/abort.ts";
import { FlotillaError } from "../../base/error.ts";
import type { ImportClusterRequest } from "../../gen/flotilla/fleet/v1/fleet_pb.ts";
import { parseImportedKubeconfig, resolveImportedContext } from "../../kube/credentials/imported-kubeconfig.ts";
import { createErrorTransport } from "../../rpc/client/error-transport.ts";
import { fakeCluster, fakeFleetCall } from "../testing/fake-fleet.ts";
import { type ImportOptions, importClusters } from "./cluster-import.ts";
import { type ImportChoice, planImports } from "./plan-imports.ts";

const nothing: ImportChoice = {
  kubeconfig: undefined,
  context: undefined,
  allContexts: undefined,
  as: undefined,
  idTemplate: undefined,
};

const plain: ImportOptions = { metadata: { region: "", environment: "", labels: [] }, createAccount: undefined };

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

describe("imports", () => {
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

  const refusedIds = new Set<string>();

  /** What the hub was asked, and what was said. */
  async function run(choice: Partial<ImportChoice>, options: Partial<ImportOptions> = {}) {
    const requests: ImportClusterRequest[] = [];
    const fake = fakeFleetCall({
      clusters: {
        importCluster: (request) => {
          requests.push(request);
          if (refusedIds.has(request.id)) throw new ConnectError("no such host", Code.Unavailable);
          return request.isCheck ? {} : { cluster: fakeCluster({ id: request.id }) };
        },
      },
    });
    const { stdout, stderr, stop } = fake;
    const transport = createErrorTransport(fake.call.transport, { url: "https://hub", timeoutMs: 10_000 });
    const call = { ...fake.call, transport };
    const plan = await planImports({ ...nothing, kubeconfig, ...choice }, {});
    const work = async (): Promise<void> => importClusters(call, plan, { ...plain, ...options });
    return { requests, stdout, stderr, stop, work };
  }

  async function accessOf(choice: Partial<ImportChoice>) {
    const { requests, work } = await run(choice);
    await work();
    const sent = await parseImportedKubeconfig("sent", requests[0]?.kubeconfig ?? "");
    return resolveImportedContext(sent);
  }

  afterEach(() => refusedIds.clear());

  const inline = (text: string): object => ({ kind: "inline", text });

  test("[IN18] the hub gets server, authority and the token of the account, and nothing of the operator's credential", async () => {
    const seen: unknown[] = [];
    const { requests, work, stdout } = await run(
      { context: "prod-exec" },
      {
        createAccount: async (access) => {
          seen.push(access.user.exec?.command);
          return { text: "account-token", expiresAt: undefined };
        },
      },
    );
    await work();
    expect(stdout()).toBe("prod-exec is imported\n");
    expect(seen).toEqual(["aws"]);
    expect(requests.map(({ isCheck }) => isCheck)).toEqual([true, false]);
    expect(requests[0]?.kubeconfig).not.toContain("account-token");
    const { user, certificateAuthority, server } = resolveImportedContext(
      await parseImportedKubeconfig("sent", requests[1]?.kubeconfig ?? ""),
    );
    expect([server.href, certificateAuthority]).toEqual(["https://c.example.com:6443/base", inline("CA")]);
    expect(user).toMatchObject({ token: "account-token", exec: undefined, clientCertificate: undefined });
  });

  test("[IN18] a cluster that the hub would refuse is left as it is", async () => {
    refusedIds.add("prod-exec");
    const createAccount = () => expect.unreachable("nothing is made in the cluster");
    const { work } = await run({ context: "prod-exec" }, { createAccount });
    await expect(work()).rejects.toThrow("no such host");
  });

  test("[IN20] a failure after the account was made says what stays and how it is removed; the others go on", async () => {
    const { work, stdout, stderr } = await run(
      { context: "prod-*e*" },
      {
        createAccount: async ({ name }, onMade) => {
          onMade();
          if (name === "prod-exec") throw new FlotillaError("UNAVAILABLE", "the service account cannot be created: x");
          return { text: "t", expiresAt: "2027-01-01T00:00:00Z" };
        },
      },
    );
    await expect(work()).rejects.toThrow(/^2 of 5 clusters were not imported$/);
    expect(stdout()).toContain("prod-cert is imported\n");
    expect(stderr()).toContain(
      "prod-exec: the service account cannot be created: x; its service account may remain, delete it with: kubectl --context 'prod-exec' delete namespace/flotilla-import clusterrole/flotilla-import clusterrolebinding/flotilla-import --ignore-not-found\n",
    );
    expect(stderr()).toContain("prod-cert its token expires at 2027-01-01T00:00:00Z; import it again before that");
  });

  test("[IN20] when it is stopped nothing more is begun, and what was done is said", async () => {
    const { work, stderr, stop } = await run(
      { context: "prod-*" },
      {
        createAccount: async ({ name }, onMade, signal) => {
          onMade();
          if (name === "prod-cert") return { text: "t", expiresAt: undefined };
          if (name === "prod-exec") stop.abort(new Error("Ctrl-C"));
          return untilAborted(signal);
        },
      },
    );
    await work();
    expect(stderr()).toMatch(/prod-exec: stopped; its service account may remain/);
    expect(stderr()).toMatch(/stopped: \d of 5 clusters were imported/);
  });

  test("[KU7] with the context's own credential every file of it becomes part of it, so that a hub takes it as it is", async () => {
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

  test("[IN19] every context that fits is imported, and another id than its name is said before", async () => {
    const choice = { allContexts: "*@c" };
    const metadata = { region: "eu", environment: "", labels: ["tier=gold", "note=a=b"] };
    const { requests, work, stderr } = await run(choice, { metadata });
    await work();
    expect(requests).toMatchObject([{ id: "basic-c", region: "eu", labels: { tier: "gold", note: "a=b" } }]);
    expect(stderr()).toBe("flotilla: context Basic@c becomes cluster basic-c\n");
  });

  test.each<[Partial<ImportChoice>, RegExp]>([
    [{ context: "prod-exec" }, /an exec plugin \(exec\), which a hub does not run; give it a token/],
    [{ context: "prod-provider" }, /an auth provider \(auth-provider\), which a hub does not run/],
    [{ context: "prod-gone" }, /names .*nowhere as tokenFile, which cannot be read/],
    [{ context: "none" }, /has no context "none"; it has "prod-cert"/],
    [{ context: "prod-cert", allContexts: "*" }, /exclude each other/],
    [{ allContexts: "stage-*" }, /no context matches "stage-\*"/],
    [{ context: "stage-*" }, /no context matches "stage-\*"/],
    [{ allContexts: "prod-*", as: "one" }, /--as names one cluster, but 5 contexts were chosen/],
    [{ context: "prod-*", idTemplate: "x" }, /--id-template "x" must contain a part/],
    [{ kubeconfig: "nowhere.yaml" }, /nowhere\.yaml does not exist/],
  ])("%j is refused", async (choice, sentence) => {
    const refusal = await run(choice)
      .then(({ work }) => work())
      .catch((reason: unknown) => reason);
    expect(refusal).toBeInstanceOf(FlotillaError);
    expect(refusal).toMatchObject({ code: "CONFIG_INVALID", message: expect.stringMatching(sentence) as unknown });
  });

  test("[L14] one that the hub refuses keeps no other from being imported; one alone fails with the hub's own sentence", async () => {
    refusedIds.add("prod-cert");
    const several = await run({ context: "prod-*" });
    await expect(several.work()).rejects.toThrow("4 of 5 clusters were not imported");
    expect(several.stdout()).toBe("prod-file is imported\n");
    expect(several.stderr()).toContain("prod-cert: no such host");
    const alone = await run({ context: "prod-cert" });
    await expect(alone.work()).rejects.toThrow("no such host");
  });
});
