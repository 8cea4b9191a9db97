// SPDX-License-Identifier: Apache-2.0
// A hub and agents as processes of their own beside real clusters; agents use the rights that `flotilla agent manifest`
// gives.
import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createClient } from "@connectrpc/connect";
import { root } from "../../scripts/project.ts";
import { systemRandom } from "../../src/base/system-random.ts";
import { systemClock } from "../../src/base/time/system-clock.ts";
import { TokenService } from "../../src/gen/flotilla/admin/v1/admin_pb.ts";
import { textOf } from "../../src/kinds/fields.ts";
import type { Subject } from "../../src/model/subject.ts";
import { createHubTransport, type HubTransport } from "../../src/rpc/client/client.ts";
import { BackgroundProgram, flotilla, type ProgramStart } from "../e2e/fleet/background-program.ts";
import { eventually } from "../e2e/fleet/eventually.ts";
import { type HubAddress, HubView } from "../e2e/fleet/hub-view.ts";
import { promptEnvironment, runProgram } from "../e2e/run-program.ts";
import { openTempFolder } from "../support/temp-folder.ts";
import type { KubernetesKit } from "./find-kit.ts";
import { findFreePorts } from "./free-ports.ts";
import type { KubeClient } from "./kube-client.ts";
import type { KubernetesCluster } from "./start-cluster.ts";

/** How an agent goes out: by a proxy where one is named. */
export interface AgentRoute {
  readonly hubPort?: number;
  readonly apiServerPort?: number;
  /** As a Pod of its cluster does: by the environment and files that a kubelet gives it, its key in a Secret. */
  readonly isPod?: boolean;
  /** More flags, each with its value. */
  readonly flags?: Readonly<Record<string, string>>;
}

/**
 * Everything is judged sooner than by default, so that tests are short; but one probe that times out is a lost API
 * server (HE5), so it gets as long as a session may be silent: with less, a machine that is busy for a moment counts as
 * one.
 */
const paces = {
  "sync-interval": "2s",
  "health-interval": "3s",
  "health-timeout": "2s",
  "retry-cap": "1s",
  "reconnect-cap": "1s",
};

function words(flags: Readonly<Record<string, string>>): readonly string[] {
  return Object.entries(flags).map(([name, value]) => `--${name}=${value}`);
}

/** A hub on this machine and the files of its agents. Close it, or its processes stay. */
export class RealFleet {
  readonly folder = openTempFolder();
  readonly #agents: BackgroundProgram[] = [];
  readonly #logins: HubTransport[] = [];
  #hubPort: number | undefined;
  #program: BackgroundProgram | undefined;
  #view: HubView | undefined;

