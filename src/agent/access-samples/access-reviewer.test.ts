// SPDX-License-Identifier: Apache-2.0
import { expect, test } from "vitest";
import { silentLogger } from "../../base/log.ts";
import { createSeededRandom } from "../../base/random.ts";
import { ManualClock } from "../../base/testing/manual-clock.ts";
import { fieldOf, textOf } from "../../kinds/fields.ts";
import { KubeError, type KubeFault } from "../../kube/kube-error.ts";
import type { KubeSource } from "../../kube/kube-source.ts";
import type { AskedRequest, ReviewAnswer } from "../../session/access-samples/access-sample.ts";
import { AccessReviewer } from "./access-reviewer.ts";

const rulesReviews = "/apis/authorization.k8s.io/v1/selfsubjectrulesreviews";
const selfReviews = "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews";
const reviews = "/apis/authorization.k8s.io/v1/subjectaccessreviews";

/** An API server that answers each path with a status, or fails; `hang`: never answers. */
class ReviewServer implements KubeSource {
  answers: Record<string, object | KubeFault | "hang"> = {
    [rulesReviews]: { status: { incomplete: false, resourceRules: [] } },
    [selfReviews]: { status: { allowed: true } },
    [reviews]: { status: { allowed: true } },
  };
  readonly asked: { readonly path: string; readonly body: unknown }[] = [];

  async request({ path, body }: Parameters<KubeSource["request"]>[0], signal: AbortSignal) {
    this.asked.push({ path, body: JSON.parse(new TextDecoder().decode(body)) as unknown });
    const answer = this.answers[path];
    if (answer === "hang")
      await new Promise((_resolve, reject) => {
        signal.addEventListener("abort", () => reject(signal.reason as Error), { once: true });
      });
    if (typeof answer === "string") throw new KubeError(answer as KubeFault, "it failed", { serverMessage: "no" });
    const bytes = new TextEncoder().encode(JSON.stringify(answer));
    return {
      status: 201,
      headers: new Map<string, string>(),
      body: (async function* () {
        yield bytes;
      })(),
    };
  }

  count(path: string): number {
    return this.asked.filter((each) => each.path === path).length;
  }
}

interface Rig {
  readonly server: ReviewServer;
  readonly clock: ManualClock;
  readonly reviewer: AccessReviewer;
  review(requests: readonly AskedRequest[]): Promise<ReviewAnswer["verdicts"]>;
}

/** Runs a scenario with a reviewer whose first check has ended. */
async function withReviewer(
  scenario: (rig: Rig) => Promise<void>,
  { allowsReviews = true, answers = {} }: { allowsReviews?: boolean; answers?: ReviewServer["answers"] } = {},
): Promise<void> {
  const server = new ReviewServer();
  Object.assign(server.answers, answers);
  const clock = new ManualClock();
  const options = { source: server, clock, random: createSeededRandom("reviewer"), log: silentLogger, allowsReviews };
  const reviewer = new AccessReviewer(options);
  const stop = new AbortController();
  const running = reviewer.run(stop.signal).catch(() => undefined);
  try {
    await clock.advance(1_000);
    await scenario({
      server,
      clock,
      reviewer,
      async review(requests) {
        const answered = Promise.withResolvers<ReviewAnswer>();
        reviewer.answer({ number: 1, requests }, answered.resolve);
        await clock.advance(25_000);
        return (await answered.promise).verdicts;
      },
    });
  } finally {
    stop.abort(new Error("done"));
    await reviewer[Symbol.asyncDispose]();
    await running;
  }
  expect(clock.timerCount).toBe(0);
}

const sample = (changes: Partial<AskedRequest> = {}): AskedRequest => ({
  user: "alice",
  groups: ["team", "system:authenticated"],
  verb: "list",
  group: "apps",
  resource: "deployments",
  namespace: "shop",
  name: "",
  ...changes,
});

test.each<[string, object | KubeFault, object]>([
  ["a complete answer: RBAC alone", { status: { incomplete: false } }, { authorizers: "rbac", detail: "" }],
  [
    "an incomplete one: others too",
    { status: { incomplete: true, evaluationError: "webhook authorizer does not support user rule resolution" } },
    { authorizers: "other", detail: "webhook authorizer does not support user rule resolution" },
  ],
  [
    "a complete one with an error",
    { status: { incomplete: false, evaluationError: "role gone" } },
    { authorizers: "rbac", detail: "role gone" },
  ],
  ["an answer without a status", {}, { authorizers: "unknown" }],
  ["a refusal", "forbidden", { authorizers: "unknown", detail: "no" }],
  ["no answer", "tcp", { authorizers: "unknown", detail: "no" }],
])("[SE62] %s", async (_what, answer, report) => {
  await withReviewer(
    async ({ server, reviewer }) => {
      expect(reviewer.report()).toMatchObject(report);
      expect(textOf(server.asked[0]?.body, "spec", "namespace")).toBe("default");
    },
    { answers: { [rulesReviews]: answer } },
  );
});

test("[SE62] the text of the API server is cut", async () => {
  const status = { incomplete: true, evaluationError: "e".repeat(9_000) };
  await withReviewer(async ({ reviewer }) => expect(reviewer.report()?.detail.length).toBeLessThanOrEqual(512), {
    answers: { [rulesReviews]: { status } },
  });
});

