// SPDX-License-Identifier: Apache-2.0
import { describe, expect, test } from "vitest";
import { SimApiServer } from "../../test/support/sim/sim-api-server.ts";
import { FlotillaError } from "../base/error.ts";
import { silentLogger } from "../base/log.ts";
import { createSeededRandom } from "../base/random.ts";
import { ManualClock } from "../base/testing/manual-clock.ts";
import { ApiServerMonitor } from "./api-server-monitor.ts";

interface RigOptions {
  readonly isPolled?: boolean;
  readonly reload?: () => Promise<void>;
}

class Rig implements AsyncDisposable {
  readonly clock = new ManualClock();
  readonly probedAtMs: number[] = [];
  readonly verdicts: string[] = [];
  reloadCount = 0;
  readonly server = new SimApiServer({
    clock: this.clock,
    random: createSeededRandom("server"),
    latency: { minMs: 1, maxMs: 1 },
    onRequest: () => this.probedAtMs.push(this.clock.nowMs() - 1),
  });
  readonly monitor: ApiServerMonitor;
  readonly #stop = new AbortController();
  readonly #running: Promise<void>;

  constructor({ isPolled = true, reload = () => Promise.resolve() }: RigOptions = {}) {
    this.monitor = new ApiServerMonitor({
      source: this.server,
      reload: () => {
        this.reloadCount += 1;
        return reload();
      },
      settings: {
        probeIntervalMs: 10_000,
        probeTimeoutMs: 5_000,
        degradedLimitCount: 3,
        isPolled,
        retry: { firstMs: 1_000, factor: 2, capMs: 10_000 },
      },
      clock: this.clock,
      random: createSeededRandom("monitor"),
      log: silentLogger,
      onVerdict: ({ verdict }) => this.verdicts.push(verdict),
    });
    this.#running = this.monitor.run(this.#stop.signal);
    this.#running.catch(() => undefined); // awaited at the end
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const reason = new Error("the test is over");
    this.#stop.abort(reason);
    await this.clock.advance(0);
    await expect(this.#running).rejects.toBe(reason);
    expect(this.clock.timerCount).toBe(0);
  }
}

describe("the API server", () => {
  test("[KU20][R-7] is probed at once and then every interval", async () => {
    await using rig = new Rig();
    await rig.clock.advance(30_500);
    expect(rig.probedAtMs.map((atMs) => Math.round(atMs / 1_000))).toEqual([0, 10, 20, 30]);
    expect(rig.monitor.report()).toMatchObject({ fault: "", attemptCount: 0, retryAtMs: undefined });
  });

  test("[KU20][R-9] that swallows everything is lost by the probe's own deadline", async () => {
    await using rig = new Rig();
    await rig.clock.advance(1_000);
    rig.server.setState("unreachable");
    await rig.clock.advance(15_000);
    expect(rig.monitor.report()).toMatchObject({ fault: "timeout" });
  });

  test("[R-8][R-31] is probed at once when a watch breaks, also where it is not polled", async () => {
    await using rig = new Rig({ isPolled: false });
    await rig.clock.advance(60_000);
    expect(rig.probedAtMs).toHaveLength(1);
    rig.server.setState("down");
    rig.monitor.noteDoubt();
    await rig.clock.advance(100);
    expect(rig.monitor.report().fault).toBe("tcp");
  });

  test("[R-4][R-11][R-13] that is lost is tried for ever with credentials read anew, and found again", async () => {
    await using rig = new Rig();
    await rig.clock.advance(1_000);
    rig.server.setState("down");
    await rig.clock.advance(3_600_000);
    const { attemptCount, retryAtMs } = rig.monitor.report();
    expect(attemptCount).toBeGreaterThan(300);
    expect((retryAtMs ?? 0) - rig.clock.nowMs()).toBeLessThanOrEqual(10_000);
    expect(rig.reloadCount).toBe(attemptCount);
    rig.server.setState("up");
    await rig.clock.advance(10_100);
    expect(rig.monitor.report().fault).toBe("");
    expect(rig.verdicts).toEqual(["answers", "lost", "answers"]);
  });

  test("[SE45] that is lost is tried at once when asked, once a second at most, and the answer is told though the verdict stays", async () => {
    await using rig = new Rig();
    await rig.clock.advance(1_000);
    rig.server.setState("down");
    await rig.clock.advance(600_000);
    while ((rig.monitor.report().retryAtMs ?? 0) - rig.clock.nowMs() < 3_000) await rig.clock.advance(500);
    const { attemptCount } = rig.monitor.report();
    const probeCount = rig.probedAtMs.length;
    const toldCount = rig.verdicts.length;
    for (let asking = 0; asking < 20; asking += 1) rig.monitor.requestProbe();
    await rig.clock.advance(100);
    expect(rig.monitor.report().attemptCount).toBe(attemptCount + 1);
    expect(rig.verdicts.slice(toldCount)).toEqual(["lost"]);
    rig.server.setState("up");
    rig.monitor.requestProbe();
    await rig.clock.advance(0);
    expect(rig.probedAtMs.length - probeCount).toBeLessThanOrEqual(1);
    await rig.clock.advance(900);
    rig.monitor.requestProbe();
    await rig.clock.advance(10);
    expect(rig.monitor.report().fault).toBe("");
    expect(rig.verdicts.slice(toldCount)).toEqual(["lost", "answers"]);
  });

  test("[R-11] whose credentials cannot be read is refused for that, and tried again", async () => {
    const unreadable = new FlotillaError("CONFIG_INVALID", "kubeconfig: no such file");
    await using rig = new Rig({ reload: () => Promise.reject(unreadable) });
    await rig.clock.advance(1_000);
    rig.server.setState("down");
    await rig.clock.advance(60_000);
    expect(rig.monitor.report()).toMatchObject({ fault: "unauthorized", error: "kubeconfig: no such file" });
  });

  test.each([
    [403, ""],
    [404, ""],
    [401, "unauthorized"],
  ])("[KU20] that answers %d counts as %j", async (status, fault) => {
    await using rig = new Rig();
    rig.server.faults.add({ fault: { kind: "status", status } });
    await rig.clock.advance(100);
    expect(rig.monitor.report().fault).toBe(fault);
  });
});
