// SPDX-License-Identifier: Apache-2.0
import type { AuthorizerMode } from "../../index/access/judge-grants.ts";
import type { ConfigOf } from "../config/option-table.ts";

/** Settings for clusters that have other authorizers than RBAC. */
export interface AccessSettings {
  readonly authorizerMode: AuthorizerMode;
  /** Reviewed samples of each cluster a minute; 0: none. */
  readonly samplesPerMinute: number;
}

/** Converts the configuration to these settings. */
export function toAccessSettings({
  authorizerMode,
  accessSamples,
}: Pick<ConfigOf<"hub">, "authorizerMode" | "accessSamples">): AccessSettings {
  return { authorizerMode, samplesPerMinute: accessSamples };
}
