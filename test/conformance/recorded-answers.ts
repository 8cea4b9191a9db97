// SPDX-License-Identifier: Apache-2.0
// The answers of a real server as files, one for each topic: a line that says which version answered, then a line for
// each step.
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import type { PlayedStep } from "./play-scenario.ts";

/** Answers of one topic by scenario. */
export interface RecordedTopic {
  /** `v1.36.3`. */
  readonly kubernetes: string;
  readonly scenarios: ReadonlyMap<string, readonly PlayedStep[]>;
}

const folder = new URL("recorded/", import.meta.url);

/** The answers that were written for a topic. Throws if there are none. */
export function readRecordedTopic(topic: string): RecordedTopic {
  return fromLines(readFileSync(new URL(`${topic}.jsonl`, folder), "utf8"));
}

export function writeRecordedTopic(topic: string, recorded: RecordedTopic): void {
  mkdirSync(folder, { recursive: true });
  writeFileSync(new URL(`${topic}.jsonl`, folder), toLines(recorded));
}

export function toLines({ kubernetes, scenarios }: RecordedTopic): string {
  const steps = [...scenarios].flatMap(([scenario, played]) => played.map((each) => ({ scenario, ...each })));
  return [{ kubernetes }, ...steps].map((line) => `${JSON.stringify(line)}\n`).join("");
}

export function fromLines(text: string): RecordedTopic {
  const [head = "", ...rest] = text.trimEnd().split("\n");
  const { kubernetes } = JSON.parse(head) as { readonly kubernetes: string };
  const scenarios = new Map<string, PlayedStep[]>();
  for (const line of rest) {
    const { scenario, step, answer } = JSON.parse(line) as PlayedStep & { readonly scenario: string };
    const played = scenarios.get(scenario) ?? [];
    played.push({ step, answer });
    scenarios.set(scenario, played);
  }
  return { kubernetes, scenarios };
}
