// SPDX-License-Identifier: Apache-2.0
// A hub as a process of its own on the files of a folder, and its admin's questions.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { createClient } from "@connectrpc/connect";
import { systemRandom } from "../../src/base/system-random.ts";
import { systemClock } from "../../src/base/time/system-clock.ts";
import { TokenService } from "../../src/gen/flotilla/admin/v1/admin_pb.ts";
import {
  type Cluster,
  ClusterService,
  JoinTokenService,
  RowService,
} from "../../src/gen/flotilla/fleet/v1/fleet_pb.ts";
import { type ListObjectsResponse, QueryService } from "../../src/gen/flotilla/query/v1/query_pb.ts";
import { createHubTransport, type HubTransport } from "../../src/rpc/client/client.ts";
import { cpuMsOf, rssMibOf } from "../apiserver/process-figures.ts";
import { FlotillaProcess } from "./flotilla-process.ts";

interface HubAddress {
  readonly hubUrl: string;
  readonly caFile: string;
  readonly adminTokenFile: string;
}

/** What drivers and agents need to reach it. */
export interface HubPlace {
  readonly url: string;
  readonly ca: string;
  readonly caFile: string;
}

/** A hub that can be ended and started again on its port. Close it. */
export class BenchHub implements AsyncDisposable {
  readonly #program: string;
  readonly #folder: string;
  readonly #flags: readonly string[];
  #port = "0";
  #process: FlotillaProcess | undefined;
  #transport: HubTransport | undefined;
  #place: HubPlace | undefined;

  constructor(program: string, folder: string, flags: readonly string[] = []) {
    this.#program = program;
    this.#folder = folder;
    this.#flags = flags;
  }

  get process(): FlotillaProcess {
    if (this.#process === undefined) throw new Error("the hub was not started");
    return this.#process;
  }

  get place(): HubPlace {
    if (this.#place === undefined) throw new Error("the hub was not started");
    return this.#place;
  }

  get port(): number {
    return Number(this.#port);
  }

  get rssMib(): number {
    return rssMibOf(this.process.pid);
  }

  get cpuMs(): number {
    return cpuMsOf(this.process.pid);
  }

  /** Starts it; answers the milliseconds until it said that it is ready. */
  async start(): Promise<number> {
    const flags = [
      "--data-dir",
      "hub",
      "--port",
      this.#port,
      "--http-port",
      "0",
      "--log-format",
      "json",
      ...this.#flags,
    ];
    this.#process = new FlotillaProcess({ args: [this.#program, "hub", ...flags], cwd: this.#folder });
    const readyMs = await this.#process.untilSays("is ready at");
    const address = JSON.parse(readFileSync(join(this.#folder, "hub", "run.json"), "utf8")) as HubAddress;
    const { hubUrl: url, caFile } = address;
    this.#port = new URL(url).port;
    this.#place = { url, caFile, ca: readFileSync(caFile, "utf8") };
    const token = readFileSync(address.adminTokenFile, "utf8").trim();
    this.#transport?.close();
    this.#transport = createHubTransport({ url, caFile, token, clock: systemClock, random: systemRandom });
    return readyMs;
  }

  /** Ends the process and keeps its files. */
  async stop(signal: NodeJS.Signals = "SIGTERM"): Promise<void> {
    this.#transport?.close();
    this.#transport = undefined;
    await this.process.end(signal);
  }

  async cluster(id: string): Promise<Cluster> {
    const { cluster } = await createClient(ClusterService, this.#connection()).getCluster({ id });
    if (cluster === undefined) throw new Error(`the hub answered without ${id}`);
    return cluster;
  }

  /** A join token for clusters of that pattern, with the name of the hub. */
  async createJoinToken(
    namePattern: string,
    uses: number,
  ): Promise<{ readonly secret: string; readonly hubName: string }> {
    const request = { namePattern, uses, description: "bench", needsApproval: false, ttlSeconds: 3_600 };
    return createClient(JoinTokenService, this.#connection()).createJoinToken(request);
  }

  /** A connection of a user of the hub. Close it. */
  async logIn(user: string, groups: readonly string[]): Promise<HubTransport> {
    const tokens = createClient(TokenService, this.#connection());
    const { secret: token } = await tokens.createToken({ user, groups: [...groups], ttlSeconds: 3_600 });
    const { url, caFile } = this.place;
    return createHubTransport({ url, caFile, token, clock: systemClock, random: systemRandom });
  }

  /** The first rows of a query with its total and coverage, as the admin. */
  async listObjects(query: string): Promise<ListObjectsResponse> {
    return createClient(QueryService, this.#connection()).listObjects({ query, limit: 50 });
  }

  /** Where the changes have come to. */
  async changePosition(): Promise<string> {
    let end = "";
    const all = createClient(RowService, this.#connection()).watchChanges({ clusterIds: [], isOnce: true });
    for await (const { position } of all) end = position;
    return end;
  }

  /** Calls back with the name of each row that changes after a position, until the signal aborts. */
  async watchNames(position: string, onName: (name: string) => void, signal: AbortSignal): Promise<void> {
    try {
      const watched = createClient(RowService, this.#connection()).watchChanges(
        { clusterIds: [], position },
        { signal },
      );
      for await (const { changes } of watched) for (const { name } of changes) onName(name);
    } catch (reason) {
      if (!signal.aborted) throw reason;
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#process !== undefined) await this.stop("SIGKILL");
  }

  #connection(): HubTransport {
    if (this.#transport === undefined) throw new Error("the hub was not started");
    return this.#transport;
  }
}

/** Looks again and again until it is so. Rejects after the limit. */
export async function untilTrue(
  what: string,
  check: () => Promise<boolean> | boolean,
  limitMs = 300_000,
): Promise<void> {
  const startedMs = performance.now();
  while (!(await check())) {
    if (performance.now() - startedMs > limitMs) throw new Error(`${what} took more than ${limitMs} ms`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}
