// SPDX-License-Identifier: Apache-2.0
import type { AnswerType, Route } from "../../rpc/server/route.ts";
import type { Health } from "../../telemetry/health.ts";
import { answerHealth } from "../../telemetry/health-answer.ts";
import type { PromMetrics } from "../../telemetry/prom-metrics.ts";

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
