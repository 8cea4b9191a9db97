// SPDX-License-Identifier: Apache-2.0
import { createClient } from "@connectrpc/connect";
import { FlotillaError } from "../../base/error.ts";
import type { ErrorCode } from "../../base/error-codes.ts";
import { HintOutcome, HintService } from "../../gen/flotilla/fleet/v1/hint_pb.ts";
import type { HubCall } from "../hub/hub-call.ts";
import { printResult } from "../output/output.ts";
import { toTerminalText } from "../output/terminal-text.ts";
import type { WantedObject } from "./cluster-object.ts";

/** The words of JSON and YAML for outcomes. */
const words: Readonly<Record<HintOutcome, string>> = {
  [HintOutcome.UNSPECIFIED]: "unknown",
  [HintOutcome.REFRESHED]: "refreshed",
  [HintOutcome.UNCHANGED]: "unchanged",
  [HintOutcome.NOT_FOUND]: "notFound",
  [HintOutcome.LEFT_TO_WATCH]: "leftToWatch",
  [HintOutcome.CLUSTER_AWAY]: "clusterAway",
};

/** Outcomes in which no object was read. The exit code is that of the error. */
const failures: ReadonlyMap<HintOutcome, ErrorCode> = new Map([
  [HintOutcome.NOT_FOUND, "NOT_FOUND"],
  [HintOutcome.CLUSTER_AWAY, "UNAVAILABLE"],
]);

/**
 * Makes the cluster's agent read an object now, and prints the outcome. Throws NOT_FOUND if the cluster has no such
 * object, and UNAVAILABLE if its agent is not connected; JSON and YAML are printed before.
 */
export async function hintObject({ transport, io, output, signal }: HubCall, hinted: WantedObject): Promise<void> {
  const { outcome, sentence } = await createClient(HintService, transport).hintObject({ ...hinted }, { signal });
  const failure = failures.get(outcome);
  if (failure === undefined || output !== "text") {
    const value = { ...hinted, outcome: words[outcome] ?? "unknown", sentence };
    await printResult(io.stdout, output, { value, text: `${toTerminalText(sentence)}\n` });
  }
  if (failure !== undefined) throw new FlotillaError(failure, sentence);
}
