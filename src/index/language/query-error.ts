// SPDX-License-Identifier: Apache-2.0
import { FlotillaError } from "../../base/error.ts";

/** Throws INVALID_ARGUMENT for a query. The position counts from 0 here and from 1 in the message. */
export function refuseQuery(at: number, fault: string): never {
  throw new FlotillaError("INVALID_ARGUMENT", `query, column ${at + 1}: ${fault}`, { ids: { column: at + 1 } });
}
