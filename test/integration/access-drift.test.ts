// SPDX-License-Identifier: Apache-2.0
// The hub's access decisions compared with SubjectAccessReviews of a real API server, over the wire's own messages. The
// agent has the rights of its manifest; differences come from RBAC objects that the hub's copy lacks.
import { create, toBinary } from "@bufbuild/protobuf";
import { afterAll, beforeAll, expect, test } from "vitest";
import { AccessReviewer } from "../../src/agent/access-samples/access-reviewer.ts";
import { planAccess } from "../../src/agent/manifest/access-rules.ts";
import { encodeRequest } from "../../src/agent/uplink/make-request.ts";
import type { DraftObject } from "../../src/apiserver/json/json.ts";
import { silentLogger } from "../../src/base/log.ts";
import { createSeededRandom } from "../../src/base/random.ts";
import { ManualClock } from "../../src/base/testing/manual-clock.ts";
import { systemClock } from "../../src/base/time/system-clock.ts";
import { ConnectResponseSchema } from "../../src/gen/flotilla/session/v1/session_pb.ts";
import { type AccessChecks, createAccessChecks } from "../../src/hub/access-drift/create-access-checks.ts";
import { registerEast } from "../../src/hub/access-drift/testing/drift-rig.ts";
import { CountedMetrics } from "../../src/hub/fleet/testing/counted-metrics.ts";
import { openQueryStore } from "../../src/hub/saved-queries/testing/query-store.ts";
import type { SessionFacts } from "../../src/hub/sessions/session-events.ts";
import { type ClusterConnection, connectCluster } from "../../src/kube/connect-cluster.ts";
import { testAccess } from "../../src/kube/connection/testing/test-access.ts";
import { anonymousUser } from "../../src/kube/credentials/cluster-access.ts";
import { createSubject, type Subject, serviceAccountUser } from "../../src/model/subject.ts";
import { Policy } from "../../src/rbac/policy.ts";
import type { RbacObject } from "../../src/rbac/rbac-types.ts";
import {
  clusterRole,
  clusterRoleBinding,
  readPods,
  request,
  role,
  roleBinding,
} from "../../src/rbac/testing/rbac-objects.ts";
import type { AccessSample, ReviewOrder } from "../../src/session/access-samples/access-sample.ts";
import { answerRequest, toAccessSample } from "../../src/session/access-samples/answer-request.ts";
import { toAccessReport, toAccessVerdicts, toReviewAccess } from "../../src/session/access-samples/review-messages.ts";
import { parseResponse } from "../../src/session/agent/parse-response.ts";
import { parseRequest } from "../../src/session/hub/parse-request.ts";
import type { Store } from "../../src/store/store.ts";
import { startApiServer, type TestApiServer } from "../support/api-server.ts";

const users: ReadonlyMap<string, Subject> = new Map([
  ["agent", createSubject({ user: serviceAccountUser("flotilla", "flotilla-agent") })],
  ["other-agent", createSubject({ user: serviceAccountUser("flotilla", "other-agent") })],
]);

let api: TestApiServer;
const connections: ClusterConnection[] = [];

function connect(token: string): ClusterConnection {
  const access = testAccess(api.url, {
    certificateAuthority: { kind: "inline", text: api.ca },
    user: { ...anonymousUser, token },
  });
  const connection = connectCluster({ access, clock: systemClock, userAgent: "flotilla-agent/test", environment: {} });
  connections.push(connection);
  return connection;
}

/** Creates an RBAC object in the cluster. */
async function createThere(object: RbacObject): Promise<void> {
  const { kind, namespace, name, ...rest } = object;
  const metadata = { name, ...(namespace === "" ? {} : { namespace }) };
  const fields = JSON.parse(JSON.stringify(rest)) as DraftObject;
  await api.server.client.create(resourceOf(object), {
    apiVersion: "rbac.authorization.k8s.io/v1",
    kind,
    metadata,
    ...fields,
  });
}

