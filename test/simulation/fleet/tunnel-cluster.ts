// SPDX-License-Identifier: Apache-2.0
import type { ClusterPort } from "../../../src/agent/agent.ts";
import type { SeededRandom } from "../../../src/base/random.ts";
import { KubeError } from "../../../src/kube/kube-error.ts";
import type { KubeAnswer, KubeSource } from "../../../src/kube/kube-source.ts";
import { parseRequest } from "../../support/sim/sim-api-server-request.ts";
import type { World } from "../../support/sim/world.ts";
import { SimCluster } from "./cluster.ts";
import type { Reading, TunnelJudge } from "./tunnel-judge.ts";

/** Whoever is in this group may read nothing in any cluster. */
export const strangers = "strangers";

/**
 * Pieces in which a body comes, and the longest time between two of them: so long that much happens within one answer.
 */
const pieceCount = 3;
const pauseMs = 800;

/** A deliberate fault of our own between an agent and its API server. */
export type WrapReads = (source: KubeSource) => KubeSource;

/** A cluster whose API server tells the judge what it gives to whom. */
export class AskedCluster extends SimCluster {
  readonly #world: World;
  readonly #pauses: SeededRandom;
  readonly #judge: TunnelJudge;
  readonly #wrap: WrapReads;

  constructor(world: World, id: string, judge: TunnelJudge, wrap: WrapReads) {
    super(world, id);
    this.#world = world;
    this.#pauses = world.random.fork(`pauses of ${id}`);
    this.#judge = judge;
    this.#wrap = wrap;
  }

  /** For its own agent and for copies of it alike. */
  override port(wrap: (source: KubeSource) => KubeSource = (source) => source): ClusterPort {
    return super.port((source) => wrap(this.#wrap(this.#witness(source))));
  }

  #witness(source: KubeSource): KubeSource {
    return {
      request: async (request, signal) => {
        if (request.actAs === undefined) return source.request(request, signal);
        const reading = this.#judge.read(this.id, request);
        try {
          if (request.actAs.groups.includes(strangers) && parseRequest(request).verb === "get")
            throw new KubeError("forbidden", "a stranger may read nothing");
          const answer = await source.request(request, signal);
          return { ...answer, body: this.#inPieces(answer, reading, signal) };
        } catch (reason) {
          reading.ended();
          throw reason;
        }
      },
    };
  }

  async *#inPieces({ body }: KubeAnswer, reading: Reading, signal: AbortSignal): AsyncGenerator<Uint8Array, void> {
    const decoder = new TextDecoder();
    let text = "";
    try {
      for await (const chunk of body) {
        text += decoder.decode(chunk, { stream: true });
        const size = Math.ceil(chunk.length / pieceCount);
        for (let at = 0; at < chunk.length; at += size) {
          yield chunk.subarray(at, at + size);
          if (this.#pauses.int(3) === 0) await this.#world.clock.sleep(this.#pauses.int(pauseMs), signal);
        }
      }
      reading.given(text);
    } finally {
      reading.ended();
    }
  }
}
