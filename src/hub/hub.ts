// SPDX-License-Identifier: Apache-2.0
// The hub as a whole: its services and its background work. Listeners and files belong to main.
import { runTogether } from "../base/run-together.ts";
import { createHubAuthorizer } from "../rbac/hub-roles.ts";
import type { CallAuthorizer } from "../rpc/auth/authorize-call.ts";
import type { ServiceEntry } from "../rpc/server/connect-router.ts";
import { tokens } from "../store/tables.ts";
import { AuditLog } from "./audit/audit-log.ts";
import { createAuditService } from "./audit/audit-service.ts";
import { auditRetention } from "./audit/trim-audit.ts";
import { createHubFleet, type HubFleet, type HubFleetOptions } from "./hub-fleet.ts";
import { storeRetentions } from "./retention.ts";
import { createSystemService } from "./system-service.ts";
import { TokenRegistry } from "./tokens/token-registry.ts";
import { createTokenService } from "./tokens/token-service.ts";

export interface HubOptions extends HubFleetOptions {
  readonly version: string;
  readonly changeRetentionMs: number;
  readonly historyRetentionMs: number;
  /** `--audit-retention`. */
  readonly auditRetentionMs: number;
}

export interface Hub {
  readonly services: readonly ServiceEntry[];
  readonly tokens: TokenRegistry;
  readonly fleet: HubFleet;
  readonly authorizer: CallAuthorizer;
  /** Readiness checks by name. Each throws while the hub is not ready. */
  readonly readiness: ReadonlyMap<string, () => Promise<void>>;
  /** Runs until the signal aborts. Rejects on a permanent failure. */
  run(signal: AbortSignal): Promise<void>;
}

/** Creates a hub over open stores. It serves nothing before main opens a listener for its services. */
export function createHub(options: HubOptions): Hub {
  const { store, fleetLog, clock, random, log, version } = options;
  const { changeRetentionMs, historyRetentionMs, auditRetentionMs } = options;
  const audit = new AuditLog({ store, clock, log });
  const registry = new TokenRegistry({ store, audit, clock, random, log });
  const decide = createHubAuthorizer();
  const authorizer: CallAuthorizer = { isAllowed: (subject, request) => decide(subject, request).decision === "allow" };
  const retentions = [
    ...storeRetentions({ store, fleetLog, clock, changeRetentionMs, historyRetentionMs }),
    auditRetention({ store, audit, clock, retentionMs: auditRetentionMs }),
  ];
  const fleet = createHubFleet(options, { audit, authorizer, tokens: registry, retentions });
  return {
    services: [
      createTokenService(store, registry),
      createSystemService(store, version),
      createAuditService(store, clock),
      ...fleet.services,
    ],
    tokens: registry,
    fleet,
    authorizer,
    readiness: new Map([
      ["store", async () => void (await store.list(tokens, { prefix: [store.workspace], limit: 1 }))],
      ["fleet-log", async () => void (await fleetLog.progress("", ""))],
      ["tokens", async () => registry.assertLoaded()],
    ]),
    run: (signal) => runTogether([(both) => registry.run(both), (both) => fleet.run(both)], signal),
  };
}