async function deleteThere(object: RbacObject): Promise<void> {
  const { namespace, name } = object;
  expect(await api.server.client.delete({ resource: resourceOf(object), namespace, name })).toBe(true);
}

function resourceOf({ kind }: RbacObject): string {
  return `rbac.authorization.k8s.io/${kind.toLowerCase()}s`;
}

const session: SessionFacts = {
  cluster: "east",
  shard: "",
  agentId: "agent",
  agentVersion: "1",
  incarnation: "inc",
  address: "",
  epoch: 1,
  connectedAtMs: 0,
  heartbeatMs: 5_000,
};

/** A hub with its own copy of the RBAC objects, and the agent of the cluster. */
class ComparedCluster implements AsyncDisposable {
  readonly clock: ManualClock;
  readonly metrics = new CountedMetrics();
  readonly ours = new Policy();
  readonly reviewer: AccessReviewer;
  readonly checks: AccessChecks;
  readonly #stop = new AbortController();
  readonly #running: Promise<unknown>;
  readonly #pending = new Set<Promise<void>>();
  #drawnCount = 0;

  static async open(token: string): Promise<ComparedCluster> {
    const clock = new ManualClock();
    const store = await openQueryStore(clock);
    await registerEast(store);
    return new ComparedCluster(token, clock, store);
  }

