// SPDX-License-Identifier: Apache-2.0
// Composition of a hub process, run by `flotilla hub` and `flotilla up`.
import { readFileSync, rmSync } from "node:fs";
import type { Clock } from "../../base/clock.ts";
import type { Logger } from "../../base/log.ts";
import type { Random } from "../../base/random.ts";
import { guardTimers } from "../../base/task-guard.ts";
import type { Io } from "../../cli/output/io.ts";
import type { RunFile } from "../../cli/run-file.ts";
import { createHealthRoute } from "../../hub/health/health-route.ts";
import { createHub, type Hub } from "../../hub/hub.ts";
import { loadHubName } from "../../hub/hub-name.ts";
import { createClusterProbe } from "../../hub/imports/probe-cluster.ts";
import { pageVersionOf } from "../../hub/page/page-version.ts";
import { createHasher } from "../../model/hasher.ts";
import { ed25519Verifier } from "../../rpc/auth/ed25519.ts";
import { zstdCodec } from "../../rpc/client/zstd-codec.ts";
import type { ServiceEntry } from "../../rpc/server/connect-router.ts";
import { type Endpoint, type EndpointOptions, openEndpoint } from "../../rpc/server/endpoint.ts";
import { openCertificateFiles } from "../../rpc/tls/certificate-files.ts";
import type { CertificateSource } from "../../rpc/tls/certificate-source.ts";
import { openOwnCertificate } from "../../rpc/tls/hub-certificate.ts";
import { type DataPaths, dataPaths } from "../../store/data-directory.ts";
import { Health } from "../../telemetry/health.ts";
import { openLogSink } from "../../telemetry/log-sink.ts";
import { metricNames } from "../../telemetry/metric-names.ts";
import { createPinoLogger } from "../../telemetry/pino-logger.ts";
import { PromMetrics } from "../../telemetry/prom-metrics.ts";
import { createCountedGuard } from "../../telemetry/task-failures.ts";
import type { ConfigOf } from "../config/option-table.ts";
import { toLogLevel } from "../log-level.ts";
import { untilJoined } from "../up/until-joined.ts";
import { emptyKubeconfig, writeKubeconfig, writeRunRecord } from "../verbs/run-record.ts";
import { ensureAdminToken } from "./admin-token.ts";
import { findPublicName, findPublicUrl, hubHosts } from "./find-public-name.ts";
import { type AgentCluster, type AgentSurroundings, startFleetAgents } from "./fleet-agents.ts";
import { toFleetSettings } from "./fleet-settings.ts";
import { checkPorts, toHubPorts } from "./hub-ports.ts";
import { createProbeRoutes } from "./hub-routes.ts";
import { openHubStores } from "./hub-stores.ts";
import { startImportedAgents } from "./import-agents.ts";
import { createPageParts, type PageParts, readBuiltPage } from "./page-parts.ts";
import { renderJoinManifest } from "./render-join-manifest.ts";

/** Creates a login link that is valid once. */
export type CreateLink = () => string;

export interface HubProcess {
  readonly io: Io;
  readonly clock: Clock;
  readonly random: Random;
  readonly pid: number;
  /** The program and its arguments before the verb, to start agents of its own clusters. */
  readonly program: readonly [string, ...string[]];
  readonly version: string;
  /**
   * Called once everything answers. `createLink` creates a login link for the admin; undefined without a page (PG4).
   */
  readonly onReady: (record: RunFile, createLink: CreateLink | undefined) => void | Promise<void>;
  /** Called with the progress of the start, as a short text. */
  readonly onProgress?: (text: string) => void;
}

type HubConfig = ConfigOf<"hub">;

/** The clusters that a process runs or adopts itself. */
export interface OwnFleet {
  readonly services: readonly ServiceEntry[];
  readonly kubeconfig: string;
  readonly clusters: RunFile["clusters"];
  /** The clusters whose agents this process runs. */
  readonly agents: readonly AgentCluster[];
  close(): Promise<void>;
}

