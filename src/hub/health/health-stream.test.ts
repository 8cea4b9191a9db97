// SPDX-License-Identifier: Apache-2.0
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { settle } from "../../base/testing/manual-clock.ts";
import { beat } from "../../health/testing/health-kit.ts";
import { parseClusterId } from "../../model/cluster-id.ts";
import { healthDocument, streamHealth, wantsEventStream } from "./health-stream.ts";
import { HealthRig } from "./testing/health-rig.ts";

interface SseEvent {
  readonly name: string;
  readonly id: string;
  readonly document: {
    readonly cluster?: string;
    readonly state?: string;
    readonly clusters?: readonly { cluster: string; state: string }[];
  };
}

/** Events and comments of server-sent text, read as a browser does. */
function parseEvents(text: string): { readonly events: readonly SseEvent[]; readonly comments: readonly string[] } {
  const events: SseEvent[] = [];
  const comments: string[] = [];
  for (const block of text.split("\n\n")) {
    const fields = new Map(
      block.split("\n").map((line) => [line.slice(0, line.indexOf(":")), line.slice(line.indexOf(":") + 2)]),
    );
    const data = fields.get("data");
    if (fields.has("") && block !== "") comments.push(fields.get("") ?? "");
    if (data === undefined) continue;
    events.push({
      name: fields.get("event") ?? "",
      id: fields.get("id") ?? "",
      document: JSON.parse(data) as SseEvent["document"],
    });
  }
  return { events, comments };
}

/** A viewer that reads whatever comes. */
class Viewer {
  text = "";
  isOver = false;
  readonly #stop = new AbortController();

