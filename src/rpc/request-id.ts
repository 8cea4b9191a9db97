// SPDX-License-Identifier: Apache-2.0
import { createId } from "../base/id.ts";
import type { Random } from "../base/random.ts";
import { idPrefixes } from "../model/names.ts";

/** The header that names one request on every hop and in every answer. */
export const requestIdHeader = "x-request-id";

/** Letters, digits and `._~:+/=-`, 1 to 128 of them: every common id format, and nothing that could forge a line in a log. */
const sane = /^[A-Za-z0-9._~:+/=-]{1,128}$/;

/** The caller's own id if it is sane, else a new one. */
export function chooseRequestId(sent: string | undefined, random: Random): string {
  return sent !== undefined && sane.test(sent) ? sent : createId(idPrefixes.request, random);
}
