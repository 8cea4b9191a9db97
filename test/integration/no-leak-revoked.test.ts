// SPDX-License-Identifier: Apache-2.0
// A user of a running hub whose right to see a namespace is taken away: open watches, cursors that it kept, and the
// webhooks of its standing queries.
import { type Client, createClient } from "@connectrpc/connect";
import { afterAll, beforeAll, expect, test } from "vitest";
import { silentLogger } from "../../src/base/log.ts";
import { createSeededRandom } from "../../src/base/random.ts";
import { QueryService } from "../../src/gen/flotilla/query/v1/query_pb.ts";
import { bindingTo, viewerRole } from "../../src/hub/index/testing/live-rig.ts";
import { sendGrants, sendRevocations } from "../../src/hub/page/testing/page-grants.ts";
import { PageRig } from "../../src/hub/page/testing/page-rig.ts";
import { StandingQueries } from "../../src/hub/saved-queries/standing-queries.ts";
import { StandingQueryDefinitions } from "../../src/hub/saved-queries/standing-query-definitions.ts";
import { openQueryStore, RecordedAudit, testActor } from "../../src/hub/saved-queries/testing/query-store.ts";
import { openTestHub, type TestHub } from "../../src/rpc/testing/test-hub.ts";
import { KubeClient } from "../kubernetes/kube-client.ts";

const inShop = bindingTo("User", "ada", "pods", "shop");
const inVault = bindingTo("User", "ada", "pods", "vault");

let rig: PageRig;
let hub: TestHub;
let kube: KubeClient;
let queries: Client<typeof QueryService>;

/** Lets the hub's clock run while a request over the network is under way. */
async function pumped<Answer>(asking: Promise<Answer>): Promise<Answer> {
  const state = { isOver: false };
  const answering = asking.finally(() => {
    state.isOver = true;
  });
  while (!state.isOver) await rig.clock.advance(50);
  return answering;
}

/** What differs at any two moments. As in Kubernetes, positions count all changes. */
const isMoving = (key: string): boolean => /MsAgo$|^tookMs$|^position$|resourceVersion|^continue$/.test(key);

function toText(value: unknown): string {
  return JSON.stringify(value, (key, each: unknown) =>
    isMoving(key) ? undefined : typeof each === "bigint" ? String(each) : each,
  );
}

const pod = (name: string, namespace: string) => rig.pod("east", name, "unhealthy", namespace);

beforeAll(async () => {
  rig = await PageRig.start();
  const isRead = (verb: string): boolean => ["get", "list", "watch"].includes(verb);
  rig.authorizer.isAllowed = (_subject, request) => request.kind === "resource" && isRead(request.verb);
  const { services, fleetApi } = rig.hub;
  hub = await openTestHub({ services, routes: [fleetApi], authorizer: rig.authorizer, clock: rig.clock });
  hub.tokens.add("ada");
  kube = new KubeClient({ url: hub.url, ca: hub.ca, token: "ada" });
  queries = createClient(QueryService, hub.transport("ada"));
  await rig.arrive("east");
  await sendGrants(rig, "east", viewerRole("pods", ["pods"]), inShop);
  await rig.send("east", pod("api", "shop"), pod("web", "shop"));
  await rig.send("east", ...["vault-1", "vault-2", "vault-3"].map((name) => pod(name, "vault")));
});

afterAll(async () => {
  kube.close();
  await hub[Symbol.asyncDispose]();
  await rig.stop();
});

/** Deletes pods of the namespace vault. */
async function deleteInVault(...names: readonly string[]): Promise<void> {
  const deletes = names.map((name) => ({ namespace: "vault", name, uid: pod(name, "vault").uid }));
  await rig.agent("east").flush([{ resource: "pods", deletes }]);
  await rig.clock.advance(1_000);
}

/** A watch of the fleet API, until it ends. */
async function watchPods(): Promise<string> {
  const { body } = await kube.send("GET", "/fleet-api/api/v1/pods?watch=1", {
    headers: { accept: "application/json;as=Table;v=v1;g=meta.k8s.io,application/json" },
  });
  return typeof body === "string" ? body : JSON.stringify(body);
}

test("[FA11] [L17] an open watch of the fleet API ends after a revocation, and no row that comes with it or later is sent", async () => {
  await sendGrants(rig, "east", inVault);
  const watching = watchPods();
  const state = { text: "" };
  void watching.then((text) => (state.text = text));
  for (let step = 0; step < 40; step += 1) await rig.clock.advance(100);
  expect(state.text).toBe("");
  // Rows and the revocation arrive at the same time, and rows go on coming.
  const revoking = sendRevocations(rig, "east", inVault);
  const sending = rig.send("east", pod("late-1", "vault"), pod("in-shop", "shop"));
  await Promise.all([revoking, sending, deleteInVault("vault-3")]);
  await rig.send("east", pod("late-2", "vault"));
  const text = await pumped(watching);
  expect(text).toContain("vault-1");
  expect(text).not.toMatch(/late-/);
  // Nor is it shown that a row is gone which the user may no longer see.
  expect(text).not.toContain('"DELETED"');
  const last = text.trim().split("\n").at(-1) ?? "";
  expect(JSON.parse(last)).toMatchObject({ type: "ERROR", object: { code: 410, reason: "Expired" } });
  // The client lists again, as for any 410.
  const table = { accept: "application/json;as=Table;v=v1;g=meta.k8s.io,application/json" };
  const listed = toText(await pumped(kube.send("GET", "/fleet-api/api/v1/pods", { headers: table })));
  expect(listed).toContain("in-shop");
  expect(listed).not.toMatch(/vault|late/);
});

