// SPDX-License-Identifier: Apache-2.0
// One playground cluster in this thread: its store, API server, controllers and port.
import { createHash, timingSafeEqual } from "node:crypto";
import { mkdirSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { type ApiServer, openApiServer } from "../apiserver/api-server.ts";
import { installBootstrap } from "../apiserver/bootstrap/install-bootstrap.ts";
import { serveApi } from "../apiserver/http/serve-api.ts";
import { FlotillaError, hasCode } from "../base/error.ts";
import { createInThreadPort } from "../base/in-thread-port.ts";
import type { Logger } from "../base/log.ts";
import { createSeededRandom, type Random } from "../base/random.ts";
import { runTogether } from "../base/run-together.ts";
import type { Clock } from "../base/time/clock.ts";
import { createSubject } from "../model/subject.ts";
import { mastersGroup } from "../rbac/authorizer-chain.ts";
import { openOwnCertificate } from "../rpc/tls/hub-certificate.ts";
import type { ServerIdentity } from "../rpc/tls/server-identity.ts";
import { createStore } from "../store/create-store.ts";
import { BodyCipher } from "../store/keys/body-cipher.ts";
import { openKeyFile } from "../store/keys/key-file.ts";
import { SqliteEngine } from "../store/sqlite/sqlite-engine.ts";
import type { Store } from "../store/store.ts";
import type { StoreEngine } from "../store/store-engine.ts";
import { createPlaygroundClient } from "./controllers/playground-client.ts";
import { podLogResponse } from "./controllers/pod-log-response.ts";
import { runPlaygroundControllers } from "./controllers/run-playground-controllers.ts";
import { addTrouble, healTrouble, listTroubles, type Trouble, type TroubleName } from "./controllers/trouble.ts";
import { grantHubGroups } from "./grant-hub-groups.ts";
import { applyScenario } from "./scenario/apply-scenario.ts";
import { openAccountKey } from "./service-account-key.ts";
import { type NetworkState, SimulatedNetwork } from "./simulated-network.ts";

const anyLoopbackPort = { host: "127.0.0.1", port: 0, portOption: "--clusters" } as const;

/**
 * Watch history that compaction keeps: five minutes, the real API server's default, and at least a busy minute of
 * changes.
 */
const retainedMs = 5 * 60_000;
const retainedCount = 2_000;
const compactEveryMs = 60_000;

/** The identity of the simulated controllers and kubelets. */
const controllerUser = createSubject({ user: "system:kube-controller-manager", groups: [mastersGroup] });

export interface PlaygroundClusterOptions {
  readonly name: string;
  readonly region: string;
  /** The folder of its files. Created if missing; reused on the next start. */
  readonly folder: string;
  /** 0 = any free port. */
  readonly port: number;
  /** The bearer token of its admin. */
  readonly adminToken: string;
  readonly seed: string;
  /** Without nodes and workloads: only the objects that every cluster starts with. */
  readonly isEmpty?: boolean;
}

export interface PlaygroundDeps {
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
}

/** What callers need to reach a running cluster. */
export interface PlaygroundClusterInfo {
  readonly port: number;
  /** PEM of the CA that issued its certificate. */
  readonly ca: string;
}

/** The API server and everything that runs on it. */
interface Running {
  readonly server: ApiServer;
  readonly stop: () => Promise<void>;
}

/** A cluster that can be stopped and started again, and whose network can be cut. */
export class PlaygroundCluster {
  readonly #options: PlaygroundClusterOptions;
  readonly #deps: PlaygroundDeps;
  #gate: SimulatedNetwork | undefined;
  #running: Running | undefined;

  constructor(options: PlaygroundClusterOptions, deps: PlaygroundDeps) {
    this.#options = options;
    this.#deps = deps;
  }

  get network(): NetworkState {
    return this.#gate?.state ?? "open";
  }

  get isRunning(): boolean {
    return this.#running !== undefined;
  }

  /** Starts the API server and its controllers with the state of the last run. Resolves when it answers requests. */
  async start(): Promise<PlaygroundClusterInfo> {
    const { folder, port } = this.#options;
    const { clock, log } = this.#deps;
    this.#gate ??= await openGate(port);
    const certificate = await openOwnCertificate({ folder: join(folder, "tls"), names: [], clock, log });
    this.#running ??= await this.#run(certificate.current);
    return { port: this.#gate.port, ca: await readFile(join(folder, "tls", "ca.crt"), "utf8") };
  }

  /** Stops the API server. Connections are refused until it is started again. */
  async stop(): Promise<void> {
    const running = this.#running;
    this.#running = undefined;
    this.#gate?.passTo(undefined);
    await running?.stop();
  }

  setNetwork(state: NetworkState): void {
    this.#gate?.setState(state);
  }

  async addTrouble(trouble: TroubleName): Promise<void> {
    await addTrouble(this.#server().client, trouble);
  }

  async healTrouble(trouble: TroubleName): Promise<void> {
    await healTrouble(this.#server().client, trouble);
  }

  /** The active troubles. Throws UNAVAILABLE while the cluster is stopped. */
  listTroubles(): readonly Trouble[] {
    return listTroubles(this.#server().client.objects);
  }

  async close(): Promise<void> {
    await this.stop();
    await this.#gate?.close();
    this.#gate = undefined;
  }

  #server(): ApiServer {
    if (this.#running !== undefined) return this.#running.server;
    throw new FlotillaError("UNAVAILABLE", `the cluster ${this.#options.name} is stopped; start it first`);
  }

  async #run(identity: ServerIdentity): Promise<Running> {
    const { clock, random, log } = this.#deps;
    const { name, region, folder, seed, adminToken, isEmpty = false } = this.#options;
    // If a part fails to start, the parts started before it are closed.
    await using parts = new AsyncDisposableStack();
    const store = await this.#openStore();
    parts.defer(() => store.close());
    const admin = createSubject({ user: `${name}-admin`, groups: [mastersGroup] });
    const server = await openApiServer({
      store,
      cluster: name,
      clock,
      random,
      log,
      findUser: (token) => Promise.resolve(isEqualSecret(token, adminToken) ? admin : undefined),
      accountKey: await openAccountKey(join(folder, "service-account.key")),
      extensions: {
        podLog: (pod, query, signal) =>
          podLogResponse(server.client.objects, pod, query, clock.wallMs(), { clock, signal }),
      },
    });
    parts.defer(() => server.close());
    const client = createPlaygroundClient(server.cluster, controllerUser);
    await installBootstrap(client, { address: { ip: "127.0.0.1", port: this.#gate?.port ?? 0 } });
    await grantHubGroups(client);
    if (!isEmpty) await applyScenario(client, { clusterName: name, region, seed });
    const listener = await serveApi({ server, identity, clock, log, ...anyLoopbackPort });
    parts.defer(async () => void (await listener.drain(0)));
    const ending = new AbortController();
    const deps = { clock, random: createSeededRandom(seed), log };
    const working = runTogether(
      [
        (signal) => runPlaygroundControllers(client, deps, signal),
        (signal) => compactPeriodically(store, clock, signal),
      ],
      ending.signal,
    );
    const ended = working.catch((reason: unknown) =>
      log.error("the controllers have stopped", { cluster: name }, reason),
    );
    parts.defer(async () => {
      ending.abort(new Error("the cluster is stopping"));
      await ended;
    });
    this.#gate?.passTo(listener.port);
    const started = parts.move();
    return { server, stop: () => started.disposeAsync() };
  }

  #openStore(): Promise<Store> {
    const { folder } = this.#options;
    const { clock, random } = this.#deps;
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    const keys = openKeyFile(join(folder, "keys"), random);
    const cipher = new BodyCipher({ keys, random, resources: [] });
    const engine = new SqliteEngine({ file: join(folder, "cluster.db"), clock, random, cipher });
    return createStore(createInThreadPort<StoreEngine>(engine), { clock });
  }
}

/** Opens the cluster's previous port, or any free port if that one is taken. */
async function openGate(port: number): Promise<SimulatedNetwork> {
  try {
    return await SimulatedNetwork.open({ ...anyLoopbackPort, port });
  } catch (reason) {
    if (port === 0 || !hasCode(reason, "LISTEN_FAILED")) throw reason;
    return SimulatedNetwork.open(anyLoopbackPort);
  }
}

/** Keeps the change log short: a playground needs it only for watches that resume. */
async function compactPeriodically(store: Store, clock: Clock, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    await store.compact({ olderThanMs: retainedMs, keepCount: retainedCount });
    await clock.sleep(compactEveryMs, signal);
  }
}

/** Compares in constant time. */
function isEqualSecret(given: string, known: string): boolean {
  const left = createHash("sha256").update(given).digest();
  const right = createHash("sha256").update(known).digest();
  return timingSafeEqual(left, right);
}
