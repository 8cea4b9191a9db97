// SPDX-License-Identifier: Apache-2.0
// Mistakes that a fleet sync could have, put in by the wiring of a test: what the judge must find.
import { create, toBinary } from "@bufbuild/protobuf";
import { ConnectResponseSchema } from "../../../src/gen/flotilla/session/v1/session_pb.ts";
import type { IndexPort } from "../../../src/hub/index/index-port.ts";
import { replaceMethods } from "../../../src/hub/index/testing/in-thread-index.ts";
import { KubeError } from "../../../src/kube/kube-error.ts";
import type { KubeSource } from "../../../src/kube/kube-source.ts";
import type { FleetLog, Flush } from "../../../src/store/fleet-log/fleet-log.ts";
import type { Fate, Passage } from "./tap.ts";

async function* emptyList(): AsyncGenerator<Uint8Array, void> {
  yield new TextEncoder().encode('{"kind":"List","apiVersion":"v1","metadata":{"resourceVersion":"1"},"items":[]}');
}

/** A list that fails passes for a complete one without objects. */
export function failedListsAreEmpty(source: KubeSource): KubeSource {
  return {
    async request(request, signal) {
      try {
        return await source.request(request, signal);
      } catch (reason) {
        const isList = request.query?.["limit"] !== undefined && request.query["watch"] === undefined;
        if (!isList || !(reason instanceof KubeError)) throw reason;
        return { status: 200, headers: new Map([["content-type", "application/json"]]), body: emptyList() };
      }
    },
  };
}

async function* withoutSomeChanges(body: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array, void> {
  let count = 0;
  for await (const chunk of body) {
    const isBookmark = new TextDecoder().decode(chunk).includes('"BOOKMARK"');
    count += isBookmark ? 0 : 1;
    if (isBookmark || count % 3 !== 0) yield chunk;
  }
}

/** A watch that loses a change now and then, and goes on. */
export function watchesLoseChanges(source: KubeSource): KubeSource {
  return {
    async request(request, signal) {
      const answer = await source.request(request, signal);
      return request.query?.["watch"] === "true" ? { ...answer, body: withoutSomeChanges(answer.body) } : answer;
    },
  };
}

/** A log that takes whatever any epoch sends. */
export function ignoresEpochs(log: FleetLog): FleetLog {
  const newest = new Map<string, number>();
  return new Proxy(log, {
    get: (target, name) => {
      if (name === "append")
        return (flush: Flush) => target.append({ ...flush, epoch: newest.get(flush.cluster) ?? flush.epoch });
      if (name === "raiseEpoch")
        return async (cluster: string, shard: string, epoch: number) => {
          const outcome = await target.raiseEpoch(cluster, shard, epoch);
          newest.set(cluster, outcome.kind === "raised" ? outcome.durable.epoch : outcome.epoch);
          return outcome;
        };
      const method: unknown = Reflect.get(target, name);
      return method;
    },
  });
}

/** An index that answers a user again as before, for as long as this many questions. */
export function remembersAnswers(index: IndexPort): IndexPort {
  const answers = new Map<string, { readonly answer: ReturnType<IndexPort["query"]>; askedCount: number }>();
  return replaceMethods(index, {
    query: (id, by, query) => {
      const key = JSON.stringify([by.viewer, query]);
      const known = answers.get(key);
      if (known !== undefined && known.askedCount < 5) {
        known.askedCount += 1;
        return known.answer;
      }
      const answer = index.query(id, by, query);
      answers.set(key, { answer, askedCount: 0 });
      return answer;
    },
  });
}

/** An index that takes the grants of a cluster for complete with its first flush. */
export function showsRowsEarly(index: IndexPort): IndexPort {
  return replaceMethods(index, {
    commit: async (cluster, place) => {
      await index.setRbacComplete(cluster, true);
      return index.commit(cluster, place);
    },
  });
}

/**
 * A Welcome that never says whose flush the hub holds: the agent takes its lists for proof, however long ago they began
 * (SE36).
 */
export function hidesOtherAgents({ kind, stream, down }: Passage): Fate {
  if (kind !== "welcome" || down?.case !== "welcome" || down.value.durableIncarnation === stream.incarnation)
    return "pass";
  const value = { ...down.value, durableIncarnation: "", durableSeq: 0n };
  return toBinary(ConnectResponseSchema, create(ConnectResponseSchema, { message: { case: "welcome", value } }));
}
