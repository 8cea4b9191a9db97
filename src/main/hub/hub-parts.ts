// SPDX-License-Identifier: Apache-2.0
// The parts of a hub process that do not serve anybody yet: telemetry, stores, certificate, and the hub over them.
import { readFileSync } from "node:fs";
import type { Logger } from "../../base/log.ts";
import type { Random } from "../../base/random.ts";
import { guardTimers } from "../../base/task-guard.ts";
import type { Clock } from "../../base/time/clock.ts";
import type { Io } from "../../cli/output/io.ts";
import type { RunFile } from "../../cli/run-file.ts";
import { createHub, type Hub } from "../../hub/hub.ts";
import { loadCursorKey, loadHubName } from "../../hub/hub-name.ts";
import { createClusterProbe } from "../../hub/imports/probe-cluster.ts";
import { pageVersionOf } from "../../hub/page/page-version.ts";
import { defaultClusterLimits } from "../../index/fold/cluster-size.ts";
import { ed25519Verifier } from "../../rpc/auth/ed25519.ts";
import type { PageFiles } from "../../rpc/page/page-files.ts";
import { openCertificateFiles } from "../../rpc/tls/certificate-files.ts";
import type { CertificateSource } from "../../rpc/tls/certificate-source.ts";
import { openOwnCertificate } from "../../rpc/tls/hub-certificate.ts";
import type { DataPaths } from "../../store/data-directory.ts";
import { Health } from "../../telemetry/health.ts";
import { metricNames } from "../../telemetry/metric-names.ts";
import type { PromMetrics } from "../../telemetry/prom-metrics.ts";
import { createCountedGuard } from "../../telemetry/task-failures.ts";
import type { ConfigOf } from "../config/option-table.ts";
import { openTelemetry } from "../runtime/open-telemetry.ts";
import { toAccessSettings } from "./access-settings.ts";
import { findPublicName, hubHosts } from "./find-public-name.ts";
import { toFleetSettings } from "./fleet-settings.ts";
import type { HubEndpoints } from "./hub-endpoints.ts";
import { type HubStores, openHubStores } from "./hub-stores.ts";
import { openIndex } from "./open-index.ts";
import type { OwnFleetPlan } from "./own-fleet.ts";
import { readBuiltPage } from "./page-parts.ts";
import { readIdentities } from "./read-identities.ts";
import { renderJoinManifest } from "./render-join-manifest.ts";
import { createStandingSend } from "./send-standing-webhook.ts";

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

export interface HubPartsOptions {
  readonly config: ConfigOf<"hub">;
  readonly process: HubProcess;
  readonly paths: DataPaths;
  readonly ownFleet: OwnFleetPlan;
}

/** Disposing closes the stores. */
export interface HubParts extends HubPartsOptions, AsyncDisposable {
  /** All timers of the hub use this clock, so that an error in one does not end the process (L14). */
  readonly clock: Clock;
  readonly log: Logger;
  readonly metrics: PromMetrics;
  readonly health: Health;
  readonly stores: HubStores;
  readonly certificate: CertificateSource;
  readonly hubName: string;
  /** Undefined if the page was not built. */
  readonly pageFiles: PageFiles | undefined;
  readonly hub: Hub;
  /** Set when the hub listens. The listeners need the hub, and the hub's public name needs the port that they got. */
  readonly listening: { endpoints?: HubEndpoints };
}

/** Opens the stores and creates the hub. Nothing runs yet. After a failure everything opened before is closed again. */
export async function openHubParts({ config, process, paths, ownFleet }: HubPartsOptions): Promise<HubParts> {
  const { random, version } = process;
  const { log, metrics } = await openTelemetry(config, process);
  const clock = guardTimers(process.clock, createCountedGuard({ log, metrics }));
  metrics
    .gauge({ name: metricNames.buildInfo, help: "1, with the version of this process.", labels: ["version"] })
    .set({ version }, 1);
  const health = new Health({ clock, log });
  await using opening = new AsyncDisposableStack();
  const stores = opening.use(await openHubStores(paths, { clock, encryptedResources: config.encryptedResources }));
  const certificate = await openCertificate(config, { folder: paths.tlsFolder, clock, log });
  const hubName = await loadHubName(stores.store, random);
  const pageFiles = readBuiltPage();
  const listening: HubParts["listening"] = {};
  const adoptedIds = new Set(ownFleet.adopted.map(({ id }) => id));
  const { settings, thresholds, webhook } = toFleetSettings(config);
  const index = await openIndex({
    limits: settings.clusterLimits ?? defaultClusterLimits,
    cursorKey: await loadCursorKey(stores.store, random),
  });
  opening.defer(() => index.close());
  const hub = createHub({
    store: stores.store,
    fleetLog: stores.fleetLog,
    clock,
    random,
    log,
    metrics,
    version,
    changeRetentionMs: config.changeRetentionMs,
    historyRetentionMs: config.historyRetentionMs,
    auditRetentionMs: config.auditRetentionMs,
    index,
    verifier: ed25519Verifier,
    hubName,
    pageVersion: pageVersionOf(pageFiles),
    ...toAccessSettings(config),
    identities: readIdentities(config.clusterIdentities),
    sourceOf: (id) => (adoptedIds.has(id) ? "adopted" : "agent"),
    allowsLoopbackImports: config.allowLoopbackImports,
    probe: createClusterProbe({ clock, userAgent: `flotilla-hub/${version}`, environment: process.io.env }),
    hubCa: () => (certificate.caFile === undefined ? "" : readFileSync(certificate.caFile, "utf8")),
    joining: {
      publicName: () => findPublicName(config, listening.endpoints?.tlsPort ?? config.port, certificate),
      renderManifest: (manifest) =>
        renderJoinManifest(manifest, {
          agentImage: config.agentImage,
          agentImagePullSecrets: config.agentImagePullSecrets,
          version,
        }),
    },
    settings,
    thresholds,
    webhook,
    answersFleetQueries: config.fleetQueries,
    standingQueries: {
      allowsLoopback: config.allowLoopbackWebhooks,
      countPerOwner: config.standingQueriesPerOwner,
      send: createStandingSend({ allowsLoopback: config.allowLoopbackWebhooks }),
    },
  });
  for (const [name, check] of hub.readiness) health.setCheck(name, check);
  const opened = opening.move();
  return {
    config,
    process,
    paths,
    ownFleet,
    clock,
    log,
    metrics,
    health,
    stores,
    certificate,
    hubName,
    pageFiles,
    hub,
    listening,
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  };
}

/** The certificate of the files that the operator gives; otherwise the hub's own, kept in `folder`. */
function openCertificate(
  config: ConfigOf<"hub">,
  { folder, clock, log }: { readonly folder: string; readonly clock: Clock; readonly log: Logger },
): Promise<CertificateSource> {
  const { tlsCertFile: certificateFile, tlsKeyFile: keyFile } = config;
  return certificateFile !== undefined && keyFile !== undefined
    ? openCertificateFiles({ certificateFile, keyFile, clock, log })
    : openOwnCertificate({ folder, names: hubHosts(config), clock, log });
}