test("[SE62] it checks every hour, and at a new session no more often than once a minute", async () => {
  await withReviewer(async ({ server, clock, reviewer }) => {
    let reportCount = 0;
    reviewer.subscribe(() => (reportCount += 1));
    reviewer.refresh();
    await clock.advance(50_000);
    expect(server.count(rulesReviews)).toBe(1);
    await clock.advance(20_000);
    expect(server.count(rulesReviews)).toBe(2);
    await clock.advance(50 * 60_000);
    expect(server.count(rulesReviews)).toBe(2);
    await clock.advance(20 * 60_000);
    expect(server.count(rulesReviews)).toBe(3);
    reviewer.refresh();
    await clock.advance(1_000);
    expect(server.count(rulesReviews)).toBe(4);
    expect(reportCount).toBe(3);
  });
});

test("[SE62] an API server that does not answer leaves the last result, and is asked again after a minute", async () => {
  await withReviewer(async ({ server, clock, reviewer }) => {
    server.answers[rulesReviews] = "tcp";
    reviewer.refresh();
    await clock.advance(61_000);
    expect(reviewer.report()).toEqual({ authorizers: "rbac", detail: "", reviews: "allowed" });
    server.answers[rulesReviews] = { status: { incomplete: true } };
    await clock.advance(61_000);
    expect(reviewer.report()).toMatchObject({ authorizers: "other" });
  });
});

test("[SE63] each question is one SubjectAccessReview with user, groups and attributes; the answers keep its order", async () => {
  await withReviewer(async ({ server, review }) => {
    expect(await review([sample(), sample({ user: "system:admin" }), sample({ verb: "get", name: "web" })])).toEqual([
      "allowed",
      "unknown",
      "allowed",
    ]);
    const asked = server.asked.filter(({ path }) => path === reviews).map(({ body }) => fieldOf(body, "spec"));
    const attributes = { verb: "list", group: "apps", resource: "deployments", namespace: "shop", name: "" };
    expect(asked).toEqual([
      { user: "alice", groups: ["team", "system:authenticated"], resourceAttributes: attributes },
      {
        user: "alice",
        groups: ["team", "system:authenticated"],
        resourceAttributes: { ...attributes, verb: "get", name: "web" },
      },
    ]);
    server.answers[reviews] = { status: { allowed: false, reason: "no" } };
    expect(await review([sample()])).toEqual(["denied"]);
    server.answers[reviews] = {};
    expect(await review([sample()])).toEqual(["unknown"]);
    server.answers[reviews] = "serverError";
    expect(await review([sample()])).toEqual(["unknown"]);
  });
});

test("[SE64] at most 30 reviews a minute are created, whatever the hub asks", async () => {
  await withReviewer(async ({ server, clock, review }) => {
    const many = Array.from({ length: 25 }, () => sample());
    await review(many);
    const verdicts = await review(many);
    expect(server.count(reviews)).toBe(30);
    expect(verdicts.filter((verdict) => verdict === "unknown")).toHaveLength(20);
    await clock.advance(60_000);
    expect(await review([sample()])).toEqual(["allowed"]);
  });
});

test("[SE64] a hanging API server ends the reviews of an order, and the next order is answered meanwhile", async () => {
  await withReviewer(async ({ server, clock, reviewer, review }) => {
    server.answers[reviews] = "hang";
    const answers: ReviewAnswer[] = [];
    reviewer.answer({ number: 7, requests: [sample(), sample()] }, (answer) => void answers.push(answer));
    await clock.advance(1_000);
    reviewer.answer({ number: 8, requests: [sample()] }, (answer) => void answers.push(answer));
    await clock.advance(1_000);
    expect(answers).toEqual([{ number: 8, verdicts: ["unknown"] }]);
    await clock.advance(25_000);
    expect(answers.at(-1)).toEqual({ number: 7, verdicts: ["unknown", "unknown"] });
    server.answers[reviews] = { status: { allowed: true } };
    expect(await review([sample()])).toEqual(["allowed"]);
  });
});

test("[SE64] a refused review is reported once and ends the reviews, until a check finds the right again", async () => {
  await withReviewer(async ({ server, clock, reviewer, review }) => {
    let reportCount = 0;
    reviewer.subscribe(() => (reportCount += 1));
    server.answers[reviews] = "forbidden";
    server.answers[selfReviews] = { status: { allowed: false } };
    expect(await review([sample(), sample()])).toEqual(["unknown", "unknown"]);
    expect(server.count(reviews)).toBe(1);
    expect([reviewer.report()?.reviews, reportCount]).toEqual(["forbidden", 1]);
    expect(await review([sample()])).toEqual(["unknown"]);
    expect([server.count(reviews), reportCount]).toEqual([1, 1]);
    server.answers[reviews] = { status: { allowed: true } };
    server.answers[selfReviews] = { status: { allowed: true } };
    await clock.advance(60_000);
    reviewer.refresh();
    await clock.advance(1_000);
    expect(await review([sample()])).toEqual(["allowed"]);
  });
});

test("[SE64] with --access-reviews=false it reports the authorizers and creates no review of users", async () => {
  await withReviewer(
    async ({ server, reviewer, review }) => {
      expect(reviewer.report()).toEqual({ authorizers: "rbac", detail: "", reviews: "off" });
      expect(await review([sample()])).toEqual(["unknown"]);
      expect([server.count(reviews), server.count(selfReviews)]).toEqual([0, 0]);
    },
    { allowsReviews: false },
  );
});
