// SPDX-License-Identifier: Apache-2.0
import { FlotillaError } from "../../base/error.ts";
import type { HubCall } from "../hub/hub-call.ts";

/**
 * Asks for confirmation of a change that is hard to undo. `isSure` (`--yes`) skips the question. Throws
 * INVALID_ARGUMENT if the answer is no, or if there is no terminal to ask on.
 */
export async function confirm(
  { io, signal }: Pick<HubCall, "io" | "signal">,
  question: string,
  isSure: boolean,
): Promise<void> {
  if (isSure) return;
  if (io.ask === undefined)
    throw new FlotillaError("INVALID_ARGUMENT", `${question} Not run from a terminal: add --yes to confirm`);
  const answer = await io.ask(`${question} [y/N] `, signal);
  if (!/^y(es)?$/i.test(answer.trim())) throw new FlotillaError("INVALID_ARGUMENT", "nothing was changed");
}
