// SPDX-License-Identifier: Apache-2.0
// A join URL applied by plain kubectl to an empty real cluster, the agent then run as its Pod would be; and what is
// said where each step fails.
import { generateKeyPairSync } from "node:crypto";
import { once } from "node:events";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createServer } from "node:tls";
import { createClient } from "@connectrpc/connect";
import { afterAll, beforeAll, expect, test } from "vitest";
import { bundleAgent, bundlePath } from "../../scripts/bundle-agent.ts";
import { root } from "../../scripts/project.ts";
import { silentLogger } from "../../src/base/log.ts";
import { systemClock } from "../../src/base/time/system-clock.ts";
import { JoinCodeService, type JoinStep } from "../../src/gen/flotilla/fleet/v1/join_pb.ts";
import { listOf, textMapOf, textsOf } from "../../src/kinds/fields.ts";
import { createServerCertificate } from "../../src/rpc/tls/certificate.ts";
import { openHubCa } from "../../src/rpc/tls/hub-ca.ts";
import { BackgroundProgram } from "../e2e/fleet/background-program.ts";
import { eventually } from "../e2e/fleet/eventually.ts";
import { type ProgramResult, promptEnvironment, runProgram } from "../e2e/run-program.ts";
import { issueAgentToken } from "./agent-account.ts";
import { describeOnWholeRun } from "./describe-on-kit.ts";
import type { KubeClient } from "./kube-client.ts";
import { RealFleet } from "./real-fleet.ts";
import { type KubernetesCluster, startCluster } from "./start-cluster.ts";

