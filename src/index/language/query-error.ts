// SPDX-License-Identifier: Apache-2.0
import { FlotillaError } from "../../base/error.ts";

/**
 * Throws INVALID_ARGUMENT for a text of the query language. `at` counts from 0, the message from 1. `what` names
 * the text: the query, the order, the facets or the groups.
 */
export function refuseQuery(at: number, fault: string, what = "query"): never {
  throw new FlotillaError("INVALID_ARGUMENT", `${what}, column ${at + 1}: ${fault}`, { ids: { column: at + 1 } });
}
