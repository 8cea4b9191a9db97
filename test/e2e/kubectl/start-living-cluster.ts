// SPDX-License-Identifier: Apache-2.0
import { silentLogger } from "../../../src/base/log.ts";
import { createSeededRandom } from "../../../src/base/random.ts";
import { systemClock } from "../../../src/base/time/system-clock.ts";
import { createSubject } from "../../../src/model/subject.ts";
import { makeNode } from "../../../src/playground/controllers/make-node.ts";
import { createPlaygroundClient } from "../../../src/playground/controllers/playground-client.ts";
import { runPlaygroundControllers } from "../../../src/playground/controllers/run-playground-controllers.ts";
import { mastersGroup } from "../../../src/rbac/authorizer-chain.ts";
import { startApiServer } from "../../support/api-server.ts";
import type { KubectlServer } from "./run-kubectl.ts";

/** Our API server with controllers, a scheduler and one node, so that Deployments become ready Pods. */
export interface LivingCluster extends KubectlServer, AsyncDisposable {}

/** Named as the node of the kit's cluster, so that both print the same. */
const nodeName = "kwok-1";

/** Starts it; `admin` may do everything, `alice` what she is granted. */
export async function startLivingCluster(): Promise<LivingCluster> {
  const admin = createSubject({ user: "admin", groups: [mastersGroup] });
  const users = new Map([
    ["admin-token", admin],
    ["alice-token", createSubject({ user: "alice", groups: [] })],
  ]);
  const started = await startApiServer(users);
  const { server, url, ca } = started;
  const ending = new AbortController();
  const client = createPlaygroundClient(server.cluster, admin);
  const deps = { clock: systemClock, random: createSeededRandom("kubectl"), log: silentLogger };
  const working = runPlaygroundControllers(client, deps, ending.signal);
  await client.create("nodes", makeNode({ name: nodeName, region: "north", zone: "north-a", index: 0 }));
  return {
    url,
    ca,
    tokens: new Map([
      ["admin", "admin-token"],
      ["alice", "alice-token"],
    ]),
    async [Symbol.asyncDispose]() {
      ending.abort(new Error("the test is over"));
      await working;
      await started.close();
    },
  };
}
