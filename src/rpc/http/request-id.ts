// SPDX-License-Identifier: Apache-2.0
import { createId } from "../../base/id.ts";
import type { Random } from "../../base/random.ts";
import { idPrefixes } from "../../model/names.ts";

/** The header with the request id, on every hop and in every response. */
export const requestIdHeader = "x-request-id";

/**
 * 1 to 128 letters, digits and `._~:+/=-`: allows all common id formats, and no characters that could forge a log line.
 */
const validId = /^[A-Za-z0-9._~:+/=-]{1,128}$/;

/** The caller's id if it is valid, otherwise a new one. */
export function chooseRequestId(sent: string | undefined, random: Random): string {
  return sent !== undefined && validId.test(sent) ? sent : createId(idPrefixes.request, random);
}
