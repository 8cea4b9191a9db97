// SPDX-License-Identifier: Apache-2.0
// The listeners of a hub: the main ones, for everybody, and the admin port.
import type { BugError } from "../../base/assert.ts";
import type { Logger } from "../../base/log.ts";
import type { Random } from "../../base/random.ts";
import type { Clock } from "../../base/time/clock.ts";
import { createHealthRoute } from "../../hub/health/health-route.ts";
import type { Hub } from "../../hub/hub.ts";
import type { ServiceEntry } from "../../rpc/server/connect-router.ts";
import { type Endpoint, openEndpoint } from "../../rpc/server/endpoint.ts";
import type { CertificateSource } from "../../rpc/tls/certificate-source.ts";
import type { Health } from "../../telemetry/health.ts";
import type { PromMetrics } from "../../telemetry/prom-metrics.ts";
import type { ConfigOf } from "../config/option-table.ts";
import { createProbeRoutes, openAdminPort } from "../runtime/admin-port.ts";
import { hubHosts } from "./find-public-name.ts";
import { toHubPorts } from "./hub-ports.ts";
import { createOpenApiRoute } from "./openapi-route.ts";
import type { PageParts } from "./page-parts.ts";

export interface HubEndpointsOptions {
  readonly config: ConfigOf<"hub">;
  readonly hub: Hub;
  readonly page: PageParts;
  /** Services beside the hub's and the page's. */
  readonly services: readonly ServiceEntry[];
  readonly certificate: CertificateSource;
  readonly health: Health;
  readonly metrics: PromMetrics;
  readonly log: Logger;
  readonly clock: Clock;
  readonly random: Random;
  readonly onBug: (bug: BugError) => void;
}

/** The open listeners. URLs are as this process listens, not as others reach it. */
export interface HubEndpoints {
  readonly tlsUrl: string;
  readonly tlsPort: number;
  readonly plainUrl: string;
  readonly adminUrl: string | undefined;
  /**
   * Closes the listeners; calls in progress have until the deadline. Resolves with the number of calls that were cut.
   */
  drain(deadlineMs: number): Promise<number>;
}

/** Opens all listeners. If one cannot be opened, none stays open and the call rejects with LISTEN_FAILED. */
export async function openHubEndpoints(options: HubEndpointsOptions): Promise<HubEndpoints> {
  const { config } = options;
  const main = await openMain(options);
  let admin: Endpoint | undefined;
  try {
    admin = await openAdmin(options);
  } catch (reason) {
    await main.drain(0);
    throw reason;
  }
  return {
    tlsUrl: main.tls?.url ?? "",
    tlsPort: main.tls?.port ?? config.port,
    plainUrl: main.plain?.url ?? "",
    adminUrl: admin?.plain?.url,
    async drain(deadlineMs) {
      const [{ cutCount }] = await Promise.all([main.drain(deadlineMs), admin?.drain(0)]);
      return cutCount;
    },
  };
}

function openMain(options: HubEndpointsOptions): Promise<Endpoint> {
  const { config, hub, page, services, certificate, health, metrics, log, clock, random, onBug } = options;
  const { tls, plain } = toHubPorts(config);
  const allServices = [...hub.services, ...page.services, ...services];
  return openEndpoint({
    tls: { ...tls, certificate },
    plain,
    services: allServices,
    routes: [
      ...page.routes,
      hub.fleet.joining.route,
      hub.fleet.fleetApi,
      createOpenApiRoute(allServices),
      ...createProbeRoutes({ health, metrics }, { kind: "nonResource", verb: "get", path: "/metrics" }),
      createHealthRoute({ health: hub.fleet.health, clock, authorizer: hub.authorizer }),
    ],
    credentials: page.credentials,
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
    onBug,
    onHandshakeFailed: hub.fleet.joining.noteHandshake,
    clock,
    random,
    log,
    metrics,
  });
}

async function openAdmin(options: HubEndpointsOptions): Promise<Endpoint | undefined> {
  const { config, health, metrics, log, clock, random } = options;
  const { admin: address } = toHubPorts(config);
  if (address === undefined) return undefined;
  return await openAdminPort({
    address,
    because: "the admin port serves only probes and metrics, on loopback",
    hostNames: hubHosts(config),
    limits: { maxConnectionCount: config.maxConnections },
    health,
    metrics,
    log,
    clock,
    random,
  });
}
