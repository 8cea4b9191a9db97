// SPDX-License-Identifier: Apache-2.0
// The connection to a cluster beside a real kube-apiserver: what it takes as a credential, and what it sends.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { systemClock } from "../../src/base/time/system-clock.ts";
import { type ClusterConnection, connectCluster } from "../../src/kube/connect-cluster.ts";
import { createTestAuthority } from "../../src/kube/connection/testing/certificates.ts";
import { startRelay } from "../../src/kube/connection/testing/relay.ts";
import { ask, failureOf, get, neverAborted, readText } from "../../src/kube/connection/testing/test-access.ts";
import { anonymousUser, type ClusterAccess, type UserAccess } from "../../src/kube/credentials/cluster-access.ts";
import { kubeconfigAccess } from "../../src/kube/credentials/load-kubeconfig.ts";
import { ObjectClient, type ObjectOutcome, objectOf } from "../../src/kube/object-client.ts";
import { describeOnKit } from "./describe-on-kit.ts";
import { type KubernetesCluster, startCluster } from "./start-cluster.ts";

describeOnKit("the connection", [], (kit) => {
  const folder = mkdtempSync(join(tmpdir(), "flotilla-kube-connection-"));
  const clients = createTestAuthority(systemClock.wallMs(), "clients of the kit");
  let cluster: KubernetesCluster;
  let admin: ClusterAccess;

  beforeAll(async () => {
    const clientCaFile = join(folder, "clients.crt");
    writeFileSync(clientCaFile, clients.ca);
    cluster = await startCluster({ kit, apiserverFlags: [`--client-ca-file=${clientCaFile}`] });
    admin = await kubeconfigAccess({ file: cluster.kubeconfigFile, environment: {} })();
  }, 60_000);

  afterAll(async () => {
    await cluster.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  function connect(changes: Partial<ClusterAccess> = {}): ClusterConnection {
    const access = { ...admin, ...changes };
    return connectCluster({ access, clock: systemClock, userAgent: "flotilla-agent/test", environment: {} });
  }

  async function whoAmI(user: UserAccess): Promise<unknown> {
    await using connection = connect({ user });
    const text = await ask(connection, "/apis/authentication.k8s.io/v1/selfsubjectreviews", {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: new TextEncoder().encode('{"apiVersion":"authentication.k8s.io/v1","kind":"SelfSubjectReview"}'),
    });
    return (JSON.parse(text) as { status: { userInfo: unknown } }).status.userInfo;
  }

  test("[KU6] client certificates, tokens, token files and impersonation say who we are", async () => {
    const { certificate, key } = clients.issueClient("jane", ["staff", "system:masters"]);
    const clientCertificate = {
      certificate: { kind: "inline", text: certificate },
      key: { kind: "inline", text: key },
    } as const;
    expect(await whoAmI({ ...anonymousUser, clientCertificate })).toMatchObject({
      username: "jane",
      groups: expect.arrayContaining(["staff", "system:masters"]),
    });
    expect(await whoAmI(admin.user)).toMatchObject({ username: "admin" });
    const tokenFile = join(folder, "token");
    writeFileSync(tokenFile, `${cluster.tokenOf("admin")}\n`);
    expect(await whoAmI({ ...anonymousUser, tokenFile })).toMatchObject({ username: "admin" });
    const impersonation = {
      user: "joe",
      uid: "7",
      groups: ["a", "b", "system:masters"],
      extra: new Map([["scope", ["x", "y"]]]),
    };
    expect(await whoAmI({ ...admin.user, impersonation })).toMatchObject({
      username: "joe",
      uid: "7",
      groups: expect.arrayContaining(["a", "b"]),
      extra: { scope: ["x", "y"] },
    });
  });

  test("[KU4] a wrong token is `unauthorized`, and what is not there `notFound`", async () => {
    await using wrong = connect({ user: { ...anonymousUser, token: "wrong-token" } });
    const error = await failureOf(ask(wrong, "/api/v1/pods"));
    expect(error).toMatchObject({ fault: "unauthorized", status: 401 });
    expect(String(error)).not.toContain("wrong-token");
    await using connection = connect();
    expect(await failureOf(ask(connection, "/api/v1/namespaces/none"))).toMatchObject({
      fault: "notFound",
      message: expect.stringContaining('namespaces "none" not found'),
    });
  });

  test("[R-16] another CA, and a server that is gone, are `tls` and `tcp`", async () => {
    const certificateAuthority = { kind: "inline", text: clients.ca } as const;
    await using stranger = connect({ certificateAuthority });
    expect(await failureOf(ask(stranger, "/livez"))).toMatchObject({ fault: "tls" });
    await using gone = connect({ server: new URL("https://127.0.0.1:1") });
    expect(await failureOf(ask(gone, "/livez"))).toMatchObject({ fault: "tcp" });
  });

  test("a long list comes compressed and is given whole", async () => {
    // The server compresses what has more than 128 KiB.
    const body = {
      apiVersion: "v1",
      kind: "ConfigMap",
      metadata: { name: "long" },
      data: { long: "flotilla ".repeat(50_000) },
    };
    await cluster.connect().ask("POST", "/api/v1/namespaces/default/configmaps", { body });
    await using connection = connect();
    const list = get("/api/v1/namespaces/default/configmaps");
    const answer = await connection.request(list, neverAborted);
    expect(answer.headers.get("content-encoding")).toBe("gzip");
    const text = await readText(answer);
    expect(JSON.parse(text)).toMatchObject({ kind: "ConfigMapList" });
    await using plain = connect({ disableCompression: true });
    const uncompressed = await plain.request(list, neverAborted);
    expect(uncompressed.headers.has("content-encoding")).toBe(false);
    expect((JSON.parse(await readText(uncompressed)) as { items: unknown[] }).items).toEqual(
      (JSON.parse(text) as { items: unknown[] }).items,
    );
  });

  test("[KU1] twenty watches go over one TCP connection, and each delivers", async () => {
    await using relay = await startRelay(Number(admin.server.port));
    await using connection = connect({ server: new URL(relay.url) });
    const list = JSON.parse(await ask(connection, "/api/v1/configmaps")) as { metadata: { resourceVersion: string } };
    const query = { watch: "1", resourceVersion: list.metadata.resourceVersion };
    const stop = new AbortController();
    const watches = await Promise.all(
      Array.from({ length: 20 }, () =>
        connection.request(get("/api/v1/configmaps", { query, isWatch: true }), stop.signal),
      ),
    );
    await cluster.connect().ask("POST", "/api/v1/namespaces/default/configmaps", {
      body: { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "seen-by-all" } },
    });
    for (const watch of watches) {
      let text = "";
      for await (const part of watch.body) {
        text += Buffer.from(part).toString();
        if (text.includes("\n")) break;
      }
      expect(JSON.parse(text.slice(0, text.indexOf("\n")))).toMatchObject({
        type: "ADDED",
        object: { metadata: { name: "seen-by-all" } },
      });
    }
    expect(relay.acceptedCount).toBe(1);
    stop.abort(new Error("done"));
  });

  test("the certificate authority may be a file", async () => {
    await using connection = connect({ certificateAuthority: { kind: "file", path: cluster.caFile } });
    expect(await ask(connection, "/livez")).toBe("ok");
    expect(readFileSync(cluster.caFile, "utf8")).toContain("BEGIN CERTIFICATE");
  });

  test("[AP45] single objects are created, applied, changed and deleted; refusals that callers decide by are values", async () => {
    await using source = connect();
    const client = new ObjectClient({ source, requestTimeoutMs: 10_000, maxBodyBytes: 1024 * 1024 });
    const ref = {
      resource: { group: "", version: "v1", resource: "configmaps" },
      namespace: "default",
      name: "object-client",
    };
    const configMap = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: ref.name } };
    const apply = (fieldManager: string, data: object, force = false): Promise<ObjectOutcome> =>
      client.apply(ref, { ...configMap, data }, { fieldManager, force }, neverAborted);
    expect(await client.get(ref, neverAborted)).toMatchObject({ kind: "notFound", error: { fault: "notFound" } });
    const applied = objectOf(await apply("first", { a: "1" }));
    expect(await client.create(ref, configMap, neverAborted)).toMatchObject({ kind: "conflict" });
    const contested = await apply("second", { a: "2" });
    expect(contested).toMatchObject({ kind: "conflict", error: { serverMessage: expect.stringContaining('"first"') } });
    expect(objectOf(await apply("second", { a: "2" }, true))).toMatchObject({ data: { a: "2" } });
    expect(await client.update(ref, { ...applied, data: { a: "3" } }, neverAborted)).toMatchObject({
      kind: "conflict",
    });
    expect(objectOf(await client.mergePatch(ref, { data: { b: "4" } }, neverAborted))).toMatchObject({
      data: { a: "2", b: "4" },
    });
    const { uid } = applied["metadata"] as { readonly uid: string };
    expect(await client.delete(ref, { uid: "another" }, neverAborted)).toMatchObject({ kind: "conflict" });
    expect(await client.delete(ref, { uid }, neverAborted)).toMatchObject({ kind: "ok" });
    expect(await client.delete(ref, { uid }, neverAborted)).toMatchObject({ kind: "notFound" });
  });
});
