// SPDX-License-Identifier: Apache-2.0

import { systemRandom } from "../../src/base/system-random.ts";
import type { Clock } from "../../src/base/time/clock.ts";
import { systemClock } from "../../src/base/time/system-clock.ts";
import type { Answer } from "./answer.ts";
import { readPath } from "./body-path.ts";
import { Normaliser } from "./normalise.ts";
import type { Scenario, Step, Wait } from "./scenario.ts";
import { selectBody } from "./select-body.ts";
import type { ServerUnderTest } from "./server-under-test.ts";
import { StepClient } from "./step-client.ts";
import { substituteDeep } from "./substitute.ts";

/**
 * Between two tries of a step that waits, and how many there are: 30 s, ten times what the slowest controller takes. A
 * play that goes on past a wait in vain has less patience, so that many of them still end within the time of a test.
 */
const pauseMs = 50;
const tryCounts = { fail: 600, "go on": 100 } as const;

/**
 * What a play does where a wait is in vain or a value to save is not there: a recording fails, a comparison goes on and
 * shows the difference.
 */
export type Gaps = keyof typeof tryCounts;

/** Stands for a value that an answer should have had. */
const missingValue = "missing";

/** How a scenario is played. */
export interface PlayOptions {
  /** Default `fail`. */
  readonly gaps?: Gaps;
  readonly clock?: Clock;
}

/** A step and its normalised answer. */
export interface PlayedStep {
  readonly step: string;
  readonly answer: Answer;
}

/**
 * Plays the steps one after another in a new namespace and gives their answers without what differs from run to run.
 * Rejects where no answer comes, and at gaps unless it goes on; never for what a server answers. What it made stays:
 * the servers are thrown away, and deleting it would keep the controllers from those that wait for them.
 */
export async function playScenario(
  server: ServerUnderTest,
  scenario: Scenario,
  { gaps = "fail", clock = systemClock }: PlayOptions = {},
): Promise<readonly PlayedStep[]> {
  const run = `r${Buffer.from(systemRandom.bytes(4)).toString("hex")}`;
  const namespace = `${scenario.id}-${run}`;
  const variables = new Map([
    ["ns", namespace],
    ["run", run],
  ]);
  const normaliser = new Normaliser({ run, nowMs: clock.wallMs() });
  const client = new StepClient(server, clock);
  const played: PlayedStep[] = [];
  try {
    const made = await client.send({
      name: "its namespace",
      method: "POST",
      path: "/api/v1/namespaces",
      body: { metadata: { name: namespace } },
    });
    if (made.status !== 201) throw new Error(`no namespace for ${scenario.id}: ${JSON.stringify(made)}`);
    for (const written of scenario.steps) {
      const step = substituteDeep(written, variables) as Step;
      const answer = await sendUntil(client, step, gaps, clock);
      for (const [name, path] of Object.entries(step.save ?? {})) {
        const value = readSaved(answer, path);
        if (value === undefined && gaps === "fail")
          throw new Error(`nothing to save at ${path}: ${show(scenario, step, answer)}`);
        variables.set(name, value ?? missingValue);
      }
      played.push({ step: written.name, answer: normaliser.normalise(selectBody(step, answer)) });
    }
  } finally {
    client.close();
  }
  return played;
}

function readSaved(answer: Answer, path: string): string | undefined {
  const header = /^header:(.+)$/.exec(path)?.[1];
  const value = header === undefined ? readPath(answer.body, path) : answer.headers[header];
  return typeof value === "string" || typeof value === "number" ? String(value) : undefined;
}

function show(scenario: Scenario, step: Step, answer: Answer): string {
  return `${scenario.id}, ${step.name} was answered ${JSON.stringify(answer).slice(0, 2_000)}`;
}

async function sendUntil(client: StepClient, step: Step, gaps: Gaps, clock: Clock): Promise<Answer> {
  let answer = await client.send(step);
  if (step.wait === undefined) return answer;
  for (let tried = 1; tried < tryCounts[gaps] && !isContent(answer, step.wait); tried += 1) {
    await clock.sleep(pauseMs);
    answer = await client.send(step);
  }
  if (gaps === "go on" || isContent(answer, step.wait)) return answer;
  throw new Error(`${step.name}: waited in vain, the last answer is ${JSON.stringify(answer).slice(0, 2_000)}`);
}

function isContent(answer: Answer, { status, at, equals }: Wait): boolean {
  if (status !== undefined && answer.status !== status) return false;
  return at === undefined || JSON.stringify(readPath(answer.body, at)) === JSON.stringify(equals);
}