/** Opens the process's own fleet. After the signal aborts it may open only some clusters; the caller closes them. */
export type OpenFleet = (deps: {
  readonly paths: DataPaths;
  readonly random: Random;
  readonly log: Logger;
  readonly onProgress: (text: string) => void;
  readonly signal: AbortSignal;
}) => Promise<OwnFleet>;

const noFleet: OwnFleet = {
  services: [],
  kubeconfig: emptyKubeconfig,
  clusters: [],
  agents: [],
  close: () => Promise.resolve(),
};

/**
 * Runs a hub until the signal aborts, then closes it gracefully: no new work, calls in progress up to the drain
 * timeout, stores last. Rejects if it cannot start, after closing everything it opened, or if it can no longer work.
 */
export async function serveHub(
  config: HubConfig,
  process: HubProcess,
  signal: AbortSignal,
  openFleet: OpenFleet = () => Promise.resolve(noFleet),
): Promise<void> {
  const { random, io, version, onProgress = () => undefined } = process;
  const paths = dataPaths(config.dataDir);
  await checkPorts(toHubPorts(config), paths.folder);
  const sink = await openLogSink({ format: config.logFormat, stream: io.stderr, isTerminal: io.stderr.isTerminal });
  const log = createPinoLogger({ level: toLogLevel(config.logLevel), sink, clock: process.clock });
  const metrics = new PromMetrics({ ofProcess: true });
  // All timers of the hub use this clock, so that an error in one does not end the process (L14).
  const clock = guardTimers(process.clock, createCountedGuard({ log, metrics }));
  metrics
    .gauge({ name: metricNames.buildInfo, help: "1, with the version of this process.", labels: ["version"] })
    .set({ version }, 1);
  const health = new Health({ clock, log });

  await using stores = await openHubStores(paths, { clock, encryptedResources: config.encryptedResources });
  const certificate = await openCertificate(config, paths, { clock, log });
  const hubName = await loadHubName(stores.store, random);
  const adoptedIds = new Set<string>();
  const pageFiles = readBuiltPage();
  let tlsPort = config.port;
  const hub = createHub({
    ...stores,
    clock,
    random,
    log,
    metrics,
    version,
    changeRetentionMs: config.changeRetentionMs,
    historyRetentionMs: config.historyRetentionMs,
    auditRetentionMs: config.auditRetentionMs,
    codec: zstdCodec,
    hasher: await createHasher(),
    verifier: ed25519Verifier,
    hubName,
    pageVersion: pageVersionOf(pageFiles),
    sourceOf: (id) => (adoptedIds.has(id) ? "adopted" : "agent"),
    allowsLoopbackImports: config.allowLoopbackImports,
    probe: createClusterProbe({ clock, userAgent: `flotilla-hub/${version}`, environment: io.env }),
    hubCa: () => (certificate.caFile === undefined ? "" : readFileSync(certificate.caFile, "utf8")),
    joining: {
      publicName: () => findPublicName(config, tlsPort, certificate),
      renderManifest: (manifest) => renderJoinManifest(manifest, { ...config, version }),
    },
    ...toFleetSettings(config),
  });
  for (const [name, check] of hub.readiness) health.setCheck(name, check);

  const ending = new AbortController();
  const working = hub.run(ending.signal);
  const opening = openFleet({ paths, random, log, onProgress, signal });
  opening.catch(() => undefined); // handled by the await below; prevents an unhandled rejection before it
  const bug = Promise.withResolvers<never>();
  bug.promise.catch(() => undefined); // handled by untilEnded; prevents an unhandled rejection before it
  try {
    await Promise.race([hub.tokens.loaded, working]);
    const adminTokenId = await ensureAdminToken(hub.tokens, paths.adminTokenFile);
    const { tokens, authorizer } = hub;
    let hubUrl = "";
    const login = { tokens, authorizer, hubName, version, hubUrl: () => hubUrl, clock, random };
    const page = createPageParts(login, pageFiles);
    const fleet = await opening;
    if (signal.aborted) return;
    for (const { id } of adoptedOf(fleet)) adoptedIds.add(id);
    const endpoints = await openEndpoints({
      config,
      hub,
      page,
      services: [...hub.services, ...page.services, ...fleet.services],
      certificate,
      health,
      metrics,
      log,
      clock,
      random,
      onBug: bug.reject,
    });
    tlsPort = endpoints.main.tls?.port ?? config.port;
    hubUrl = findPublicUrl(config, tlsPort) ?? endpoints.main.tls?.url ?? "";
    try {
      writeKubeconfig(paths.kubeconfig, fleet.kubeconfig);
      const surroundings = toSurroundings(
        { config, process: { ...process, clock }, paths, certificate, log },
        endpoints,
      );
      await using _agents = await startAgents(surroundings, hub, fleet);
      await using _imported = startImportedAgents({
        ...surroundings,
        hubName,
        follow: (listener, within) => hub.fleet.imports.follow(listener, within),
        allowsLoopback: config.allowLoopbackImports,
      });
      const ownIds = fleet.clusters.map(({ id }) => id);
      await untilJoined(hub.fleet.health, ownIds, { clock, onProgress }, signal);
      if (signal.aborted) return;
      const linkTo = page.createLink;
      const createLink = linkTo && (() => linkTo(endpoints.main.plain?.url ?? "", adminTokenId));
      // Logged before the announcement, whose login link is the last line on a terminal (CL17).
      log.info("hub is ready", {
        url: endpoints.main.tls?.url,
        adminUrl: endpoints.admin?.plain?.url,
        storeId: stores.store.storeId,
      });
      using _record = await announce(process, { paths, certificate, fleet, createLink }, endpoints);
      await untilEnded(signal, [working, bug.promise]);
      log.info("hub is closing", { drainTimeoutMs: config.drainTimeoutMs });
    } finally {
      health.drain();
      const reports = await Promise.all([endpoints.main.drain(config.drainTimeoutMs), endpoints.admin?.drain(0)]);
      log.info("hub is closed", { cutCount: reports[0].cutCount });
    }
  } finally {
    ending.abort(new Error("the hub is closing"));
    await closeFleet(opening);
    await working;
  }
}

