// SPDX-License-Identifier: Apache-2.0
import type { AuthorizerMode } from "../../index/access/judge-grants.ts";
import type { ConfigOf } from "../config/option-table.ts";

/** Settings of whether rows are shown by the RBAC objects of their cluster. */
export interface AccessSettings {
  readonly authorizerMode: AuthorizerMode;
  /** Reviewed samples of each cluster a minute; 0: none. */
  readonly samplesPerMinute: number;
  /** The bound of L17. */
  readonly grantsBoundMs: number;
}

/** Converts the configuration to these settings. */
export function toAccessSettings({
  authorizerMode,
  accessSamples,
  grantsBoundMs,
}: Pick<ConfigOf<"hub">, "authorizerMode" | "accessSamples" | "grantsBoundMs">): AccessSettings {
  return { authorizerMode, samplesPerMinute: accessSamples, grantsBoundMs };
}
