// SPDX-License-Identifier: Apache-2.0
// `node test/conformance/record.ts [TOPIC...]`: plays the scenarios against a real kube-apiserver and writes recorded/
// anew (default: all topics). Needs the kit (`npm run kubernetes`). Run it when a scenario, the normaliser or the
// version of the kit changes.
import { startOracle } from "./oracle.ts";
import { playTopics } from "./play-topics.ts";
import { writeRecordedTopic } from "./recorded-answers.ts";
import { topics } from "./scenarios/topics.ts";

const wanted = process.argv.slice(2);
const unknown = wanted.filter((name) => !topics.some((topic) => topic.name === name));
if (unknown.length > 0) throw new Error(`no topic ${unknown.join(", ")}`);
await using oracle = await startOracle();
const chosen = wanted.length === 0 ? topics : topics.filter(({ name }) => wanted.includes(name));
for (const [topic, scenarios] of await playTopics(oracle, chosen)) {
  writeRecordedTopic(topic, { kubernetes: oracle.version, scenarios });
}
