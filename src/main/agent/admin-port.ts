// SPDX-License-Identifier: Apache-2.0
import type { Clock } from "../../base/clock.ts";
import type { Logger } from "../../base/log.ts";
import type { Random } from "../../base/random.ts";
import { openEndpoint } from "../../rpc/server/endpoint.ts";
import type { Health } from "../../telemetry/health.ts";
import type { PromMetrics } from "../../telemetry/prom-metrics.ts";
import { createProbeRoutes } from "../hub/hub-routes.ts";

export interface AdminPortOptions {
  readonly config: { readonly adminPort: number | undefined; readonly adminAddress: string };
  readonly health: Health;
  readonly metrics: PromMetrics;
  readonly log: Logger;
  readonly clock: Clock;
  readonly random: Random;
}

/** Opens an agent's port for probes and metrics, if one is configured. */
export async function openAdminPort({
  config,
  health,
  metrics,
  ...shared
}: AdminPortOptions): Promise<AsyncDisposable> {
  const { adminPort, adminAddress } = config;
  if (adminPort === undefined) return { [Symbol.asyncDispose]: () => Promise.resolve() };
  const access = {
    kind: "public",
    because: "the agent's admin port serves only probes and metrics, to its own Pod's network",
  } as const;
  const endpoint = await openEndpoint({
    ...shared,
    metrics,
    limits: { unauthenticated: undefined },
    plain: { host: adminAddress, port: adminPort, portOption: "--admin-port", name: "admin" },
    services: [],
    routes: createProbeRoutes({ health, metrics }, access),
    verifier: { verify: () => ({ kind: "refused", reason: "unknown" }) },
    authorizer: { isAllowed: () => false },
    hostNames: [],
    origins: [],
  });
  shared.log.info("serving probes and metrics", { url: endpoint.plain?.url });
  return {
    async [Symbol.asyncDispose]() {
      health.drain();
      await endpoint.drain(0);
    },
  };
}
