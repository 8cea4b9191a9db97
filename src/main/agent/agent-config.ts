// SPDX-License-Identifier: Apache-2.0
import type { ConfigOf } from "../config/option-table.ts";

/** What `flotilla agent` is run with. */
export type AgentConfig = ConfigOf<"agent">;