interface AgentParts {
  readonly config: HubConfig;
  readonly process: HubProcess;
  readonly paths: DataPaths;
  readonly certificate: CertificateSource;
  readonly log: Logger;
}

function toSurroundings(
  { config, process, paths, certificate, log }: AgentParts,
  { main }: Endpoints,
): AgentSurroundings {
  return {
    program: process.program,
    folder: paths.folder,
    hubUrl: main.tls?.url ?? "",
    caFile: certificate.caFile ?? "",
    logLevel: config.logLevel === "debug" ? "debug" : "warn",
    logFormat: config.logFormat,
    clock: process.clock,
    random: process.random,
    log,
  };
}

/** Starts an agent for each of the process's own clusters. */
function startAgents(surroundings: AgentSurroundings, hub: Hub, fleet: OwnFleet): Promise<AsyncDisposable> {
  const { clusters, clusterRegistration } = hub.fleet.fleet;
  return startFleetAgents({
    ...surroundings,
    clusters: fleet.agents,
    async createJoinToken(id) {
      if ((await clusters.load(id)) !== undefined) return undefined;
      const wanted = {
        usesLeft: 1,
        namePattern: id,
        needsApproval: false,
        description: `cluster ${id} of flotilla up`,
      };
      return (await clusterRegistration.joinTokens.create({ ...wanted, ttlMs: joinTtlMs })).text;
    },
  });
}

/** 1 hour: the agent starts immediately. */
const joinTtlMs = 3_600_000;

function adoptedOf({ agents }: OwnFleet): readonly AgentCluster[] {
  return agents.filter(({ isAdopted }) => isAdopted);
}

/** Closes the fleet if it was opened. An error of opening it was already reported by the caller that awaited it. */
async function closeFleet(opening: Promise<OwnFleet>): Promise<void> {
  const [opened] = await Promise.allSettled([opening]);
  if (opened.status === "fulfilled") await opened.value.close();
}

/** Resolves when the signal aborts. Rejects with a permanent store failure or a bug. */
async function untilEnded(signal: AbortSignal, failures: readonly Promise<void>[]): Promise<void> {
  const { promise: aborted, resolve } = Promise.withResolvers<void>();
  if (signal.aborted) resolve();
  else signal.addEventListener("abort", () => resolve(), { once: true });
  await Promise.race([aborted, ...failures]);
}

