// SPDX-License-Identifier: Apache-2.0
import type { SimManifest } from "../../../../test/support/sim/sim-api-server-store.ts";
import { silentLogger } from "../../../base/log.ts";
import { podKind } from "../../../kinds/pod-kind.ts";
import type { KubeSource } from "../../../kube/kube-source.ts";
import { createRecordingMetrics } from "../../../rpc/testing/recorder.ts";
import type { HintAnswer } from "../../../session/hints/hint.ts";
import { CollectorRig, type RigOptions } from "../../collector/testing/collector-rig.ts";
import { HintReader } from "../hint-reader.ts";

const pods = { group: "", version: "v1", resource: "pods" };

/** A collector of Pods on a simulated API server, and the reader of hints beside it. */
export class HintRig implements AsyncDisposable {
  readonly rig: CollectorRig;
  readonly metrics = createRecordingMetrics();
  readonly answers: HintAnswer[] = [];
  readonly reader: HintReader;
  /** Called when the API server has answered, before the reader gets the answer. */
  beforeAnswer: () => Promise<void> = async () => undefined;
  #lastNumber = 0;

  constructor(options: Partial<RigOptions> = {}) {
    const rig = new CollectorRig({ kinds: [podKind], ...options });
    this.rig = rig;
    const source: KubeSource = {
      request: async (request, signal) => {
        const answer = await rig.server.request(request, signal);
        await this.beforeAnswer();
        return answer;
      },
    };
    this.reader = new HintReader({
      source,
      clock: rig.clock,
      log: silentLogger,
      metrics: this.metrics,
      maxObjectBytes: 65_536,
      policy: () => ({
        kinds: rig.collector.kinds,
        filter: options.filter ?? {},
        reportOf: (resource) => rig.collector.reports.get(resource),
      }),
      beginEarlyRead: (resource, key) => rig.collector.beginEarlyRead(resource, key),
    });
  }

  put(name: string, phase: string, more: Partial<SimManifest["metadata"]> = {}): void {
    this.rig.server.put(pods, { metadata: { name, namespace: "shop", ...more }, status: { phase } });
  }

  remove(name: string): void {
    this.rig.server.delete(pods, "shop", name);
  }

  /** From now on no watch delivers anything, and the collector does not notice for a while. */
  silenceWatches(): void {
    this.rig.server.breakWatches("silence");
  }

  /** Hints a Pod of the namespace `shop`; returns the number. */
  give(name: string, change: { readonly resource?: string; readonly namespace?: string } = {}): number {
    this.#lastNumber += 1;
    const hint = { number: this.#lastNumber, resource: "pods", namespace: "shop", name, ...change };
    this.reader.take(hint, (answer) => this.answers.push(answer));
    return hint.number;
  }

  /** The result of a hint, once some milliseconds have passed; for an error its code and sentence. */
  async hint(name: string, change: Parameters<HintRig["give"]>[1] = {}): Promise<string> {
    const number = this.give(name, change);
    await this.rig.clock.advance(100);
    return this.resultOf(number);
  }

  resultOf(number: number): string {
    const result = this.answers.find((answer) => answer.number === number)?.result;
    if (result === undefined) return "no answer";
    return typeof result === "string" ? result : `${result.code}: ${result.message}`;
  }

  /** The phases of the rows, by name. */
  phases(): Readonly<Record<string, unknown>> {
    return Object.fromEntries(this.rig.rowsOf(podKind).map(({ name, columns }) => [name, columns.get("phase")]));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.reader[Symbol.asyncDispose]();
    await this.rig[Symbol.asyncDispose]();
  }
}