  constructor(
    rig: HealthRig,
    options: { readonly lastEventId?: string; readonly canSee?: (cluster: string) => boolean } = {},
  ) {
    const { health, clock } = rig;
    const stream = streamHealth({ health, clock, canSee: () => true, ...options, signal: this.#stop.signal });
    void (async () => {
      for await (const piece of stream) this.text += piece;
      this.isOver = true;
    })();
  }

  get events(): readonly SseEvent[] {
    return parseEvents(this.text).events;
  }

  get summary(): readonly string[] {
    return this.events.map(({ name, document }) =>
      name === "snapshot"
        ? `snapshot ${document.clusters?.map(({ cluster, state }) => `${cluster}:${state}`).join()}`
        : `${name} ${document.cluster} ${document.state ?? ""}`.trim(),
    );
  }

  async leave(): Promise<void> {
    this.#stop.abort(new Error("left"));
    await settle();
    expect(this.isOver).toBe(true);
  }
}

describe("the stream of /health", () => {
  let rig: HealthRig;

  beforeEach(() => {
    rig = new HealthRig();
    rig.arrive("a");
    rig.arrive("b");
  });

  afterEach(() => {
    rig.health.stop();
    expect(rig.clock.timerCount).toBe(0);
    expect(rig.health.subscriberCount).toBe(0);
  });

  test("[R-14, R-17] present states come first, then each change as it happens, then heartbeats while nothing changes", async () => {
    rig.lose("b");
    const viewer = new Viewer(rig);
    await settle();
    expect(viewer.summary).toEqual(["snapshot a:live,b:disconnected"]);
    rig.lose("a");
    await settle();
    rig.arrive("b");
    await settle();
    expect(viewer.summary.slice(1)).toEqual(["state a disconnected", "state b catchingUp", "state b live"]);
    rig.lose("b");
    await rig.clock.advance(60_000);
    expect(parseEvents(viewer.text).comments).toEqual(["heartbeat", "heartbeat", "heartbeat", "heartbeat"]);
    await viewer.leave();
  });

  test("[R-14] heartbeats come also while changes do", async () => {
    const viewer = new Viewer(rig);
    for (let round = 0; round < 6; round += 1) {
      rig.lose("a");
      await rig.clock.advance(5_000);
      rig.arrive("a");
    }
    expect(parseEvents(viewer.text).comments).toEqual(["heartbeat", "heartbeat"]);
    await viewer.leave();
  });

  test("[R-15] the JSON document has the same values as the stream", async () => {
    rig.lose("b");
    const viewer = new Viewer(rig);
    await settle();
    const document: unknown = JSON.parse(healthDocument({ health: rig.health, clock: rig.clock, canSee: () => true }));
    expect(document).toMatchObject({ run: "run_test", clusters: viewer.events[0]?.document.clusters });
    await viewer.leave();
  });

  test.each([
    ["text/event-stream", true],
    ["application/json, text/event-stream;q=0.9", true],
    ["TEXT/EVENT-STREAM", true],
    ["text/event-stream;q=0", false],
    ["*/*", false],
    ["application/json", false],
    [undefined, false],
  ])("[R-15] Accept %s: a stream is wanted: %s", (accept, isWanted) => {
    expect(wantsEventStream(accept)).toBe(isWanted);
  });

  test("[R-16] each event says state, since when, reason, attempts and the next attempt", async () => {
    const viewer = new Viewer(rig);
    await settle();
    rig.lose("a");
    rig.feed("a", { kind: "attemptRejected", reason: "OVERLOADED", retryAfterMs: 8_000, detail: "" });
    await settle();
    expect(viewer.events.at(-1)?.document).toMatchObject({
      cluster: "a",
      state: "disconnected",
      sinceMsAgo: 0,
      reason: "overloaded",
      attemptCount: 1,
      nextAttemptInMs: 8_000,
    });
    await viewer.leave();
  });

  test("clusters that the reader may not see are absent from snapshot, events, removals and document", async () => {
    const canSee = (cluster: string): boolean => cluster !== "b";
    const viewer = new Viewer(rig, { canSee });
    await settle();
    rig.lose("b");
    rig.lose("a");
    rig.health.remove(parseClusterId("b"));
    await rig.clock.advance(30_000);
    expect(viewer.summary).toEqual(["snapshot a:live", "state a disconnected"]);
    expect(viewer.text).not.toContain('"b"');
    expect(healthDocument({ health: rig.health, clock: rig.clock, canSee })).not.toContain('"b"');
    await viewer.leave();
  });

  test("a permission that comes or goes shows at the next event or heartbeat", async () => {
    const visible = new Set(["a"]);
    const viewer = new Viewer(rig, { canSee: (cluster) => visible.has(cluster) });
    await settle();
    visible.add("b");
    visible.delete("a");
    rig.lose("a");
    rig.lose("b");
    await rig.clock.advance(15_000);
    expect(viewer.summary).toEqual(["snapshot a:live", "removed a", "state b disconnected"]);
    rig.arrive("a");
    await settle();
    visible.add("a");
    rig.lose("a");
    visible.delete("b");
    await rig.clock.advance(15_000);
    expect(viewer.summary.slice(3)).toEqual(["state a disconnected", "removed b"]);
    await viewer.leave();
  });

  test("[lesson uds-R11] a reader that was cut off gets what it missed, by Last-Event-ID, and no snapshot", async () => {
    const first = new Viewer(rig);
    await settle();
    rig.lose("a");
    await settle();
    const lastEventId = first.events.at(-1)?.id ?? "";
    await first.leave();
    rig.lose("b");
    rig.arrive("b");
    rig.health.remove(parseClusterId("a"));
    const second = new Viewer(rig, { lastEventId });
    await settle();
    expect(second.summary).toEqual(["state b live", "removed a"]);
    rig.lose("b");
    await settle();
    expect(second.summary.at(-1)).toBe("state b disconnected");
    await second.leave();
  });

  test("[lesson uds-R11] the id of an event counts up, and resuming at the newest one sends no state", async () => {
    const first = new Viewer(rig);
    await settle();
    const lastEventId = first.events.at(-1)?.id ?? "";
    expect(lastEventId).toBe(`run_test-${rig.health.position}`);
    const second = new Viewer(rig, { lastEventId });
    await settle();
    expect(second.summary).toEqual([]);
    expect(parseEvents(second.text).comments).toEqual(["resumed"]);
    await first.leave();
    await second.leave();
  });

  test.each([
    "run_other-3",
    "run_test-999999",
    "run_test-",
    "",
    "3",
    "run_test--1",
    "run_test-1e3",
    `${"x".repeat(9_999)}-1`,
  ])("[lesson uds-R11] the position %j of another run, or none, gets the present state", async (lastEventId) => {
    const viewer = new Viewer(rig, { lastEventId });
    await settle();
    expect(viewer.summary).toEqual(["snapshot a:live,b:live"]);
    await viewer.leave();
  });

  test("a position that is too old gets the present state", async () => {
    const small = new HealthRig({ recentCount: 4 });
    small.arrive("a");
    const lastEventId = `run_test-${small.health.position}`;
    for (let round = 0; round < 10; round += 1) {
      small.lose("a");
      small.arrive("a");
    }
    const viewer = new Viewer(small, { lastEventId });
    await settle();
    expect(viewer.events[0]?.name).toBe("snapshot");
    await viewer.leave();
    small.health.stop();
  });

  test("a viewer that does not read loses states in between, never the last one", async () => {
    const stop = new AbortController();
    const { health, clock } = rig;
    const stream = streamHealth({ health, clock, canSee: () => true, signal: stop.signal });
    await stream.next();
    for (let round = 0; round < 1_000; round += 1) {
      rig.lose("a");
      rig.arrive("a");
    }
    rig.lose("a");
    rig.lose("b");
    const { value } = await stream.next();
    expect(parseEvents(String(value)).events.map(({ document }) => `${document.cluster} ${document.state}`)).toEqual([
      "a disconnected",
      "b disconnected",
    ]);
    await stream.return();
  });

  test("[R-25] 500 viewers each get every change", async () => {
    const viewers = Array.from({ length: 500 }, () => new Viewer(rig));
    await settle();
    rig.feed("a", beat(1));
    rig.lose("a");
    await settle();
    for (const viewer of viewers) expect(viewer.summary).toEqual(["snapshot a:live,b:live", "state a disconnected"]);
    for (const viewer of viewers) await viewer.leave();
  });

  test("a text from a cluster cannot end an event or begin another", async () => {
    const viewer = new Viewer(rig);
    await settle();
    rig.lose("a");
    rig.feed("a", {
      kind: "attemptRejected",
      reason: "PROTOCOL",
      retryAfterMs: 1,
      detail: "x\n\nevent: state\ndata: {}",
    });
    await settle();
    expect(viewer.events).toHaveLength(3);
    await viewer.leave();
  });
});
