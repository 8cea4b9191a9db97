// SPDX-License-Identifier: Apache-2.0
// The hub's side of the page: records, live views, and the service over them.
import { untilAborted } from "../../base/abort.ts";
import type { Logger } from "../../base/log.ts";
import type { Metrics } from "../../base/metrics.ts";
import type { Random } from "../../base/random.ts";
import { runTogether } from "../../base/run-together.ts";
import type { TaskGuard } from "../../base/task-guard.ts";
import type { Clock } from "../../base/time/clock.ts";
import { retry } from "../../base/time/retry.ts";
import type { CallAuthorizer } from "../../rpc/auth/authorize-call.ts";
import type { ServiceEntry } from "../../rpc/server/connect-router.ts";
import type { FleetParts } from "../fleet-services/fleet-parts.ts";
import type { SessionHandlers } from "../sessions/session-events.ts";
import { LiveViews } from "./live-views.ts";
import { PageMetrics } from "./page-metrics.ts";
import type { PageRecords } from "./page-records.ts";
import { createPageService } from "./page-service.ts";
import { PageStreams } from "./page-streams.ts";

export interface PageOptions {
  readonly parts: FleetParts;
  readonly records: PageRecords;
  readonly authorizer: CallAuthorizer;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  readonly metrics: Metrics;
  readonly guard: TaskGuard;
  readonly runId: string;
  /** Version of the served page (PG26). Left out or "": streams carry no version. */
  readonly pageVersion?: string | undefined;
}

/** The live views of a hub. */
export interface HubPage {
  readonly service: ServiceEntry;
  readonly handlers: SessionHandlers;
  readonly streams: PageStreams;
  /** Writes the records until the signal aborts; rejects with its reason or a permanent failure. */
  run(signal: AbortSignal): Promise<void>;
  /** Stores events that arrived after `run`, as sessions ended. Never rejects. */
  close(): Promise<void>;
}

const loadBackoff = { firstMs: 100, factor: 2, capMs: 30_000, stableMs: 10_000 };

/** Creates the page over a fleet and its records. */
export function createPage(options: PageOptions): HubPage {
  const { parts, records, clock, random, log, pageVersion = "" } = options;
  const metrics = new PageMetrics(options.metrics);
  const views = new LiveViews({ ...options, metrics });
  const streams = new PageStreams({ views, clock, random, metrics, pageVersion });
  const loading = { what: "reading the history of clusters", clock, random, log, backoff: loadBackoff };
  return {
    service: createPageService(streams),
    handlers: views.handlers,
    streams,
    async run(signal) {
      const unlisten = parts.fleet.clusters.listen((id) => views.touch(id));
      try {
        await runTogether(
          [
            (both) => records.sessions.run(both),
            async (both) => {
              await retry((inner) => views.load(inner), loading, both);
              await untilAborted(both);
            },
          ],
          signal,
        );
      } finally {
        unlisten();
      }
    },
    async close() {
      await records.sessions.flush();
      await views.settled();
    },
  };
}