function openCertificate(
  config: HubConfig,
  paths: DataPaths,
  options: { readonly clock: Clock; readonly log: Logger },
): Promise<CertificateSource> {
  const { tlsCertFile, tlsKeyFile } = config;
  if (tlsCertFile !== undefined && tlsKeyFile !== undefined) {
    return openCertificateFiles({ certificateFile: tlsCertFile, keyFile: tlsKeyFile, ...options });
  }
  return openOwnCertificate({ folder: paths.tlsFolder, names: hubHosts(config), ...options });
}

interface EndpointParts extends Pick<EndpointOptions, "log" | "clock" | "random" | "onBug"> {
  readonly config: HubConfig;
  readonly hub: Hub;
  readonly page: PageParts;
  readonly services: readonly ServiceEntry[];
  readonly certificate: CertificateSource;
  readonly health: Health;
  readonly metrics: PromMetrics;
}

interface Endpoints {
  readonly main: Endpoint;
  readonly admin: Endpoint | undefined;
}

async function openEndpoints(parts: EndpointParts): Promise<Endpoints> {
  const { config, hub, page, services, certificate, health, metrics, log, clock, random, onBug } = parts;
  const ports = toHubPorts(config);
  const shared = {
    verifier: hub.tokens,
    authorizer: hub.authorizer,
    hostNames: hubHosts(config),
    origins: [],
    limits: {
      maxConnectionCount: config.maxConnections,
      unauthenticated: {
        maxCountPerAddress: config.maxUnauthenticatedConnections,
        timeoutMs: config.authenticationTimeoutMs,
      },
      maxMessageBytes: config.maxMessageSizeBytes,
      maxStreamsPerCaller: config.maxStreamsPerCaller,
    },
    deadlines: { defaultMs: config.requestTimeoutMs, maxMs: config.requestTimeoutMs },
    clock,
    random,
    log,
    metrics,
    ...(onBug === undefined ? {} : { onBug }),
  };
  const main = await openEndpoint({
    ...shared,
    tls: { ...ports.tls, certificate },
    plain: ports.plain,
    services,
    credentials: page.credentials,
    onHandshakeFailed: hub.fleet.joining.noteHandshake,
    routes: [
      ...page.routes,
      hub.fleet.joining.route,
      ...createProbeRoutes({ health, metrics }, { kind: "nonResource", verb: "get", path: "/metrics" }),
      createHealthRoute({ health: hub.fleet.health, clock, authorizer: hub.authorizer }),
    ],
  });
  if (ports.admin === undefined) return { main, admin: undefined };
  try {
    const access = { kind: "public", because: "the admin port serves only probes and metrics, on loopback" } as const;
    const admin = await openEndpoint({
      ...shared,
      limits: { ...shared.limits, unauthenticated: undefined },
      plain: ports.admin,
      services: [],
      routes: createProbeRoutes({ health, metrics }, access),
    });
    return { main, admin };
  } catch (reason) {
    await main.drain(0);
    throw reason;
  }
}

async function announce(
  process: HubProcess,
  {
    paths,
    certificate,
    fleet,
    createLink,
  }: {
    readonly paths: DataPaths;
    readonly certificate: CertificateSource;
    readonly fleet: OwnFleet;
    readonly createLink: CreateLink | undefined;
  },
  { main }: Endpoints,
): Promise<Disposable> {
  const record: RunFile = {
    pid: process.pid,
    hubUrl: main.tls?.url ?? "",
    httpUrl: main.plain?.url ?? "",
    caFile: certificate.caFile ?? "",
    adminTokenFile: paths.adminTokenFile,
    kubeconfig: paths.kubeconfig,
    clusters: fleet.clusters,
    adopted: adoptedOf(fleet).map(({ id, context, kubeconfig }) => ({ id, context, kubeconfig })),
  };
  const written = writeRunRecord(paths.runFile, record);
  try {
    await process.onReady(record, createLink);
    return written;
  } catch (reason) {
    rmSync(paths.runFile, { force: true });
    throw reason;
  }
}
