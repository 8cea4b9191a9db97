// SPDX-License-Identifier: Apache-2.0
import { createHmac } from "node:crypto";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { LogFields, Logger } from "../../base/log.ts";
import { createSeededRandom } from "../../base/random.ts";
import { parseClusterId } from "../../model/cluster-id.ts";
import type { HealthSink } from "./cluster-health.ts";
import { HealthRig } from "./testing/health-rig.ts";
import { signWebhook, Webhook, type WebhookRequest } from "./webhook.ts";

const secret = "whsec-of-the-test";

interface Delivery {
  readonly kind: string;
  readonly incident: string;
  readonly clusters: readonly string[];
  readonly reasons: readonly string[];
}

describe("webhook on lost and returned", () => {
  let rig: HealthRig;
  let webhook: Webhook;
  let stop: AbortController;
  let running: Promise<void>;
  let answer: () => Promise<number>;
  let attempts: WebhookRequest[];
  let delivered: Delivery[];
  const lines: string[] = [];

  const noting = (...parts: readonly unknown[]): void =>
    void lines.push(
      parts
        .map((part) => (part instanceof Error ? `${part.message} ${String(part.cause)}` : JSON.stringify(part)))
        .join(),
    );
  const log: Logger = {
    debug: (message: string, fields?: LogFields) => noting(message, fields),
    info: (message: string, fields?: LogFields) => noting(message, fields),
    warn: (message, fields, error) => noting(message, fields, error),
    error: (message, fields, error) => noting(message, fields, error),
    with: () => log,
  };

  beforeEach(() => {
    const sink: HealthSink = { incident: (step) => webhook.incident(step) };
    rig = new HealthRig({ sinks: [sink] });
    attempts = [];
    delivered = [];
    answer = async () => 204;
    webhook = new Webhook({
      url: "https://hooks.example.com/flotilla",
      secret,
      clock: rig.clock,
      random: createSeededRandom("webhook"),
      log,
      runId: "run_test",
      async send(request) {
        attempts.push(request);
        const status = await answer();
        if (status === 204) delivered.push(JSON.parse(request.body) as Delivery);
        return status;
      },
    });
    stop = new AbortController();
    running = webhook.run(stop.signal);
    for (const name of ["a", "b", "c"]) rig.arrive(name);
  });

  afterEach(async () => {
    rig.health.stop();
    stop.abort(new Error("done"));
    await expect(running).rejects.toThrow("done");
    expect(rig.clock.timerCount).toBe(0);
  });

  const summary = (): readonly string[] => delivered.map(({ kind, clusters }) => `${kind} ${clusters.join()}`);

  test("clusters lost together are told in one delivery, and their return in another", async () => {
    for (const name of ["a", "b", "c"]) rig.lose(name);
    await rig.clock.advance(60_000);
    expect(summary()).toEqual(["lost a,b,c"]);
    for (const name of ["a", "b"]) rig.arrive(name);
    await rig.beatFor(5_000, ["a", "b"]);
    expect(summary()).toEqual(["lost a,b,c"]);
    rig.arrive("c");
    await rig.clock.advance(1);
    expect(summary()).toEqual(["lost a,b,c", "returned a,b,c"]);
    expect(delivered[0]?.incident).toBe(delivered[1]?.incident);
  });

  test("an incident that grows is told when its time has come, not later", async () => {
    rig.lose("a");
    await rig.clock.advance(4_000);
    rig.lose("b");
    await rig.clock.advance(5_999);
    expect(summary()).toEqual([]);
    await rig.clock.advance(1);
    expect(summary()).toEqual(["lost a,b"]);
  });

  test("a return while the loss is being delivered is told after it", async () => {
    const { promise, resolve } = Promise.withResolvers<number>();
    answer = () => promise;
    rig.lose("a");
    await rig.beatFor(11_000, ["b", "c"]);
    rig.arrive("a");
    answer = async () => 204;
    resolve(204);
    await rig.beatFor(5_000, ["a", "b", "c"]);
    expect(summary()).toEqual(["lost a", "returned a"]);
  });

  test("an outage that is over before it would be told is not told", async () => {
    rig.lose("a");
    await rig.beatFor(5_000, ["b", "c"]);
    rig.arrive("a");
    await rig.beatFor(60_000, ["a", "b", "c"]);
    expect(attempts).toEqual([]);
    expect(webhook.waitingCount).toBe(0);
  });

  test("[ST44] a hub that takes the webhook over tells of incidents that last, and not of those that ended before", async () => {
    const pause = async (): Promise<void> => {
      stop.abort(new Error("done"));
      await expect(running).rejects.toThrow("done");
    };
    const goOn = (): void => {
      stop = new AbortController();
      running = webhook.run(stop.signal);
    };
    rig.lose("a");
    await rig.beatFor(11_000, ["b", "c"]);
    expect(summary()).toEqual(["lost a"]);
    await pause();
    rig.lose("b");
    await rig.beatFor(15_000, ["c"]);
    rig.arrive("b");
    await rig.beatFor(60_000, ["b", "c"]);
    rig.lose("c");
    await rig.beatFor(15_000, ["b"]);
    rig.arrive("a");
    await rig.beatFor(1_000, ["a", "b"]);
    expect(summary()).toEqual(["lost a"]);
    goOn();
    await rig.beatFor(1_000, ["a", "b"]);
    expect(summary().toSorted()).toEqual(["lost a", "lost c", "returned a"]);
  });

  test("timestamp and body are signed with the secret, and the timestamp is of the attempt", async () => {
    answer = async () => 503;
    rig.lose("a");
    await rig.clock.advance(40_000);
    expect(attempts.length).toBeGreaterThan(2);
    const stamps = new Set(attempts.map(({ headers }) => headers["Flotilla-Timestamp"]));
    expect(stamps.size).toBeGreaterThan(1);
    for (const { headers, body } of attempts) {
      const timestamp = headers["Flotilla-Timestamp"] ?? "";
      const expected = createHmac("sha256", secret).update(`${timestamp}.${body}`).digest("hex");
      expect(headers["Flotilla-Signature"]).toBe(`v1=${expected}`);
    }
    expect(signWebhook(secret, "1", "x")).not.toBe(signWebhook(secret, "2", "x"));
  });

  test.each([
    ["answers 503", async () => 503],
    ["answers 404", async () => 404],
    ["answers with a redirect", async () => 302],
    ["cannot be reached", async () => Promise.reject(new Error("connect ECONNREFUSED"))],
    ["never answers", () => new Promise<number>(() => undefined)],
  ])("a receiver that %s is tried again until it takes the notice, once", async (_name, failing) => {
    answer = failing;
    rig.lose("a");
    await rig.beatFor(100_000, ["b", "c"]);
    expect(attempts.length).toBeGreaterThan(2);
    expect(new Set(attempts.map(({ headers }) => headers["Flotilla-Delivery"]))).toEqual(new Set(["run_test-1-lost"]));
    answer = async () => 204;
    await rig.beatFor(600_000, ["b", "c"]);
    expect(summary()).toEqual(["lost a"]);
  });

  test("while the receiver is away what waits is bounded by the clusters, and the newest word of each gets through", async () => {
    answer = async () => 503;
    for (let round = 0; round < 50; round += 1) {
      rig.lose("a");
      await rig.beatFor(15_000, ["b", "c"]);
      rig.arrive("a");
      await rig.beatFor(45_000, ["a", "b", "c"]);
      expect(webhook.waitingCount).toBeLessThanOrEqual(3);
    }
    rig.lose("b");
    await rig.beatFor(15_000, ["a", "c"]);
    answer = async () => 204;
    await rig.beatFor(1_200_000, ["a", "c"]);
    expect(summary().toSorted()).toEqual(["lost b", "returned a"]);
  });

  test("a removed cluster ends its incident, and nothing of it is left waiting", async () => {
    rig.lose("a");
    await rig.beatFor(20_000, ["b", "c"]);
    rig.health.remove(parseClusterId("a"));
    await rig.beatFor(20_000, ["b", "c"]);
    expect(summary()).toEqual(["lost a", "returned "]);
    expect(webhook.waitingCount).toBe(0);
  });

  test("neither the secret nor the address is in any line of the log", async () => {
    lines.length = 0;
    answer = async () => Promise.reject(new Error("connect ECONNREFUSED"));
    rig.lose("a");
    await rig.beatFor(600_000, ["b", "c"]);
    expect(lines.length).toBeGreaterThan(3);
    expect(lines.join("\n")).not.toMatch(/whsec|hooks\.example/);
    expect(JSON.stringify(webhook)).not.toContain(secret);
  });
});
