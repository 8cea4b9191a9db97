// SPDX-License-Identifier: Apache-2.0
import { defaultFleetSettings } from "../../hub/fleet/fleet.ts";
import type { SendWebhook } from "../../hub/health/webhook.ts";
import type { HubFleetOptions } from "../../hub/hub-fleet.ts";
import type { ConfigOf } from "../config/option-table.ts";

/** Upper bound of what the wire format adds to a message. */
const envelopeBytes = 1_024;

type FleetConfig = Required<Pick<HubFleetOptions, "settings" | "thresholds">> & Pick<HubFleetOptions, "webhook">;

/** Converts the configuration to the settings of the fleet. */
export function toFleetSettings(config: ConfigOf<"hub">): FleetConfig {
  const { limits } = defaultFleetSettings;
  const maxMessageBytes = config.maxMessageSizeBytes - envelopeBytes;
  return {
    settings: {
      limits: {
        ...limits,
        maxMessageBytes,
        maxCreditBytes: Math.max(limits.maxCreditBytes, 2 * maxMessageBytes),
        heartbeatMs: config.heartbeatIntervalMs,
      },
      claimGraceMs: config.claimGracePeriodMs,
      admissionRate: config.admissionRate,
      firstSyncCount: config.firstSyncs,
      ingestBudgetBytes: config.ingestBudgetBytes,
      drainMs: config.drainTimeoutMs,
      clusterLimits: {
        rowCount: config.maxClusterRows,
        kindCount: config.maxClusterKinds,
        bytes: config.maxClusterSizeBytes,
      },
    },
    thresholds: { staleAfterMs: config.staleAfterMs },
    webhook:
      config.webhookUrl === undefined || config.webhookSecret === undefined
        ? undefined
        : { url: config.webhookUrl, secret: config.webhookSecret.reveal(), send: sendWebhook },
  };
}

const sendWebhook: SendWebhook = async ({ url, headers, body }, signal) => {
  const answer = await fetch(url, { method: "POST", headers, body, signal, redirect: "manual" });
  await answer.body?.cancel(); // the body is not used, and an unread body holds the connection
  return answer.status;
};