/** Pages that a user can ask for again, by what they are. The first answers give the cursors. */
async function takeCursors(): Promise<Readonly<Record<string, () => Promise<unknown>>>> {
  const table = { accept: "application/json;as=Table;v=v1;g=meta.k8s.io,application/json" };
  const again: Record<string, () => Promise<unknown>> = {};
  for (const [sort, limit] of [
    ["name", 1],
    ["name", 3],
    ["-name", 2],
    ["namespace", 4],
  ] as const) {
    const asked = { query: "kind:Pod", sort: [sort], limit, facets: ["namespace"] };
    const { next: cursor } = await pumped(queries.listObjects(asked));
    expect(cursor).not.toBe("");
    again[`objects by ${sort} after ${limit}`] = () => queries.listObjects({ ...asked, cursor });
  }
  for (const limit of [1, 3, 4]) {
    const first = await pumped(kube.send("GET", `/fleet-api/api/v1/pods?limit=${limit}`, { headers: table }));
    const { metadata } = first.body as { metadata: { continue?: string } };
    expect(metadata.continue).toBeDefined();
    const path = `/fleet-api/api/v1/pods?limit=${limit}&continue=${metadata.continue}`;
    again[`the fleet API after ${limit}`] = () => kube.send("GET", path, { headers: table });
  }
  return again;
}

async function askAll(asks: Readonly<Record<string, () => Promise<unknown>>>): Promise<ReadonlyMap<string, string>> {
  const answers = new Map<string, string>();
  for (const [name, ask] of Object.entries(asks)) {
    const answer = await pumped(
      ask().then(toText, (reason: unknown) => (reason instanceof Error ? reason.message : String(reason))),
    );
    answers.set(name, answer.replaceAll(/req_\w+/g, "req"));
  }
  return answers;
}

test("[QL10] [FA9] [L17] a cursor used after a revocation shows nothing that is forbidden now, nor whether hidden rows exist", async () => {
  await sendGrants(rig, "east", inVault);
  const asks = await takeCursors();
  const before = await askAll(asks);
  expect([...before.values()].some((answer) => /vault-\d/.test(answer))).toBe(true);
  await sendRevocations(rig, "east", inVault);
  const revoked = await askAll(asks);
  for (const [name, answer] of revoked) {
    expect(answer, name).not.toMatch(/vault|late/);
    expect(answer, name).not.toMatch(/"remainingItemCount":-/);
  }
  expect(revoked.get("objects by name after 1")).toContain('"total":"3"');
  // Hidden rows that come and go change no answer.
  await rig.send("east", pod("aaa", "vault"), pod("zzz", "vault"), pod("vault-1", "vault"));
  expect(await askAll(asks)).toEqual(revoked);
  await deleteInVault("vault-2", "aaa");
  expect(await askAll(asks)).toEqual(revoked);
});

test("[SQ18] [L17] a webhook that waits for its receiver has no row, name or total of a namespace that was revoked meanwhile", async () => {
  await sendGrants(rig, "east", inVault);
  const { clock } = rig;
  const store = await openQueryStore(clock);
  const audit = new RecordedAudit(store);
  const definitions = new StandingQueryDefinitions({ store, audit, clock });
  const lease = await store.leases.acquire("fleet-tasks", "hub", 86_400_000_000);
  if (lease.kind !== "held") throw new Error("the lease is taken");
  const stop = new AbortController();
  const bodies: string[] = [];
  let status = 503;
  const standing = new StandingQueries({
    store,
    audit,
    clock,
    random: createSeededRandom("standing"),
    log: silentLogger,
    queriesOf: (subject) => rig.hub.fleet.reader.queries(subject),
    findOwnerFault: () => undefined,
    unreadClusters: () => new Set(),
    counters: { evaluations: { add: () => undefined }, deliveries: { add: () => undefined } },
    send: async ({ body }) => {
      bodies.push(body);
      return status;
    },
  });
  const running = standing.run({ fence: { lease: "fleet-tasks", epoch: lease.epoch }, signal: stop.signal });
  const ended = expect(running).rejects.toThrow("done");
  const wanted = {
    name: "broken",
    query: "status=unhealthy",
    description: "",
    condition: { on: "enterOrLeave" },
    webhookUrl: "https://hooks.example.com/x",
    secret: "0123456789abcdef",
    intervalMs: 10_000,
  } as const;
  await definitions.create(wanted, { user: "ada", groups: ["testers"] }, testActor);
  await rig.advance(10_000);
  await rig.send("east", pod("vault-new", "vault"), pod("shop-new", "shop"));
  await rig.advance(20_000);
  expect(bodies.at(-1)).toContain("vault-new");
  await sendRevocations(rig, "east", inVault);
  const from = bodies.length;
  await rig.send("east", pod("vault-later", "vault"));
  await rig.advance(30_000);
  status = 204;
  await rig.advance(600_000);
  const sent = bodies.slice(from);
  expect(sent.join()).toContain("shop-new");
  expect(sent.join()).not.toMatch(/vault|late/);
  const { total } = await pumped(queries.listObjects({ query: "status=unhealthy" }));
  for (const body of sent) expect(JSON.parse(body)).toMatchObject({ total: Number(total), entered: { count: 1 } });
  stop.abort(new Error("done"));
  await clock.advance(0);
  await ended;
  await store.close();
});
