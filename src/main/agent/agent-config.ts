// SPDX-License-Identifier: Apache-2.0
import type { ConfigOf } from "../config/option-table.ts";

/** The configuration of `flotilla agent`. */
export type AgentConfig = ConfigOf<"agent">;