describeOnWholeRun("joining by URL", [], (kit) => {
  const fleet = new RealFleet();
  const agents: BackgroundProgram[] = [];
  let cluster: KubernetesCluster;
  let admin: KubeClient;

  beforeAll(async () => {
    [cluster] = await Promise.all([
      startCluster({ kit, users: [{ name: "guest" }] }),
      fleet.startHub({ isPublic: true }),
      bundleAgent(fleet.folder.path),
    ]);
    admin = cluster.connect();
    const bin = join(fleet.folder.path, "bin");
    mkdirSync(bin);
    const script = `#!/bin/sh\nexec '${kit.kubectl}' --kubeconfig '${cluster.kubeconfigFile}' "$@"\n`;
    writeFileSync(join(bin, "kubectl"), script, { mode: 0o755 });
  }, 60_000);

  afterAll(async () => {
    for (const agent of agents) await agent.end();
    await fleet.close();
    await cluster.stop();
  });

  interface Join {
    readonly id: string;
    readonly command: string;
    readonly url: string;
  }

  const create = async (id: string): Promise<Join> =>
    JSON.parse(await fleet.run("cluster", "join", id, "-o", "json")) as Join;

  /** The line as it stands, in a shell whose kubectl is that of the kit. */
  const run = (command: string): Promise<ProgramResult> =>
    runProgram("bash", ["-o", "pipefail", "-c", command], {
      cwd: fleet.folder.path,
      env: promptEnvironment([join(fleet.folder.path, "bin")]),
    });

  /**
   * The built agent as the Deployment says, with the files that a kubelet would mount, and its own token of the
   * ServiceAccount.
   */
  async function startAgent(
    name: string,
    changes: { readonly ca?: string; readonly joinToken?: string; readonly hub?: string } = {},
  ): Promise<BackgroundProgram> {
    const folder = join(fleet.folder.path, name);
    mkdirSync(folder);
    const namespaced = "/api/v1/namespaces/flotilla";
    const secret = await admin.ask("GET", `${namespaced}/secrets/flotilla-join-token`);
    const config = await admin.ask("GET", `${namespaced}/configmaps/flotilla-agent-hub-ca`);
    const deployment = await admin.ask("GET", "/apis/apps/v1/namespaces/flotilla/deployments/flotilla-agent");
    const token = Buffer.from(textMapOf(secret, "data").get("token") ?? "", "base64").toString();
    const files = {
      "join-token": changes.joinToken ?? token,
      "hub-ca.crt": changes.ca ?? textMapOf(config, "data").get("ca.crt") ?? "",
      token: await issueAgentToken(admin),
      namespace: "flotilla",
      "ca.crt": readFileSync(cluster.caFile, "utf8"),
    };
    for (const [file, text] of Object.entries(files)) writeFileSync(join(folder, file), text, { mode: 0o600 });
    const [container] = listOf(deployment, "spec", "template", "spec", "containers");
    const places = new Map([
      ["--ca-file", join(folder, "hub-ca.crt")],
      ["--join-token-file", join(folder, "join-token")],
      ["--admin-address", "127.0.0.1"],
      ["--admin-port", "0"],
      ...(changes.hub === undefined ? [] : ([["--hub", changes.hub]] as const)),
    ]);
    const args = textsOf(container, "args").map((word) => {
      const [flag = ""] = word.split("=");
      return places.has(flag) ? `${flag}=${places.get(flag)}` : word;
    });
    const agent = new BackgroundProgram({
      program: join(fleet.folder.path, bundlePath),
      cwd: folder,
      args: [...args, "--log-format=json"],
      nodeFlags: ["--import", join(root, "test/e2e/fleet/as-pod.ts")],
      variables: {
        ACCOUNT_FOLDER: folder,
        KUBERNETES_SERVICE_HOST: "127.0.0.1",
        KUBERNETES_SERVICE_PORT: new URL(cluster.url).port,
      },
    });
    agents.push(agent);
    return agent;
  }

  /** Until the step that the join is at is as it is asked for. */
  async function untilStep(id: string, isSo: (step: JoinStep) => boolean): Promise<JoinStep> {
    for await (const { steps } of createClient(JoinCodeService, fleet.hub.transport).watchJoin({ id })) {
      const step = steps.find(({ state }) => state !== "done") ?? steps.at(-1);
      if (step !== undefined && isSo(step)) return step;
    }
    throw new Error("the stream ended before");
  }

  const hintsOf = ({ hints }: JoinStep): string => hints.map(({ sentence }) => sentence).join("\n");

  test("[IN16] RBAC: whoever may not create ClusterRoles is told by kubectl, and the step that waits names it", async () => {
    const { id, command } = await create("rbac");
    const { code, stderr } = await run(command.replace("kubectl apply", "kubectl --context guest apply"));
    expect([code === 0, stderr]).toEqual([false, expect.stringContaining("forbidden")]);
    const step = await untilStep(id, ({ name }) => name === "registered");
    expect(hintsOf(step)).toContain("if kubectl apply reported Forbidden");
  });

  test("[IN13] [IN15] applied to an empty cluster, its agent is live within seconds with the rights of the manifest", async () => {
    const { id, command, url } = await create("east");
    const { code, stdout, stderr } = await run(command);
    expect([code, stderr]).toEqual([0, ""]);
    expect(stdout).toContain("secret/flotilla-join-token created\n");
    expect(stdout).toContain("deployment.apps/flotilla-agent created\n");
    // Nothing pulls the image here: the step that waits says how to see that.
    const waiting = await untilStep(id, ({ name }) => name === "registered");
    expect(hintsOf(waiting)).toMatch(/^Image: ErrImagePull or ImagePullBackOff/);
    expect(waiting.hints[0]?.command).toBe("kubectl -n flotilla describe pod -l app.kubernetes.io/name=flotilla-agent");
    await startAgent("east");
    expect(await untilStep(id, ({ name, state }) => name === "live" && state === "done")).toMatchObject({
      sentence: "east is live.",
    });
    await fleet.hub.untilEqual("east", admin);
    // After the first session the URL is worth nothing.
    const again = await run(`curl -sk '${url}'`);
    expect(again.stdout).toContain("this join URL is unknown, expired or used");
  });

  test("[IN17] TLS: an agent that does not trust the hub is seen by its address, and its log says why", async () => {
    const { id } = await create("tls");
    const seen = untilStep(id, (step) => hintsOf(step).includes("TLS handshake"));
    const ca = readFileSync(cluster.caFile, "utf8");
    const agent = await startAgent("tls", { ca });
    expect(hintsOf(await seen)).toMatch(/TLS handshakes? from 127\.0\.0\.1 failed: the client closed the connection/);
    await eventually(() => expect(agent.stderr).toContain("is not signed by the CA given"));
    await agent.end();
  });

  test("egress: an agent that does not reach the hub says so in its log, where the step that waits points to", async () => {
    const agent = await startAgent("egress", { hub: "https://127.0.0.1:1" });
    await eventually(() => expect(agent.stderr).toContain("cannot be reached: nothing listens there"));
    await agent.end();
  });

  test("clock: an agent for which the hub's certificate is not valid yet says so in its log, where the step that waits points to", async () => {
    const tls = join(fleet.folder.path, "hub", "tls");
    const authority = await openHubCa({ folder: tls, clock: systemClock, log: silentLogger });
    const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
    const notBeforeMs = systemClock.wallMs() + 3_600_000; // as if the agent's clock were an hour behind
    const validity = { notBeforeMs, notAfterMs: notBeforeMs + 3_600_000 };
    const cert = createServerCertificate(authority.issuer, { names: ["127.0.0.1"], publicKey, validity });
    const key = privateKey.export({ type: "pkcs8", format: "pem" });
    const server = createServer({ cert, key, ALPNProtocols: ["h2"] }).listen(0, "127.0.0.1");
    server.on("tlsClientError", () => undefined); // the agent ends the handshake
    await once(server, "listening");
    const address = server.address();
    const port = typeof address === "object" && address !== null ? address.port : 0;
    const agent = await startAgent("clock", { hub: `https://127.0.0.1:${port}` });
    await eventually(() => expect(agent.stderr).toContain("is not valid now; check both machines' clocks"));
    await agent.end();
    server.close();
  });

  test("[IN16] a refused join token stops the step with the hub's reason", async () => {
    // The key of the cluster that joined before is not of this one.
    await admin.send("DELETE", "/api/v1/namespaces/flotilla/secrets/flotilla-agent-key");
    const { id, command } = await create("west");
    expect((await run(command)).code).toBe(0);
    const agent = await startAgent("west", { joinToken: `flt_${"0".repeat(20)}_${"A".repeat(43)}` });
    const step = await untilStep(id, ({ state }) => state === "stopped");
    expect(step).toMatchObject({ name: "registered" });
    expect(step.sentence).toContain("the join token is unknown or revoked; ask for a new one");
    await agent.end();
  });
});
