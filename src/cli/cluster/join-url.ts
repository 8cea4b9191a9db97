// SPDX-License-Identifier: Apache-2.0
import { createClient } from "@connectrpc/connect";
import { FlotillaError } from "../../base/error.ts";
import { JoinCodeService, type JoinStep } from "../../gen/flotilla/fleet/v1/join_pb.ts";
import { quote } from "../../model/text.ts";
import type { HubCall } from "../hub/hub-call.ts";
import { say } from "../output/io.ts";
import { printOneOfMany, printResult } from "../output/output.ts";
import { toTerminalText } from "../output/terminal-text.ts";

/** The join URL to create. */
export interface NewJoinUrl {
  readonly region: string;
  readonly environment: string;
  readonly objectReads: boolean;
  readonly needsApproval: boolean;
  /** Must be 1; more is possible only with join tokens. */
  readonly uses: number;
  /** Print progress until the cluster is live. */
  readonly wait: boolean;
}

/**
 * Creates a join URL for one cluster and prints the command that applies its manifest. In text format only that line
 * goes to standard output. With `wait` each step of the join is printed as it happens; throws UNAVAILABLE if the join
 * URL expires before the cluster is live.
 */
export async function createJoinUrl(call: HubCall, clusterId: string, wanted: NewJoinUrl): Promise<void> {
  const { transport, io, output, signal } = call;
  if (clusterId.includes("*"))
    throw new FlotillaError(
      "INVALID_ARGUMENT",
      `${quote(clusterId)} is a pattern, and a join URL is for one cluster; give its id, or use --token-only for several clusters`,
    );
  if (wanted.uses !== 1)
    throw new FlotillaError(
      "INVALID_ARGUMENT",
      "--uses is for tokens, and a join URL is for one cluster; give --token-only too",
    );
  const { region, environment, objectReads, needsApproval, wait } = wanted;
  const client = createClient(JoinCodeService, transport);
  const request = { clusterId, region, environment, objectReads, needsApproval };
  const { id, url, command, publicUrl, expiresInMs, warning } = await client.createJoinCode(request, { signal });
  const expiresInSeconds = Math.round(Number(expiresInMs) / 1_000);
  if (output === "text") {
    const minutes = Math.round(expiresInSeconds / 60);
    say(
      io,
      toTerminalText(
        `run this line where kubectl reaches ${clusterId}, within ${minutes} minutes; it joins one cluster`,
      ),
    );
  }
  if (warning !== "") say(io, toTerminalText(`warning: ${warning}`));
  const value = { id, clusterId, url, command, publicUrl, expiresInSeconds };
  await printResult(io.stdout, output, { value, text: `${toTerminalText(command)}\n` });
  if (wait) await followJoin(call, id);
}

/** Prints each step when it is done or stops, and the hints of the current one. */
async function followJoin({ transport, io, output, signal }: HubCall, id: string): Promise<void> {
  const printed = new Set<string>();
  for await (const { steps, isOver } of createClient(JoinCodeService, transport).watchJoin({ id }, { signal })) {
    for (const step of newSteps(steps, printed)) {
      const value = { step: step.name, state: step.state, sentence: step.sentence, hints: step.hints.map(toHint) };
      const text = [step.sentence, ...step.hints.map(hintLine)].map((line) => `${toTerminalText(line)}\n`).join("");
      await printOneOfMany(output === "text" ? io.stderr : io.stdout, output, { value, text });
    }
    if (isOver && steps.every(({ state }) => state === "done")) return;
  }
  if (!signal.aborted) throw new FlotillaError("UNAVAILABLE", "the join URL has expired and the cluster is not live");
}

/** The steps up to the first unfinished one that have changed since they were printed. */
function newSteps(steps: readonly JoinStep[], printed: Set<string>): readonly JoinStep[] {
  const first = steps.findIndex(({ state }) => state !== "done");
  const reached = first === -1 ? steps : steps.slice(0, first + 1);
  return reached.filter(({ name, state, sentence, hints }) => {
    const key = JSON.stringify([name, state, sentence, hints.length]);
    if (printed.has(key)) return false;
    printed.add(key);
    return true;
  });
}

function toHint({ sentence, command }: JoinStep["hints"][number]): { sentence: string; command: string } {
  return { sentence, command };
}

function hintLine({ sentence, command }: JoinStep["hints"][number]): string {
  return command === "" ? `  - ${sentence}` : `  - ${sentence} Look: ${command}`;
}
