// SPDX-License-Identifier: Apache-2.0
import { createInThreadPort } from "../../../base/in-thread-port.ts";
import { silentLogger } from "../../../base/log.ts";
import { createSeededRandom } from "../../../base/random.ts";
import { settle } from "../../../base/testing/manual-clock.ts";
import { createStore } from "../../../store/create-store.ts";
import type { FleetLog } from "../../../store/fleet-log/fleet-log.ts";
import { AuditLog } from "../../audit/audit-log.ts";
import { createFleet, type Fleet } from "../../fleet/fleet.ts";
import { CountedMetrics } from "../../fleet/testing/counted-metrics.ts";
import { createDisk, hasher, hubName, plainCodec, signFor, type TestDisk } from "../../fleet/testing/test-fleet.ts";
import { createInThreadIndex } from "../../index/testing/in-thread-index.ts";
import { SessionFeed } from "../../sessions/session-feed.ts";
import { type AccessChecks, createAccessChecks } from "../create-access-checks.ts";
import type { AccessSampler } from "../sample-round.ts";

/** A hub's sessions with access checks over them. */
export interface SessionFleet {
  readonly fleet: Fleet;
  readonly checks: AccessChecks;
  readonly metrics: CountedMetrics;
  readonly clock: TestDisk["clock"];
  stop(): Promise<void>;
}

export async function startSessionFleet(sampler: AccessSampler): Promise<SessionFleet> {
  const { clock, engine, logEngine } = createDisk();
  const log = silentLogger;
  const random = createSeededRandom("access");
  const metrics = new CountedMetrics();
  const store = await createStore(createInThreadPort(engine), { clock, bookmarkMs: 365 * 86_400_000 });
  const fleetLog: FleetLog = createInThreadPort(logEngine);
  const sessionFeed = new SessionFeed();
  const verifier = {
    verify: async (key: Uint8Array, bytes: Uint8Array, signature: Uint8Array) =>
      signFor(key, bytes).every((byte, at) => byte === signature[at]),
  };
  const index = createInThreadIndex({ codec: plainCodec, hasher, pause: () => clock.sleep(0) });
  const fleet = createFleet(
    { store, fleetLog, clock, random, log, metrics, index, verifier, hubName },
    { audit: new AuditLog({ store, clock, log }), authorizer: { isAllowed: () => false }, sessionFeed },
  );
  const { sessions } = fleet;
  const rest = { samplesPerMinute: 2, isCurrent: () => true };
  const checks = createAccessChecks({ store, clock, random, log, metrics, sessions, sampler, ...rest });
  for (const handlers of checks.handlers) sessionFeed.subscribe(handlers);
  const stopping = new AbortController();
  const running = Promise.all([fleet.run(stopping.signal), checks.run(stopping.signal).catch(() => undefined)]);
  await fleet.clusters.loaded;
  await settle();
  return {
    fleet,
    checks,
    metrics,
    clock,
    async stop() {
      stopping.abort(new Error("done"));
      await clock.advance(10_000);
      await running;
    },
  };
}
