// SPDX-License-Identifier: Apache-2.0
// In an agent's bundle this stands in the place of verbs.ts (scripts/bundle-agent.ts): the same program with the verbs of an agent only.
export { agentVerbs as verbs } from "../agent-verbs.ts";
