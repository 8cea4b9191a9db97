// SPDX-License-Identifier: Apache-2.0
import { relative } from "node:path";
import { cwd } from "node:process";
import { expect, test } from "vitest";
import { type AgentLocation, agentIdAt } from "./agent-location.ts";

const file: AgentLocation = { kind: "file", hostName: "host", keyFile: "/var/agents/east.json" };
const pod: AgentLocation = { kind: "pod", namespace: "flotilla", hostName: "agent-5d9c-x2vqz" };

test("[SE1] [CO7] an agent has the same id whenever it is begun at its place, however the path of its key is written", () => {
  expect(agentIdAt("east", file)).toBe(agentIdAt("east", { ...file }));
  expect(agentIdAt("east", { ...file, keyFile: relative(cwd(), file.keyFile) })).toBe(agentIdAt("east", file));
  for (const place of [file, pod]) expect(agentIdAt("east", place)).toMatch(/^agt_[a-z0-9]{16,40}$/);
});

test("[SE1] on another host, with another key file, in another Pod, for another cluster it has another id", () => {
  const ids = [
    agentIdAt("east", file),
    agentIdAt("west", file),
    agentIdAt("east", { ...file, hostName: "other" }),
    agentIdAt("east", { ...file, keyFile: "/var/agents/copy.json" }),
    agentIdAt("east", pod),
    agentIdAt("east", { ...pod, hostName: "agent-5d9c-b7hqk" }),
    agentIdAt("east", { ...pod, namespace: "other" }),
    agentIdAt("east", { kind: "pod", namespace: "host", hostName: "/var/agents/east.json" }),
  ];
  expect(new Set(ids).size).toBe(ids.length);
});
