// SPDX-License-Identifier: Apache-2.0
// `flotilla up` with playground clusters, as a process, and ways to look at both sides of it.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "yaml";
import { KubeClient } from "../../kubernetes/kube-client.ts";
import { openTempFolder } from "../../support/temp-folder.ts";
import type { ProgramResult } from "../run-program.ts";
import { BackgroundProgram, flotilla, quickPaces } from "./background-program.ts";
import { type HubAddress, HubView } from "./hub-view.ts";

interface Kubeconfig {
  readonly clusters: readonly {
    readonly name: string;
    readonly cluster: { readonly server: string; readonly "certificate-authority-data": string };
  }[];
  readonly users: readonly { readonly name: string; readonly user: { readonly token: string } }[];
  readonly contexts: readonly {
    readonly name: string;
    readonly context: { readonly cluster: string; readonly user: string };
  }[];
}

/** A fleet on this machine. `start` it; `close` ends everything. */
export class PlaygroundUp {
  readonly #folder = openTempFolder();
  readonly #clusterCount: number;
  readonly #variables: Readonly<Record<string, string>>;
  readonly #clients: KubeClient[] = [];
  #up: BackgroundProgram | undefined;
  #hub: HubView | undefined;
  #address: HubAddress | undefined;

  /** `variables` are for the agents, beside the paces. */
  constructor(clusterCount: number, variables: Readonly<Record<string, string>> = {}) {
    this.#clusterCount = clusterCount;
    this.#variables = { ...quickPaces, ...variables };
  }

  get program(): BackgroundProgram {
    if (this.#up === undefined) throw new Error("flotilla up was not started");
    return this.#up;
  }

  /** Where the hub and what runs beside it keep their files. */
  get dataDir(): string {
    return join(this.#folder.path, ".flotilla");
  }

  /** Where a browser on this machine finds it. */
  get httpUrl(): string {
    if (this.#address === undefined) throw new Error("flotilla up was not started");
    return this.#address.httpUrl;
  }

  /** The hub as it runs now. */
  get hub(): HubView {
    if (this.#hub === undefined) throw new Error("flotilla up was not started");
    return this.#hub;
  }

  /** Starts it, also again on the same data directory and ports, and waits until it says ready. */
  start(): Promise<void> {
    return this.#serve("up", { clusters: String(this.#clusterCount) });
  }

  /** Starts the hub alone in its place: the files are those of before, and none of the clusters and agents runs. */
  startHub(): Promise<void> {
    return this.#serve("hub", {});
  }

  async #serve(verb: string, more: Readonly<Record<string, string>>): Promise<void> {
    await this.#up?.end();
    const flags = {
      ...more,
      port: portOf(this.#address?.hubUrl),
      "http-port": portOf(this.#address?.httpUrl),
      "heartbeat-interval": "1s",
      "claim-grace-period": "10m",
    };
    const words = Object.entries(flags).flatMap(([name, value]) => [`--${name}`, value]);
    this.#up = new BackgroundProgram({
      cwd: this.#folder.path,
      args: [verb, ...words, "--log-format", "json"],
      variables: this.#variables,
    });
    await this.#up.untilSays("ready");
    const file = join(this.dataDir, "run.json");
    this.#address = JSON.parse(readFileSync(file, "utf8")) as HubAddress;
    this.#hub?.close();
    this.#hub = new HubView(this.#address);
  }

  /** Runs a verb against it. */
  run(...args: readonly string[]): Promise<ProgramResult> {
    return flotilla(this.#folder.path, args);
  }

  /** What a verb prints with `-o json`. */
  async json(...args: readonly string[]): Promise<unknown> {
    const { code, stdout, stderr } = await this.run(...args, "-o", "json");
    if (code !== 0) throw new Error(`flotilla ${args.join(" ")} ended with ${code}: ${stderr}`);
    return JSON.parse(stdout);
  }

  /** A client of a playground cluster's own API server. Its address may change when `up` is started again. */
  connect(cluster: string): KubeClient {
    const text = readFileSync(join(this.dataDir, "kubeconfig"), "utf8");
    const config = parse(text) as Kubeconfig;
    const context = config.contexts.find(({ name }) => name === cluster)?.context;
    const place = config.clusters.find(({ name }) => name === context?.cluster)?.cluster;
    const user = config.users.find(({ name }) => name === context?.user)?.user;
    if (place === undefined || user === undefined) throw new Error(`the kubeconfig has no context ${cluster}`);
    const ca = Buffer.from(place["certificate-authority-data"], "base64").toString();
    const client = new KubeClient({ url: place.server, ca, token: user.token });
    this.#clients.push(client);
    return client;
  }

  /** The process ids of the agents of a cluster. */
  agentPids(cluster: string): readonly number[] {
    return this.program.agentPids(cluster);
  }

  /** Ends it in good order and removes its files. The exit code. */
  async close(): Promise<number | null> {
    for (const client of this.#clients.splice(0)) client.close();
    this.#hub?.close();
    const code = await this.program.end();
    this.#folder[Symbol.dispose]();
    return code;
  }
}

/** Any free port the first time. */
function portOf(url: string | undefined): string {
  return url === undefined ? "0" : new URL(url).port;
}
