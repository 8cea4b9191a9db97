// SPDX-License-Identifier: Apache-2.0
// Entry of the process of a hub that serves its page: the hub's own code over stores in memory, real listeners and the
// built files, and a fleet that is played in the same process. Argument: the plan as JSON.
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInThreadPort } from "../../src/base/in-thread-port.ts";
import { silentLogger as log } from "../../src/base/log.ts";
import { systemRandom as random } from "../../src/base/system-random.ts";
import { systemClock as clock } from "../../src/base/time/system-clock.ts";
import { hasher, hubName, plainCodec, signFor } from "../../src/hub/fleet/testing/test-fleet.ts";
import { createHealthRoute } from "../../src/hub/health/health-route.ts";
import { createHub } from "../../src/hub/hub.ts";
import { createInThreadIndex } from "../../src/hub/index/testing/in-thread-index.ts";
import { createPageParts } from "../../src/main/hub/page-parts.ts";
import { createProbeRoutes } from "../../src/main/runtime/admin-port.ts";
import { parseClusterId } from "../../src/model/cluster-id.ts";
import { hubGroups } from "../../src/rbac/hub-roles.ts";
import { openEndpoint } from "../../src/rpc/server/endpoint.ts";
import { openOwnCertificate } from "../../src/rpc/tls/hub-certificate.ts";
import { createStore } from "../../src/store/create-store.ts";
import { MemoryEngine } from "../../src/store/testing/memory-engine.ts";
import { MemoryFleetLog } from "../../src/store/testing/memory-fleet-log.ts";
import { Health } from "../../src/telemetry/health.ts";
import { PromMetrics } from "../../src/telemetry/prom-metrics.ts";
import type { HubNews, HubOrder, HubPlan } from "./hub-messages.ts";
import { ModelledFleet } from "./modelled-fleet.ts";

/** Longer than a bench: nothing is compacted while it runs. */
const retentionMs = 86_400_000;

const plan = JSON.parse(process.argv[2] ?? "") as HubPlan;
const say = (news: HubNews): void => void process.send?.(news);
const folder = mkdtempSync(join(tmpdir(), "flotilla-bench-ui-"));
process.once("exit", () => rmSync(folder, { recursive: true, force: true }));
// Whoever started it is gone: so is the reason to run.
process.once("disconnect", () => process.exit(0));

const metrics = new PromMetrics({ ofProcess: false });
const store = await createStore(createInThreadPort(new MemoryEngine({ clock, storeId: "st_bench" })), { clock });
const hub = createHub({
  store,
  fleetLog: createInThreadPort(new MemoryFleetLog({ clock })),
  clock,
  random,
  log,
  metrics,
  version: "bench",
  changeRetentionMs: retentionMs,
  historyRetentionMs: retentionMs,
  auditRetentionMs: retentionMs,
  index: createInThreadIndex({ codec: plainCodec, hasher, pause: () => clock.sleep(0) }),
  verifier: {
    verify: async (publicKey, bytes, signature) => Buffer.compare(signFor(publicKey, bytes), signature) === 0,
  },
  hubName,
  hubCa: () => "",
  // All clusters come at once; how fast a hub lets them in is another bench's.
  settings: { admissionRate: 100_000, firstSyncCount: plan.clusterCount },
  thresholds: {},
});
void hub.run(new AbortController().signal);
await hub.tokens.loaded;
const { fleet, health } = hub.fleet;
await fleet.clusters.loaded;
const modelled = await ModelledFleet.start(fleet, plan.clusterCount, (id) => {
  return health.get(parseClusterId(id))?.connection.state;
});

const created = await Promise.all(
  Array.from({ length: plan.tokenCount }, () =>
    hub.tokens.create({ user: "bench", groups: [hubGroups.admins], description: "bench", ttlMs: undefined }),
  ),
);
const { tokens, authorizer } = hub;
let tlsUrl = "";
const page = createPageParts({ tokens, authorizer, hubName, version: "bench", hubUrl: () => tlsUrl, clock, random });
const certificate = await openOwnCertificate({ folder, names: [], clock, log });
const host = "127.0.0.1";
const endpoint = await openEndpoint({
  tls: { host, port: 0, portOption: "--port", certificate },
  plain: { host, port: 0, portOption: "--http-port" },
  services: [...hub.services, ...page.services],
  routes: [
    ...page.routes,
    ...createProbeRoutes(
      { health: new Health({ clock, log }), metrics },
      { kind: "nonResource", verb: "get", path: "/metrics" },
    ),
    createHealthRoute({ health, clock, authorizer }),
  ],
  credentials: page.credentials,
  verifier: tokens,
  authorizer,
  hostNames: [host],
  origins: [],
  clock,
  random,
  log,
  metrics,
});
tlsUrl = endpoint.tls?.url ?? "";
const plainUrl = endpoint.plain?.url ?? "";

process.on("message", (order: HubOrder) => {
  if (order.kind === "link") {
    say({ kind: "link", link: page.createLink?.(plainUrl, created[0]?.record.id ?? "") ?? "" });
    return;
  }
  modelled.setRate(order.perSecond);
  say({ kind: "changed", count: modelled.changeCount });
});
say({
  kind: "ready",
  tlsUrl,
  plainUrl,
  ca: certificate.caFile === undefined ? "" : readFileSync(certificate.caFile, "utf8"),
  tokens: created.map(({ text }) => text),
});
