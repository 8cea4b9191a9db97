// SPDX-License-Identifier: Apache-2.0
// Probes and metrics of a process, and the port that serves nothing else.

import type { Logger } from "../../base/log.ts";
import type { Random } from "../../base/random.ts";
import type { Clock } from "../../base/time/clock.ts";
import type { AnswerType, Route } from "../../rpc/http/route.ts";
import type { ListenAddress } from "../../rpc/listener/listen.ts";
import { type Endpoint, type EndpointOptions, openEndpoint } from "../../rpc/server/endpoint.ts";
import type { Health } from "../../telemetry/health.ts";
import { answerHealth } from "../../telemetry/health-answer.ts";
import type { PromMetrics } from "../../telemetry/prom-metrics.ts";

export interface AdminPortOptions {
  readonly address: ListenAddress;
  /** Why metrics need no permission on this port. */
  readonly because: string;
  readonly hostNames: readonly string[];
  readonly limits?: EndpointOptions["limits"];
  readonly health: Health;
  readonly metrics: PromMetrics;
  readonly log: Logger;
  readonly clock: Clock;
  readonly random: Random;
}

/**
 * Opens a plain port for probes and metrics. Every caller may use it, so it has no limits for callers without a token.
 */
export function openAdminPort(options: AdminPortOptions): Promise<Endpoint> {
  const { address, because, hostNames, limits = {}, health, metrics, log, clock, random } = options;
  return openEndpoint({
    plain: address,
    services: [],
    routes: createProbeRoutes({ health, metrics }, { kind: "public", because }),
    verifier: { verify: () => ({ kind: "refused", reason: "unknown" }) },
    authorizer: { isAllowed: () => false },
    hostNames,
    origins: [],
    limits: { ...limits, unauthenticated: undefined },
    clock,
    random,
    log,
    metrics,
  });
}

/** Probes and metrics of a process. */
export interface ProbeSources {
  readonly health: Health;
  readonly metrics: PromMetrics;
}

const probePaths = ["/livez", "/readyz", "/healthz"] as const;

/**
 * `/livez`, `/readyz`, `/healthz` and `/metrics`. Metrics contain cluster names and load, so on a shared port they need
 * a permission.
 */
export function createProbeRoutes({ health, metrics }: ProbeSources, metricsAccess: Route["access"]): readonly Route[] {
  const probes = probePaths.map((path): Route => {
    return {
      path,
      access: { kind: "public", because: "probes have no token, and see only whether this process is healthy" },
      isQuiet: true,
      async handler({ query }) {
        const { status, contentType, body } = (await answerHealth(health, `${path}?${query.toString()}`)) ?? notServed;
        return { status, contentType: contentType as AnswerType, body };
      },
    };
  });
  const scrape: Route = {
    path: "/metrics",
    access: metricsAccess,
    isQuiet: true,
    async handler() {
      const { contentType, body } = await metrics.render();
      return { status: 200, contentType: contentType as AnswerType, body };
    },
  };
  return [...probes, scrape];
}

const notServed = { status: 404, contentType: "text/plain; charset=utf-8", body: "not found\n" };
