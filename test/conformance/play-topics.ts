// SPDX-License-Identifier: Apache-2.0
import { type PlayedStep, playScenario } from "./play-scenario.ts";
import type { Topic } from "./scenario.ts";
import type { ServerUnderTest } from "./server-under-test.ts";

/** Scenarios at once: most of the time of one is waiting for answers, and two cores serve them. */
const atOnceCount = 6;

/**
 * Plays all scenarios of the topics, several at once, and gives their answers by topic and scenario, in the order of
 * the topics.
 */
export async function playTopics(
  server: ServerUnderTest,
  topics: readonly Topic[],
): Promise<ReadonlyMap<string, ReadonlyMap<string, readonly PlayedStep[]>>> {
  const all = topics.flatMap(({ name, scenarios }) => scenarios.map((scenario) => ({ topic: name, scenario })));
  const played: (readonly PlayedStep[])[] = [];
  let next = 0;
  const playNext = async (): Promise<void> => {
    for (let index = next++; index < all.length; index = next++) {
      const one = all[index];
      if (one !== undefined) played[index] = await playScenario(server, one.scenario);
    }
  };
  await Promise.all(Array.from({ length: atOnceCount }, playNext));
  const byTopic = new Map(topics.map(({ name }) => [name, new Map<string, readonly PlayedStep[]>()]));
  for (const [index, { topic, scenario }] of all.entries()) byTopic.get(topic)?.set(scenario.id, played[index] ?? []);
  return byTopic;
}
