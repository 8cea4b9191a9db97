// SPDX-License-Identifier: Apache-2.0
// kubectl on a playground cluster as `flotilla up` makes it, with the workloads of its scenario.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { stripVTControlCharacters } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { silentLogger } from "../../src/base/log.ts";
import { createSeededRandom } from "../../src/base/random.ts";
import { systemClock } from "../../src/base/time/system-clock.ts";
import { PlaygroundCluster } from "../../src/playground/playground-cluster.ts";
import { openTempFolder } from "../support/temp-folder.ts";
import { chooseKubectls } from "./kubectl/choose-kubectl.ts";
import { type KubectlResult, KubectlRunner } from "./kubectl/run-kubectl.ts";
import { watchLines } from "./kubectl/watch-lines.ts";

/** Each test takes seconds; the rest is for a machine that is busy otherwise. */
const limitMs = 240_000;

const chosen = chooseKubectls().filter(({ extent }) => extent === "whole");

describe.each([...chosen])("kubectl $kubectl.label on a playground cluster", ({ kubectl }) => {
  const folder = openTempFolder();
  let cluster: PlaygroundCluster;
  let runner: KubectlRunner;
  let url: string;

  /** The words are split at spaces. */
  const run = (words: string): Promise<KubectlResult> => runner.run(words.split(" "));
  const mustRun = async (words: string): Promise<string> => {
    const result = await run(words);
    expect(result, words).toMatchObject({ code: 0 });
    return result.stdout;
  };

  beforeAll(async () => {
    const options = { name: "tested", region: "north", port: 0, adminToken: "admin-token", seed: "kubectl" };
    const deps = { clock: systemClock, random: createSeededRandom("kubectl"), log: silentLogger };
    cluster = new PlaygroundCluster({ ...options, folder: join(folder.path, "cluster") }, deps);
    const { port, ca } = await cluster.start();
    url = `https://127.0.0.1:${port}`;
    const server = { url, ca, tokens: new Map([["admin", "admin-token"]]) };
    const place = { kubectl, server, folder: join(folder.path, "home"), cwd: folder.path };
    runner = new KubectlRunner({ ...place, namespace: "shop" });
    await mustRun("wait --for=condition=Available deployment --all --timeout=90s");
  }, limitMs);

  afterAll(async () => {
    await cluster.close();
    folder[Symbol.dispose]();
  });

  test("nodes are ready and workloads have their Pods", { timeout: limitMs }, async () => {
    const nodes = await mustRun("get nodes --no-headers");
    expect(nodes.trimEnd().split("\n").length).toBeGreaterThan(1);
    for (const line of nodes.trimEnd().split("\n")) expect(line).toMatch(/^tested-node-\d+ +Ready /);
    expect(await mustRun("rollout status daemonset/node-exporter -n kube-system --timeout=90s")).toContain(
      'daemon set "node-exporter" successfully rolled out',
    );
    expect(await mustRun("rollout status statefulset/catalog-db --timeout=90s")).toContain("roll out complete");
    expect(await mustRun("describe service storefront")).toMatch(/^Endpoints: +10\.\d+\.\d+\.\d+:8080/m);
    expect(await mustRun("get service storefront")).toMatch(/LoadBalancer +\S+ +203\.0\.113\.\d+/);
  });

  test("logs are lines that go on", { timeout: limitMs }, async () => {
    expect((await mustRun("logs deployment/storefront --tail=3")).trimEnd().split("\n")).toHaveLength(3);
    const stamped = await mustRun("logs deployment/storefront --tail=1 --timestamps");
    expect(stamped).toMatch(/^\d{4}-\d\d-\d\dT\S+Z \S/);
    await using followed = watchLines(runner, ["logs", "-f", "deployment/storefront", "--tail=1"]);
    expect(await followed.next()).not.toBe("");
    const missing = await run("logs nosuch");
    expect(missing.code).toBe(1);
    expect(missing.stderr).toContain('pods "nosuch" not found');
  });

  test("a restart is rolled out, and its history told", { timeout: limitMs }, async () => {
    await mustRun("rollout restart deployment/catalog");
    expect(await mustRun("rollout status deployment/catalog --timeout=90s")).toContain(
      'deployment "catalog" successfully rolled out',
    );
    expect(await mustRun("rollout history deployment/catalog")).toMatch(/^2 +<none>$/m);
  });

  test("a Job made from a CronJob completes", { timeout: limitMs }, async () => {
    await mustRun("create job once --from=cronjob/image-cleanup");
    await mustRun("wait --for=condition=complete job/once --timeout=90s");
    expect(await mustRun("get job once --no-headers")).toMatch(/^once +Complete +1\/1 /);
  });

  test("a drained node has no Pods but those of DaemonSets", { timeout: limitMs }, async () => {
    const node = "tested-node-1";
    await mustRun(`drain ${node} --ignore-daemonsets --delete-emptydir-data --timeout=90s`);
    const left = await mustRun(`get pods -A --field-selector spec.nodeName=${node} -o name`);
    expect(left.trimEnd().split("\n")).toEqual([expect.stringMatching(/^pod\/node-exporter-/)]);
    expect(await mustRun(`get node ${node} --no-headers`)).toContain("Ready,SchedulingDisabled");
    await mustRun(`uncordon ${node}`);
  });

  test("[AP20] drain waits for a PodDisruptionBudget, and goes on without it", { timeout: limitMs }, async () => {
    const node = (await mustRun("get pod catalog-db-0 -o jsonpath={.spec.nodeName}")).trim();
    await mustRun("create poddisruptionbudget all --max-unavailable=0 --selector=app.kubernetes.io/name=catalog-db");
    await mustRun("wait --for=jsonpath={.status.observedGeneration}=1 pdb/all --timeout=90s");
    const drain = `drain ${node} --ignore-daemonsets --pod-selector=app.kubernetes.io/name=catalog-db`;
    const refused = await run(`${drain} --timeout=1s`);
    expect(refused.stderr).toContain("Cannot evict pod as it would violate the pod's disruption budget.");
    expect(await mustRun("get pod catalog-db-0 -o jsonpath={.metadata.deletionTimestamp}")).toBe("");
    await mustRun("delete poddisruptionbudget all");
    await mustRun(`${drain} --timeout=90s`);
    await mustRun(`uncordon ${node}`);
  });

  test("custom resources of Flux, Istio and Argo CD live", { timeout: limitMs }, async () => {
    // A drain makes workloads unavailable for a while, and a Kustomization waits for them.
    await mustRun("wait --for=condition=Ready kustomizations --all -n flux-system --timeout=90s");
    const printed = await mustRun("get kustomizations,virtualservices,applications -A --no-headers");
    expect(printed).toMatch(/kustomization\.kustomize\.toolkit\.fluxcd\.io\/\S+ +\S+ +True/);
    expect(printed).toContain("virtualservice.networking.istio.io/");
    expect(printed).toContain("application.argoproj.io/");
  });

  test("[S-47] cluster-info tells the address of the server", { timeout: limitMs }, async () => {
    // In colours, whoever reads.
    expect(stripVTControlCharacters(await mustRun("cluster-info"))).toContain(`control plane is running at ${url}\n`);
  });

  test("[S-48] can-i is yes for the admin, and no for whoever may only look", { timeout: limitMs }, async () => {
    await mustRun("create clusterrolebinding viewers --clusterrole=view --user=viewer");
    const config = JSON.parse(await mustRun("config view --raw -o json")) as { users: { user: object }[] };
    for (const entry of config.users) Object.assign(entry.user, { as: "viewer" });
    const restricted = join(folder.path, "viewer.kubeconfig");
    writeFileSync(restricted, JSON.stringify(config), { mode: 0o600 });
    expect(await run("auth can-i * *")).toMatchObject({ code: 0, stdout: "yes\n" });
    expect(await run(`auth can-i * * --kubeconfig ${restricted}`)).toMatchObject({ code: 1, stdout: "no\n" });
    expect(await run(`auth can-i list pods --kubeconfig ${restricted}`)).toMatchObject({ code: 0, stdout: "yes\n" });
  });

  test("[S-51] api-resources lists what every cluster has and what was added", { timeout: limitMs }, async () => {
    await mustRun(`apply -f ${join(import.meta.dirname, "kubectl", "manifests", "widget-crd.yaml")}`);
    await mustRun("wait --for=condition=Established crd/widgets.example.com --timeout=90s");
    const names = (await mustRun("api-resources -o name")).trimEnd().split("\n");
    const wanted = ["deployments.apps", "services", "configmaps", "secrets", "widgets.example.com"];
    expect(names).toEqual(expect.arrayContaining(wanted));
    expect(await mustRun("api-resources --api-group=example.com --no-headers")).toMatch(
      /^widgets +wd +example\.com\/v1 /,
    );
  });

  test("[AP19] create token makes a credential that survives a restart", { timeout: limitMs }, async () => {
    await mustRun("create serviceaccount robot");
    await mustRun("create rolebinding robot --clusterrole=view --serviceaccount=shop:robot");
    const token = (await mustRun("create token robot --duration=10m")).trimEnd();
    const robot = `--kubeconfig ${join(folder.path, "robot.kubeconfig")}`;
    const config = JSON.parse(await mustRun("config view --raw -o json")) as { users: { user: object }[] };
    const users = config.users.map((each) => ({ ...each, user: { token } }));
    writeFileSync(join(folder.path, "robot.kubeconfig"), JSON.stringify({ ...config, users }), { mode: 0o600 });
    // Not `auth whoami`: kubectl 1.27 asks for a version of it that servers no longer have.
    const named = await run(`get secrets -n kube-system ${robot}`);
    expect(named.stderr).toContain('User "system:serviceaccount:shop:robot" cannot list resource "secrets"');
    await cluster.stop();
    await cluster.start();
    expect(await mustRun(`get pods -n shop -o name ${robot}`)).toContain("pod/");
    const refused = await run(`create token robot ${robot}`);
    expect(refused.stderr).toContain('cannot create resource "serviceaccounts/token"');
    await mustRun("delete serviceaccount robot");
    expect((await run(`get pods -n shop ${robot}`)).stderr).toContain("Unauthorized");
  });
});
