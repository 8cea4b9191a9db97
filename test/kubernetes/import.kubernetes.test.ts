// SPDX-License-Identifier: Apache-2.0
// A real cluster imported with an operator's credential that comes from a program; the hub is given a token of a
// service account alone.

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { eventually } from "../e2e/fleet/eventually.ts";
import { ImportingHub } from "../e2e/fleet/importing-hub.ts";
import { promptEnvironment, runProgram } from "../e2e/run-program.ts";
import { openTempFolder } from "../support/temp-folder.ts";
import { describeOnWholeRun } from "./describe-on-kit.ts";
import type { KubeClient } from "./kube-client.ts";
import { type KubernetesCluster, startCluster } from "./start-cluster.ts";

const context = "arn:aws:eks:eu-west-1:123456789012:cluster/prod";
const account = "system:serviceaccount:flotilla-import:flotilla-import";

describeOnWholeRun("importing a cluster", ["controllers"], (kit) => {
  const hub = new ImportingHub();
  const folder = openTempFolder();
  let cluster: KubernetesCluster;
  let admin: KubeClient;
  let kubeconfig = "";

  beforeAll(async () => {
    [cluster] = await Promise.all([
      startCluster({ kit, controllers: true, users: [{ name: "guest" }] }),
      hub.start("hub", "--allow-loopback-imports"),
    ]);
    admin = cluster.connect();
    kubeconfig = join(folder.path, "config");
    const userOf = (name: string): object => {
      const credential = {
        apiVersion: "client.authentication.k8s.io/v1",
        kind: "ExecCredential",
        status: { token: cluster.tokenOf(name) },
      };
      const args = [JSON.stringify(credential)];
      const apiVersion = "client.authentication.k8s.io/v1";
      return { name, user: { exec: { apiVersion, command: "echo", args, interactiveMode: "Never" } } };
    };
    const server = { server: cluster.url, "certificate-authority": cluster.caFile };
    const config = {
      clusters: [{ name: "real", cluster: server }],
      users: [userOf("admin"), userOf("guest")],
      contexts: [
        { name: context, context: { cluster: "real", user: "admin" } },
        { name: "guest", context: { cluster: "real", user: "guest" } },
      ],
      "current-context": context,
    };
    writeFileSync(kubeconfig, JSON.stringify(config));
  }, 60_000);

  afterAll(async () => {
    await hub.close();
    await cluster.stop();
    folder[Symbol.dispose]();
  });

  test("[IN18] [IN19] [IN20] of two contexts the one that may is imported, and the other says what it may not", async () => {
    const { code, stdout, stderr } = await hub.run("cluster", "import", "--kubeconfig", kubeconfig, "--context", "*");
    expect([code, stdout]).toEqual([4, "prod is imported\n"]);
    expect(stderr).toContain(`context ${context} becomes cluster prod\n`);
    expect(stderr).toMatch(
      /guest: the service account cannot be created: .*User "guest" cannot create resource "namespaces"/,
    );
    expect(stderr).not.toContain("may remain"); // nothing was made as the guest
    await hub.view.untilState("prod", "live");
    await hub.view.untilEqual("prod", admin);
    expect(hub.filesWith(cluster.tokenOf("admin"))).toEqual([]);
  });

  test("[IN18] its account reads what an agent collects and nothing else", async () => {
    const may = async (verb: string, resource: string): Promise<boolean> => {
      const spec = { user: account, resourceAttributes: { verb, resource, namespace: "default" } };
      const body = { apiVersion: "authorization.k8s.io/v1", kind: "SubjectAccessReview", spec };
      const review = await admin.ask("POST", "/apis/authorization.k8s.io/v1/subjectaccessreviews", { body });
      return (review as { status: { allowed: boolean } }).status.allowed;
    };
    expect(await may("list", "pods")).toBe(true);
    const refused = [
      ["get", "secrets"],
      ["create", "pods"],
      ["impersonate", "users"],
      ["delete", "namespaces"],
    ] as const;
    for (const [verb, resource] of refused) expect(await may(verb, resource), `${verb} ${resource}`).toBe(false);
  });

  test("[IN18] importing again changes nothing of the account and keeps the cluster", async () => {
    const uid = async (): Promise<unknown> =>
      (
        (await admin.ask("GET", "/api/v1/namespaces/flotilla-import/secrets/flotilla-import-token")) as {
          metadata: { uid: string };
        }
      ).metadata.uid;
    const before = await uid();
    const args = ["cluster", "import", "--kubeconfig", kubeconfig, "--context", context, "--object-reads"];
    expect(await hub.run(...args)).toMatchObject({ code: 0, stdout: "prod is imported\n" });
    expect(await uid()).toBe(before);
    await hub.view.untilState("prod", "live");
  });

  test("[IN21] what removal prints removes all of it, and the token is worth nothing then", async () => {
    const secret = (await admin.ask("GET", "/api/v1/namespaces/flotilla-import/secrets/flotilla-import-token")) as {
      data: { token: string };
    };
    const client = cluster.connectWith(Buffer.from(secret.data.token, "base64").toString());
    expect((await client.send("GET", "/api/v1/pods")).status).toBe(200);
    const { code, stderr } = await hub.run("cluster", "remove", "prod", "--yes");
    expect(code).toBe(0);
    const command = /delete them with: (kubectl .+)/.exec(stderr)?.[1] ?? "nothing was printed";
    const kubectl = `${kit.kubectl} --kubeconfig ${cluster.kubeconfigFile}`;
    const removed = await runProgram("bash", ["-c", command.replace("kubectl", kubectl)], {
      cwd: folder.path,
      env: promptEnvironment(),
    });
    expect([removed.code, removed.stderr]).toEqual([0, ""]);
    // The API server remembers for ten seconds that a token was good; until then the right alone is gone.
    await eventually(async () => expect((await client.send("GET", "/api/v1/pods")).status).toBe(401));
    for (const kind of ["clusterroles", "clusterrolebindings"]) {
      const path = `/apis/rbac.authorization.k8s.io/v1/${kind}/flotilla-import`;
      expect((await admin.send("GET", path)).status).toBe(404);
    }
  });

  test("a hub that takes no loopback address refuses before anything is made in the cluster", async () => {
    const plain = new ImportingHub();
    try {
      await plain.start("hub");
      const { code, stderr } = await plain.run("cluster", "import", "--kubeconfig", kubeconfig, "--context", context);
      expect([code, stderr]).toEqual([2, expect.stringContaining("start the hub with --allow-loopback-imports")]);
      expect((await admin.send("GET", "/api/v1/namespaces/flotilla-import")).status).toBe(404);
    } finally {
      await plain.close();
    }
  });
});
