// SPDX-License-Identifier: Apache-2.0
import { assert } from "../../base/assert.ts";
import type { Clock } from "../../base/time/clock.ts";
import type { CallAuthorizer } from "../../rpc/auth/authorize-call.ts";
import { eventStreamType, type Route } from "../../rpc/http/route.ts";
import { createViewerAccess } from "../access/viewer-access.ts";
import type { ClusterHealth } from "./cluster-health.ts";
import { healthDocument, streamHealth, wantsEventStream } from "./health-stream.ts";

export interface HealthRouteOptions {
  readonly health: ClusterHealth;
  readonly clock: Clock;
  /** Must answer synchronously: it is called for every event, and a promise counts as a denial. */
  readonly authorizer: CallAuthorizer;
  /** Interval of comments on a quiet stream. */
  readonly heartbeatMs?: number;
}

/**
 * `GET /health` for every authenticated caller: the clusters that it may `get`, as server-sent events if it accepts
 * them, else as one JSON document. The status is 200 while the hub works, whatever the state of the clusters (R-14,
 *
 */
export function createHealthRoute({ health, clock, authorizer, heartbeatMs }: HealthRouteOptions): Route {
  return {
    path: "/health",
    access: { kind: "authenticated" },
    handler({ caller, log, header }) {
      assert(caller !== undefined, "a route for authenticated callers has a caller");
      const { canSeeCluster: canSee } = createViewerAccess(authorizer, caller.subject, log);
      const reader = { health, clock, canSee };
      if (!wantsEventStream(header("accept"))) {
        return { status: 200, contentType: "application/json", body: healthDocument(reader) };
      }
      const lastEventId = header("last-event-id");
      const options = { ...reader, lastEventId, ...(heartbeatMs === undefined ? {} : { heartbeatMs }) };
      return { status: 200, contentType: eventStreamType, stream: (signal) => streamHealth({ ...options, signal }) };
    },
  };
}
