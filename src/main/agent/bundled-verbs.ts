// SPDX-License-Identifier: Apache-2.0
// Replaces verbs.ts in an agent's bundle (scripts/bundle-agent.ts), which has only the agent's verbs.
export { agentVerbs as verbs } from "../verbs/agent-verbs.ts";
