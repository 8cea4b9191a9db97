// SPDX-License-Identifier: Apache-2.0
// The life of a hub process, run by `flotilla hub` and `flotilla up`: open the parts, run the hub, open its own
// clusters, listen, start agents, announce, and close everything in the reverse order.
import { writeFileSync } from "node:fs";
import { runTogether } from "../../base/run-together.ts";
import type { RunFile } from "../../cli/run-file.ts";
import { dataPaths } from "../../store/data-directory.ts";
import type { ConfigOf } from "../config/option-table.ts";
import { untilJoined } from "../up/until-joined.ts";
import { ensureAdminToken } from "./admin-token.ts";
import { announceHub } from "./announce-hub.ts";
import { findPublicUrl } from "./find-public-name.ts";
import { type AgentLaunchSettings, startFleetAgents } from "./fleet-agents.ts";
import { type HubEndpoints, openHubEndpoints } from "./hub-endpoints.ts";
import { type HubParts, type HubProcess, openHubParts } from "./hub-parts.ts";
import { checkPorts, toHubPorts } from "./hub-ports.ts";
import { startImportedAgents } from "./import-agents.ts";
import { noFleet, type OwnFleet } from "./own-fleet.ts";
import { createPageParts } from "./page-parts.ts";
import { checkGitops, runGitops } from "./run-gitops.ts";

/**
 * Runs a hub until the signal aborts, then closes it gracefully: no new work, calls in progress up to the drain
 * timeout, stores last. Rejects if it cannot start, after closing everything it opened, or if it can no longer work.
 */
export async function serveHub(
  config: ConfigOf<"hub">,
  process: HubProcess,
  signal: AbortSignal,
  ownFleet = noFleet,
): Promise<void> {
  const paths = dataPaths(config.dataDir);
  await checkPorts(toHubPorts(config), paths.folder);
  await checkGitops(config, process);
  await using parts = await openHubParts({ config, process, paths, ownFleet });
  const { hub, log } = parts;
  const ending = new AbortController();
  const working = runTogether([(both) => hub.run(both), (both) => runGitops(parts, both)], ending.signal);
  const opening = ownFleet.open({ paths, random: process.random, log, onProgress: progressOf(process), signal });
  opening.catch(() => undefined); // handled by the await below; prevents an unhandled rejection before it
  try {
    await Promise.race([hub.tokens.loaded, working]);
    const adminTokenId = await ensureAdminToken(hub.tokens, paths.adminTokenFile);
    const fleet = await opening;
    if (!signal.aborted) await serveFleet(parts, { fleet, adminTokenId, working }, signal);
  } finally {
    ending.abort(new Error("the hub is closing"));
    await closeFleet(opening);
    await working;
  }
}

interface Served {
  readonly fleet: OwnFleet;
  readonly adminTokenId: string;
  /** Rejects when the hub can no longer work. */
  readonly working: Promise<void>;
}

/** Listens, and runs the agents of the process's own and of imported clusters, until the signal aborts. */
async function serveFleet(
  parts: HubParts,
  { fleet, adminTokenId, working }: Served,
  signal: AbortSignal,
): Promise<void> {
  const { config, process, paths, clock, log, metrics, health, stores, certificate, hub, listening } = parts;
  const bug = Promise.withResolvers<never>();
  bug.promise.catch(() => undefined); // handled by untilEnded; prevents an unhandled rejection before it
  const page = createPageParts(
    {
      tokens: hub.tokens,
      authorizer: hub.authorizer,
      hubName: parts.hubName,
      version: process.version,
      hubUrl: () => publicUrlOf(parts),
      clock,
      random: process.random,
    },
    parts.pageFiles,
  );
  const endpoints = await openHubEndpoints({
    config,
    hub,
    page,
    services: fleet.services,
    certificate,
    health,
    metrics,
    log,
    clock,
    random: process.random,
    onBug: bug.reject,
  });
  listening.endpoints = endpoints;
  try {
    writeFileSync(paths.kubeconfig, fleet.kubeconfig, { mode: 0o600 });
    const launch = agentLaunchOf(parts, endpoints);
    await using _agents = await startFleetAgents({
      launch,
      clusters: fleet.agents,
      createJoinToken: (id) => createJoinToken(parts, id),
    });
    await using _imported = startImportedAgents({
      launch,
      hubName: parts.hubName,
      follow: (listener, within) => hub.fleet.imports.follow(listener, within),
      allowsLoopback: config.allowLoopbackImports,
    });
    const ownIds = fleet.clusters.map(({ id }) => id);
    await untilJoined(hub.fleet.health, ownIds, { clock, onProgress: progressOf(process) }, signal);
    if (signal.aborted) return;
    const { createLink } = page;
    const link = createLink && (() => createLink(endpoints.plainUrl, adminTokenId));
    // Logged before the announcement, whose login link is the last line on a terminal (CL17).
    log.info("hub is ready", {
      url: endpoints.tlsUrl,
      adminUrl: endpoints.adminUrl,
      storeId: stores.store.storeId,
    });
    using _record = await announceHub(paths.runFile, runFileOf(parts, endpoints, fleet), (record) =>
      process.onReady(record, link),
    );
    await untilEnded(signal, [working, bug.promise]);
    log.info("hub is closing", { drainTimeoutMs: config.drainTimeoutMs });
  } finally {
    health.drain();
    log.info("hub is closed", { cutCount: await endpoints.drain(config.drainTimeoutMs) });
  }
}

function publicUrlOf({ config, listening: { endpoints } }: HubParts): string {
  return findPublicUrl(config, endpoints?.tlsPort ?? config.port) ?? endpoints?.tlsUrl ?? "";
}

function agentLaunchOf({ config, process, paths, certificate, clock, log }: HubParts, { tlsUrl }: HubEndpoints) {
  return {
    program: process.program,
    folder: paths.folder,
    hubUrl: tlsUrl,
    caFile: certificate.caFile ?? "",
    logLevel: config.logLevel === "debug" ? "debug" : "warn",
    logFormat: config.logFormat,
    clock,
    random: process.random,
    log,
  } satisfies AgentLaunchSettings;
}

/** 1 hour: the agent starts immediately. */
const joinTtlMs = 3_600_000;

/** A join token for one of the process's own clusters; undefined if the cluster is already registered. */
async function createJoinToken({ hub }: HubParts, id: string): Promise<string | undefined> {
  const { clusters, clusterRegistration } = hub.fleet.fleet;
  if ((await clusters.load(id)) !== undefined) return undefined;
  const token = await clusterRegistration.joinTokens.create({
    usesLeft: 1,
    namePattern: id,
    needsApproval: false,
    description: `cluster ${id} of flotilla up`,
    ttlMs: joinTtlMs,
  });
  return token.text;
}

function runFileOf({ process, paths, certificate, ownFleet }: HubParts, endpoints: HubEndpoints, fleet: OwnFleet) {
  return {
    pid: process.pid,
    hubUrl: endpoints.tlsUrl,
    httpUrl: endpoints.plainUrl,
    caFile: certificate.caFile ?? "",
    adminTokenFile: paths.adminTokenFile,
    kubeconfig: paths.kubeconfig,
    clusters: fleet.clusters,
    adopted: ownFleet.adopted.map(({ id, context, kubeconfig }) => ({ id, context, kubeconfig })),
  } satisfies RunFile;
}

function progressOf({ onProgress }: HubProcess): (text: string) => void {
  return onProgress ?? (() => undefined);
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
