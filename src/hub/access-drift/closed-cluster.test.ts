// SPDX-License-Identifier: Apache-2.0
// A cluster whose rows are withheld, over restarts of a whole hub.
import { afterEach, expect, test } from "vitest";
import { settle } from "../../base/testing/manual-clock.ts";
import {
  AccessReviewRight,
  AccessVerdict,
  ClusterAuthorizers,
  KindState,
} from "../../gen/flotilla/session/v1/session_pb.ts";
import { rbacResources } from "../../model/rbac-resources.ts";
import { createSubject } from "../../model/subject.ts";
import { createDisk } from "../fleet/testing/test-fleet.ts";
import { bindingTo, viewerRole } from "../index/testing/live-rig.ts";
import { sendGrants } from "../page/testing/page-grants.ts";
import { PageRig, pods } from "../page/testing/page-rig.ts";
import { plainQuery } from "../rows/fleet-queries.ts";

const ada = createSubject({ user: "ada", groups: ["testers"] });
const access = { samplesPerMinute: 4 } as const;

let rig: PageRig;
let view: RowsSeen;

afterEach(async () => {
  await view.close();
  await rig.stop();
});

/** The names of all rows that a live view of ada has had. */
class RowsSeen {
  readonly names = new Set<string>();
  readonly #closing = new AbortController();
  readonly #running: Promise<void>;

  constructor({ hub }: PageRig) {
    this.#running = this.#follow(hub.fleet.reader.queries(ada)).catch((reason: unknown) => {
      if (!this.#closing.signal.aborted) throw reason;
    });
  }

  async close(): Promise<void> {
    this.#closing.abort(new Error("done"));
    await this.#running;
  }

  async #follow(queries: ReturnType<PageRig["hub"]["fleet"]["reader"]["queries"]>): Promise<void> {
    const query = { text: "kind:Pod", limit: 10, sort: [], facets: [], position: "" };
    for await (const update of queries.watch(query, this.#closing.signal))
      if (update !== "unchanged") for (const { row } of update.rows) this.names.add(row.name);
  }
}

/** Starts a hub on the disk, and opens a view before its clock has moved. */
async function start(...[disk, options = access]: Parameters<typeof PageRig.start>): Promise<void> {
  rig = await PageRig.start(disk, options);
  rig.authorizer.grants.set("ada", { clusters: "all", seesObjects: true });
  view = new RowsSeen(rig);
}

async function listed(): Promise<readonly string[]> {
  const listing = rig.hub.fleet.reader.queries(ada).list({ ...plainQuery, text: "kind:Pod", limit: 10 });
  await rig.clock.advance(0);
  return (await listing).rows.map(({ row }) => row.name);
}

/** The agent arrives, and may review access. */
async function arrive(): Promise<void> {
  await rig.arrive("east");
  rig.agent("east").send({
    case: "accessReport",
    value: { authorizers: ClusterAuthorizers.RBAC, reviews: AccessReviewRight.ALLOWED },
  });
  await settle();
}

/** Lets minutes pass in which the cluster allows ada what its RBAC objects allow, or nothing. */
async function pass(minutes: number, isAllowing: boolean): Promise<void> {
  const agent = rig.agent("east");
  for (let step = 0; step < minutes * 30; step += 1) {
    await rig.advance(2_000);
    if (agent.count("reviewAccess") === 0) continue;
    const { number, questions } = await agent.next("reviewAccess");
    const verdicts = questions.map(({ resource, namespace }) =>
      isAllowing && resource === "pods" && namespace === "shop" ? AccessVerdict.ALLOWED : AccessVerdict.DENIED,
    );
    agent.send({ case: "accessVerdicts", value: { number, verdicts } });
    await settle();
  }
}

async function fill(): Promise<void> {
  await arrive();
  await sendGrants(rig, "east", viewerRole("pods", ["pods"]), bindingTo("User", "ada", "pods", "shop"));
  await rig.send("east", rig.pod("east", "web", "healthy", "shop"));
  rig.agent("east").digestKinds([pods, ...rbacResources]);
  await rig.advance(5_000);
}

test("[RB83] [RB84] [L17] a cluster that denies what we show stays closed over a restart, from its first moment, until samples agree", async () => {
  const disk = createDisk();
  await start(disk);
  await fill();
  expect([await listed(), [...view.names]]).toEqual([["web"], ["web"]]);
  await pass(3, false);
  expect(await listed()).toEqual([]);
  await view.close();
  await rig.stop();

  await start(disk);
  for (let step = 0; step < 50; step += 1) {
    expect(await listed()).toEqual([]);
    await rig.clock.advance(100);
  }
  expect([...view.names]).toEqual([]);
  await fill();
  await pass(1, false);
  expect([await listed(), [...view.names]]).toEqual([[], []]);
  await pass(6, true);
  expect([await listed(), [...view.names]]).toEqual([["web"], ["web"]]);
});

test("[RB85] [Q-43] rows that are withheld because the RBAC objects alone are old stay so over a restart, until these are current", async () => {
  const disk = createDisk();
  await start(disk, {});
  await fill();
  rig.agent("east").statuses(rbacResources, true, KindState.FAILED);
  await rig.advance(200_000);
  expect(await listed()).toEqual([]);
  await view.close();
  await rig.stop();

  await start(disk, {});
  for (let step = 0; step < 50; step += 1) {
    expect(await listed()).toEqual([]);
    await rig.clock.advance(100);
  }
  expect([...view.names]).toEqual([]);
  await fill();
  expect([await listed(), [...view.names]]).toEqual([["web"], ["web"]]);
});

test("[RB84] a hub whose mode is closed shows no row of a cluster with unknown authorizers in the first moments of a run", async () => {
  const disk = createDisk();
  await start(disk);
  await fill();
  expect(await listed()).toEqual(["web"]);
  await view.close();
  await rig.stop();
  await start(disk, { authorizerMode: "closed" });
  for (let step = 0; step < 50; step += 1) {
    expect(await listed()).toEqual([]);
    await rig.clock.advance(100);
  }
  expect([...view.names]).toEqual([]);
});
