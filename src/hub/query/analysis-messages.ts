// SPDX-License-Identifier: Apache-2.0
// Problems, comparisons and relations as messages.
import { create } from "@bufbuild/protobuf";
import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import {
  type ComparedObject as ComparedMessage,
  ComparedObjectSchema,
  type ObjectKey,
  ObjectKeySchema,
  type Problem as ProblemMessage,
  ProblemSchema,
  type RelationsResponse,
  RelationsResponseSchema,
} from "../../gen/flotilla/query/v1/query_pb.ts";
import type { ComparedObject } from "../../index/compare/compare-object.ts";
import type { Problem } from "../../index/problems/problem.ts";
import { problemTitle } from "../../index/problems/problem-title.ts";
import type { RelationsAnswer } from "../../index/relations/find-relations.ts";
import type { QueriedObject } from "../rows/fleet-queries.ts";

export function toObjectKey({ cluster, resource, namespace, name }: QueriedObject): ObjectKey {
  return create(ObjectKeySchema, { cluster, resource, namespace, name });
}

/** The title has no time: the reader's clock decides how it is written. */
export function toProblem(problem: Problem): ProblemMessage {
  const { id, kind, reason, sampleMessage, image, status, objectCount, clusterCount, namespaceCount, sinceMs } =
    problem;
  return create(ProblemSchema, {
    id,
    title: problemTitle(problem),
    kind,
    reason,
    message: sampleMessage,
    image,
    status,
    objectCount: BigInt(objectCount),
    kinds: problem.kindCounts.map(({ kind: value, count }) => ({ value, count: BigInt(count) })),
    clusterCount,
    namespaceCount,
    samples: problem.roots.map(toObjectKey),
    ...(sinceMs === undefined ? {} : { since: timestampFromMs(sinceMs) }),
  });
}

export function toComparedMessage(object: ComparedObject, kind: string): ComparedMessage {
  const { resource, namespace, name, presentIn, missingIn, unknownIn, noAccessIn, differences } = object;
  return create(ComparedObjectSchema, {
    resource,
    kind,
    namespace,
    name,
    presentIn: [...presentIn],
    missingIn: [...missingIn],
    unknownIn: [...unknownIn],
    noAccessIn: [...noAccessIn],
    fields: differences.map(({ field, values }) => ({
      field,
      variants: values.map(({ value, clusters }) => ({ value: value ?? "", clusters: [...clusters] })),
    })),
  });
}

export function toRelations({ nodes, edges, references, isTruncated }: RelationsAnswer): RelationsResponse {
  const keyAt = (place: number): ObjectKey | undefined => {
    const node = nodes[place];
    return node === undefined ? undefined : toObjectKey(node.key);
  };
  return create(RelationsResponseSchema, {
    objects: nodes.map(({ key, kind, status, reason }) => ({ key: toObjectKey(key), kind, status, reason })),
    relations: edges.flatMap(({ from, to, type }) => {
      const [source, target] = [keyAt(from), keyAt(to)];
      return source === undefined || target === undefined ? [] : [{ from: source, to: target, type }];
    }),
    references: references.flatMap(({ of, type, kind, namespace = "", name }) => {
      const source = keyAt(of);
      return source === undefined ? [] : [{ from: source, type, kind, namespace, name }];
    }),
    isTruncated,
  });
}
