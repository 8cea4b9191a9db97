// SPDX-License-Identifier: Apache-2.0
import { createClient } from "@connectrpc/connect";
import { FlotillaError } from "../base/error.ts";
import { JoinCodeService, type JoinStep } from "../gen/flotilla/fleet/v1/join_pb.ts";
import { quote } from "../model/text.ts";
import type { HubCall } from "./hub-call.ts";
import { say } from "./io.ts";
import { printOneOfMany, printResult } from "./output.ts";
import { toTerminalText } from "./terminal-text.ts";

/** The join to be made. */
export interface NewJoinUrl {
  readonly region: string;
  readonly environment: string;
  readonly objectReads: boolean;
  readonly needsApproval: boolean;
  /** More than one is for tokens alone. */
  readonly uses: number;
  /** Follow it until the cluster is live. */
  readonly wait: boolean;
}

/**
 * Makes a join URL for one cluster and prints the line that applies its manifest. As text that line is all that goes to standard output. With `wait` each step of the
 * join is said as it comes; it throws UNAVAILABLE where the join ended without the cluster.
 */
export async function createJoinUrl(call: HubCall, clusterId: string, wanted: NewJoinUrl): Promise<void> {
  const { transport, io, output, signal } = call;
  if (clusterId.includes("*"))
    throw new FlotillaError(
      "INVALID_ARGUMENT",
      `${quote(clusterId)} is a pattern, and a join URL is for one cluster; give its id, or --token-only for a token of many`,
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

/** Says each step when it is done or stops, and the hints of the one that it waits for. */
async function followJoin({ transport, io, output, signal }: HubCall, id: string): Promise<void> {
  const said = new Set<string>();
  for await (const { steps, isOver } of createClient(JoinCodeService, transport).watchJoin({ id }, { signal })) {
    for (const step of newSteps(steps, said)) {
      const value = { step: step.name, state: step.state, sentence: step.sentence, hints: step.hints.map(toHint) };
      const text = [step.sentence, ...step.hints.map(hintLine)].map((line) => `${toTerminalText(line)}\n`).join("");
      await printOneOfMany(output === "text" ? io.stderr : io.stdout, output, { value, text });
    }
    if (isOver && steps.every(({ state }) => state === "done")) return;
  }
  if (!signal.aborted) throw new FlotillaError("UNAVAILABLE", "the join URL has ended and the cluster is not live");
}

/** Those up to the first that is not done, where they say something that was not said. */
function newSteps(steps: readonly JoinStep[], said: Set<string>): readonly JoinStep[] {
  const first = steps.findIndex(({ state }) => state !== "done");
  const reached = first === -1 ? steps : steps.slice(0, first + 1);
  return reached.filter(({ name, state, sentence, hints }) => {
    const key = JSON.stringify([name, state, sentence, hints.length]);
    if (said.has(key)) return false;
    said.add(key);
    return true;
  });
}

function toHint({ sentence, command }: JoinStep["hints"][number]): { sentence: string; command: string } {
  return { sentence, command };
}

function hintLine({ sentence, command }: JoinStep["hints"][number]): string {
  return command === "" ? `  - ${sentence}` : `  - ${sentence} Look: ${command}`;
}