  private constructor(token: string, clock: ManualClock, store: Store) {
    this.clock = clock;
    const { metrics } = this;
    const shared = { clock, random: createSeededRandom("drift"), log: silentLogger };
    this.reviewer = new AccessReviewer({ ...shared, source: connect(token), allowsReviews: true });
    this.checks = createAccessChecks({
      ...shared,
      store,
      metrics,
      samplesPerMinute: 6,
      isCurrent: () => true,
      sampler: {
        drawSamples: async (_cluster, count) => Array.from({ length: count }, () => this.#draw()),
        answer: async (_cluster, requests) => requests.map((each) => answerRequest(this.ours, each)),
      },
      sessions: {
        reviewAccess: (_cluster, order) => {
          this.#review(order);
          return { kind: "asked", epoch: 1 };
        },
      },
    });
    const { signal } = this.#stop;
    this.#running = Promise.allSettled([this.reviewer.run(signal), this.checks.run(signal)]);
  }

  /** Begins a session once the agent has checked its API server. */
  async begin(): Promise<void> {
    await expect.poll(() => this.reviewer.report()).toBeDefined();
    const report = this.reviewer.report();
    if (report === undefined) throw new Error("there is no report");
    for (const { began } of this.checks.handlers) began?.({ session, nowMs: this.clock.nowMs() });
    this.#send(encodeRequest({ case: "accessReport", value: toAccessReport(report) }, 0));
  }

  /** Lets minutes of the hub's time pass; reviews take real time. */
  async pass(minutes: number): Promise<void> {
    for (let step = 0; step < minutes * 30; step += 1) {
      await this.clock.advance(2_000);
      while (this.#pending.size > 0) await Promise.all(this.#pending);
    }
  }

  outcomes(outcome: string): number {
    return this.metrics.get("flotilla_access_samples_total", "east", outcome);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort(new Error("done"));
    await this.reviewer[Symbol.asyncDispose]();
    await this.#running;
  }

  #draw(): AccessSample {
    this.#drawnCount += 1;
    const user = createSubject({ user: this.#drawnCount % 2 === 0 ? "alice" : "bob", groups: ["team"] });
    const asked = [
      request("list", "pods", { namespace: "shop" }),
      request("get", "pods", { namespace: "shop", name: "web-1" }),
      request("list", "deployments", { apiGroup: "apps", namespace: "shop" }),
      request("list", "pods", {}),
    ][Math.floor(this.#drawnCount / 2) % 4];
    const sample = asked && toAccessSample(this.ours, user, asked);
    if (sample === undefined) throw new Error("there is no such sample");
    return sample;
  }

  /** As a session carries it: each message as bytes, parsed by the other end. */
  #review(order: ReviewOrder): void {
    const message = { case: "reviewAccess", value: toReviewAccess(order) } as const;
    const parsed = parseResponse(toBinary(ConnectResponseSchema, create(ConnectResponseSchema, { message })));
    if (parsed.kind !== "reviewAccess") throw new Error(`${parsed.kind} came`);
    const answered = Promise.withResolvers<void>();
    this.reviewer.answer(parsed.order, (answer) => {
      this.#send(encodeRequest({ case: "accessVerdicts", value: toAccessVerdicts(answer) }, 0));
      answered.resolve();
    });
    const pending = answered.promise.finally(() => this.#pending.delete(pending));
    this.#pending.add(pending);
  }

  #send(bytes: Uint8Array): void {
    const parsed = parseRequest(bytes, 1_000_000);
    const nowMs = this.clock.nowMs();
    for (const { accessReported, accessReviewed } of this.checks.handlers) {
      if (parsed.kind === "accessReport") accessReported?.({ session, report: parsed.report, nowMs });
      if (parsed.kind === "accessVerdicts") accessReviewed?.({ session, answer: parsed.answer, nowMs });
    }
  }
}

const reader = role("shop", "reader", readPods);
const readers = roleBinding("shop", "readers", "Role/reader", "User:alice");
const bobs = roleBinding("shop", "bobs", "Role/reader", "User:bob");

beforeAll(async () => {
  api = await startApiServer(users);
  await api.server.client.create("namespaces", { apiVersion: "v1", kind: "Namespace", metadata: { name: "shop" } });
  const rights = { namespaces: [], excludeNamespaces: [], kinds: [], objectReads: false };
  for (const [name, accessReviews] of [
    ["flotilla-agent", true],
    ["other-agent", false],
  ] as const) {
    const { cluster } = planAccess({ ...rights, constrainedImpersonation: false, accessReviews });
    await createThere(clusterRole(name, ...cluster));
    await createThere(clusterRoleBinding(name, `ClusterRole/${name}`, `ServiceAccount:flotilla/${name}`));
  }
  for (const object of [reader, readers]) await createThere(object);
});

afterAll(async () => {
  for (const connection of connections) await connection.close();
  await api.close();
});

test("[SE62] [SE64] the rights of the manifest are enough for reports and reviews, and without them an agent reports that", async () => {
  await using cluster = await ComparedCluster.open("agent");
  await cluster.begin();
  expect(cluster.reviewer.report()).toEqual({ authorizers: "rbac", detail: "", reviews: "allowed" });
  await using other = await ComparedCluster.open("other-agent");
  await other.begin();
  expect(other.reviewer.report()).toEqual({ authorizers: "rbac", detail: "", reviews: "forbidden" });
  await other.pass(2);
  expect(other.checks.evidence.of("east")).toEqual({ authorizers: "rbac", drift: "none" });
  expect(other.outcomes("unanswered")).toBe(0);
});

test("[RB80] [RB81] differences from the cluster's own reviews are drift in both directions, until both agree again", async () => {
  await using cluster = await ComparedCluster.open("agent");
  const { ours, checks } = cluster;
  for (const object of [reader, readers]) ours.upsert(object);
  await cluster.begin();
  await cluster.pass(3);
  expect(cluster.outcomes("agreed")).toBeGreaterThanOrEqual(12);
  expect(checks.drift.of("east")).toBe("none");

  await deleteThere(readers);
  await cluster.pass(3);
  expect(checks.drift.of("east")).toBe("shownButDenied");
  expect(checks.drift.view("east").sentence).toContain("(alice, ");
  ours.delete(readers);
  await cluster.pass(5);
  expect(checks.drift.of("east")).toBe("none");

  await createThere(bobs);
  await cluster.pass(3);
  expect(checks.drift.of("east")).toBe("hiddenButAllowed");
  expect(checks.drift.view("east").sentence).toContain("(bob, ");
  ours.upsert(bobs);
  await cluster.pass(5);
  expect(checks.drift.of("east")).toBe("none");
  expect(cluster.outcomes("unanswered")).toBe(0);
});