  get hub(): HubView {
    if (this.#view === undefined) throw new Error("the hub was not started");
    return this.#view;
  }

  get hubProgram(): BackgroundProgram {
    if (this.#program === undefined) throw new Error("the hub was not started");
    return this.#program;
  }

  get hubPort(): number {
    if (this.#hubPort === undefined) throw new Error("the hub was not started");
    return this.#hubPort;
  }

  /**
   * Starts the hub, also again on the same files and port, and waits until it is ready. A public one gives its address
   * to clusters that join by URL. `more` are flags with their values.
   */
  async startHub({
    isPublic = false,
    more = {},
  }: {
    readonly isPublic?: boolean;
    readonly more?: Readonly<Record<string, string>>;
  } = {}): Promise<void> {
    // One that stays free while the hub is away.
    this.#hubPort ??= (await findFreePorts(1))[0] ?? 0;
    const flags = {
      "data-dir": "hub",
      port: String(this.#hubPort),
      "http-port": "0",
      "heartbeat-interval": "1s",
      "claim-grace-period": "3s",
      "log-format": "json",
      ...(isPublic ? { "public-url": `https://127.0.0.1:${this.#hubPort}` } : {}),
      ...more,
    };
    this.#program = new BackgroundProgram({ cwd: this.folder.path, args: ["hub", ...words(flags)] });
    await this.#program.untilSays("ready");
    this.#view?.close();
    this.#view = new HubView(this.#address());
  }

  #address(): HubAddress {
    return JSON.parse(readFileSync(join(this.folder.path, "hub", "run.json"), "utf8")) as HubAddress;
  }

  /** A new token of a user of the hub. */
  async createToken({ user, groups }: Pick<Subject, "user" | "groups">): Promise<string> {
    const tokens = createClient(TokenService, this.hub.transport);
    return (await tokens.createToken({ user, groups: [...groups], ttlSeconds: 3_600 })).secret;
  }

  /** A connection of a user of the hub; closed with the fleet. */
  async logIn(user: Pick<Subject, "user" | "groups">): Promise<HubTransport> {
    const token = await this.createToken(user);
    const { hubUrl: url, caFile } = this.#address();
    const login = createHubTransport({ url, caFile, token, clock: systemClock, random: systemRandom });
    this.#logins.push(login);
    return login;
  }

  /** What a verb prints. Throws what it complains about. */
  async run(...args: readonly string[]): Promise<string> {
    const { code, stdout, stderr } = await flotilla(this.folder.path, [...args, "--data-dir", "hub"]);
    if (code !== 0) throw new Error(`flotilla ${args.join(" ")} ended with ${code}: ${stderr}`);
    return stdout;
  }

  /**
   * Applies the agent's manifest and writes what an agent of that cluster needs: a kubeconfig whose token is in a file,
   * and a join token.
   */
  async install(
    id: string,
    cluster: KubernetesCluster,
    kit: KubernetesKit,
    manifestFlags: readonly string[] = [],
  ): Promise<void> {
    const manifest = join(this.folder.path, `${id}.yaml`);
    const flags = ["--cluster-id", id, "--image", "example.com/flotilla:1", ...manifestFlags];
    writeFileSync(manifest, await this.run("agent", "manifest", ...flags));
    // Never waited for in a blocking call: who starts the servers must go on reading their logs, or they stand still
    // when the pipes are full.
    const args = ["--kubeconfig", cluster.kubeconfigFile, "apply", "-f", manifest];
    const { code, stderr } = await runProgram(kit.kubectl, args, { cwd: this.folder.path, env: promptEnvironment() });
    if (code !== 0) throw new Error(`kubectl apply ended with ${code}: ${stderr}`);
    await this.issueToken(id, cluster.connect());
    writeFileSync(join(this.folder.path, `${id}.join`), await this.run("cluster", "join", id, "--token-only"), {
      mode: 0o600,
    });
  }

  /** A new token of the agent's ServiceAccount, in the file that its kubeconfig names. */
  async issueToken(id: string, admin: KubeClient): Promise<void> {
    const account = "/api/v1/namespaces/flotilla/serviceaccounts/flotilla-agent";
    await eventually(() => admin.ask("GET", account).then(() => undefined));
    const body = { apiVersion: "authentication.k8s.io/v1", kind: "TokenRequest", spec: {} };
    const token = textOf(await admin.ask("POST", `${account}/token`, { body }), "status", "token") ?? "";
    this.writeToken(id, token);
  }

  writeToken(id: string, token: string): void {
    writeFileSync(join(this.folder.path, `${id}.token`), token, { mode: 0o600 });
  }

  /** Gives another agent the credential and join token of this one. */
  copyFiles(id: string, copy: string): void {
    for (const kind of ["token", "join"]) {
      copyFileSync(join(this.folder.path, `${id}.${kind}`), join(this.folder.path, `${copy}.${kind}`));
    }
  }

  /**
   * Begins an agent. One that `poses` says it is of that cluster, and has everything else of its own: key, credential
   * and join token.
   */
  startAgent(id: string, cluster: KubernetesCluster, route: AgentRoute = {}, poses = id): BackgroundProgram {
    const port = route.apiServerPort ?? Number(new URL(cluster.url).port);
    const flags = {
      "cluster-id": poses,
      hub: `https://127.0.0.1:${route.hubPort ?? this.hubPort}`,
      "ca-file": join(this.folder.path, "hub", "tls", "ca.crt"),
      "join-token-file": join(this.folder.path, `${id}.join`),
      "admin-port": "0",
      "log-format": "json",
      "relist-interval": "0",
      ...paces,
      ...(route.isPod === true ? {} : this.#kubeconfigFlags(id, cluster, port)),
      ...route.flags,
    };
    const start = { cwd: this.folder.path, args: ["agent", ...words(flags)] };
    const agent = new BackgroundProgram(route.isPod === true ? { ...start, ...this.#asPod(id, cluster, port) } : start);
    this.#agents.push(agent);
    return agent;
  }

  #kubeconfigFlags(id: string, cluster: KubernetesCluster, port: number): Readonly<Record<string, string>> {
    const user = { tokenFile: join(this.folder.path, `${id}.token`) };
    const config = {
      apiVersion: "v1",
      kind: "Config",
      clusters: [
        { name: id, cluster: { server: `https://127.0.0.1:${port}`, "certificate-authority": cluster.caFile } },
      ],
      users: [{ name: "agent", user }],
      contexts: [{ name: id, context: { cluster: id, user: "agent" } }],
      "current-context": id,
    };
    const kubeconfig = join(this.folder.path, `${id}.kubeconfig`);
    writeFileSync(kubeconfig, JSON.stringify(config));
    return { kubeconfig, context: id, "key-file": join(this.folder.path, `${id}.key`) };
  }

  /** What a kubelet gives a Pod of the agent's ServiceAccount. */
  #asPod(id: string, cluster: KubernetesCluster, port: number): Pick<ProgramStart, "variables" | "nodeFlags"> {
    const folder = join(this.folder.path, `${id}-account`);
    mkdirSync(folder, { recursive: true });
    copyFileSync(cluster.caFile, join(folder, "ca.crt"));
    copyFileSync(join(this.folder.path, `${id}.token`), join(folder, "token"));
    writeFileSync(join(folder, "namespace"), "flotilla");
    return {
      nodeFlags: ["--import", join(root, "test/e2e/fleet/as-pod.ts")],
      variables: {
        ACCOUNT_FOLDER: folder,
        KUBERNETES_SERVICE_HOST: "127.0.0.1",
        KUBERNETES_SERVICE_PORT: String(port),
      },
    };
  }

  async close(): Promise<void> {
    for (const agent of this.#agents.splice(0)) {
      agent.send("SIGCONT");
      await agent.end();
    }
    for (const login of this.#logins.splice(0)) login.close();
    this.#view?.close();
    await this.#program?.end();
    this.folder[Symbol.dispose]();
  }
}
