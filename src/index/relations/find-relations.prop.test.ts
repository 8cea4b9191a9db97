// SPDX-License-Identifier: Apache-2.0
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { compareUtf8 } from "../../model/text.ts";
import { findRelations, type RelationsAnswer } from "./find-relations.ts";
import type { IndexKey } from "./index-key.ts";
import { anyFleetRows, anyVisibilityOf, visibleRows } from "./testing/any-fleet.ts";
import { type BuiltRow, buildFleet, finish, seesAll } from "./testing/built-fleet.ts";
import { naiveEdges, naiveOwner, naiveReferences, naiveTarget } from "./testing/naive-edges.ts";

const keyOf = ({ cluster, resource, content: { namespace, name } }: BuiltRow): IndexKey => ({
  cluster,
  resource,
  namespace,
  name,
});
const textOf = ({ cluster, resource, namespace, name }: IndexKey): string =>
  `${cluster} ${resource} ${namespace}/${name}`;

/** Nodes, edges and references as sorted texts. */
function shown({ nodes, edges, references }: RelationsAnswer): readonly string[][] {
  const names = nodes.map(({ key, status }) => `${textOf(key)} ${status}`);
  return [
    names,
    edges.map(({ from, to, type }) => `${names[from]} ${type} ${names[to]}`),
    references.map(({ of, type, kind, namespace, name }) => `${names[of]} ${type} ${kind} ${namespace} ${name}`),
  ].map((all) => all.sort(compareUtf8));
}

/** The same, by following every edge between the visible rows. */
function naive(rows: readonly BuiltRow[], start: BuiltRow): readonly string[][] {
  const edges = naiveEdges(rows);
  const closure = (step: (row: BuiltRow) => readonly BuiltRow[]): ReadonlySet<BuiltRow> => {
    const reached = new Set([start]);
    for (const row of reached) for (const next of step(row)) reached.add(next);
    return reached;
  };
  const forward = closure((row) => edges.filter(({ from }) => from === row).map(({ to }) => to));
  const backward = closure((row) => edges.filter(({ to }) => to === row).map(({ from }) => from));
  const name = (row: BuiltRow): string => `${textOf(keyOf(row))} ${row.content.status}`;
  const references = [...new Set([...forward, ...backward])].flatMap((row) => {
    const { owner } = row.content;
    const isLost = backward.has(row) && owner !== undefined && naiveOwner(rows, row) === undefined;
    const held = naiveReferences(row).filter(
      (each) => (each.isReversed ? backward : forward).has(row) && naiveTarget(rows, row, each) === undefined,
    );
    return [
      ...(isLost ? [`${name(row)} owns ${owner.kind} undefined ${owner.name}`] : []),
      ...held.map((each) => `${name(row)} ${each.type} ${each.kind} ${each.namespace} ${each.name}`),
    ];
  });
  return [
    Array.from(new Set([...forward, ...backward]), name),
    edges
      .filter(({ from, to }) => forward.has(from) || backward.has(to))
      .map(({ from, to, type }) => `${name(from)} ${type} ${name(to)}`),
    references,
  ].map((all) => [...new Set(all)].sort(compareUtf8));
}

test("[Q-37] [L17] [RL1, RL2, RL3, RL4] relations are the edges between visible rows, as far as they can be followed", () => {
  fc.assert(
    fc.property(anyFleetRows, anyVisibilityOf, (rows, visibilityOf) => {
      const fleet = buildFleet(rows);
      const visible = visibleRows(rows, visibilityOf);
      for (const start of rows) {
        const answer = finish(findRelations(fleet, { key: keyOf(start), visibilityOf }));
        expect(answer === undefined).toBe(!visible.includes(start));
        if (answer === undefined || answer.isTruncated) continue;
        expect(shown(answer)).toEqual(naive(visible, start));
        expect(answer.nodes[0]?.key).toEqual(keyOf(start));
      }
    }),
    { numRuns: 50 },
  );
});

test("[Q-37] [RL4] hidden rows change nothing: the answer is that of a fleet without them", () => {
  fc.assert(
    fc.property(anyFleetRows, anyVisibilityOf, (rows, visibilityOf) => {
      const visible = visibleRows(rows, visibilityOf);
      const [whole, only] = [buildFleet(rows), buildFleet(visible)];
      for (const start of rows.slice(0, 6)) {
        const key = keyOf(start);
        const answer = finish(findRelations(whole, { key, visibilityOf }));
        expect(answer).toEqual(finish(findRelations(only, { key, visibilityOf })));
        if (visible.includes(start))
          expect(answer).toEqual(finish(findRelations(only, { key, visibilityOf: seesAll })));
      }
    }),
    { numRuns: 20 },
  );
});

test("[RL5] an answer has no more objects than the bound, and marks that there are more", () => {
  fc.assert(
    fc.property(anyFleetRows, fc.integer({ min: 1, max: 5 }), (rows, maxNodes) => {
      const fleet = buildFleet(rows);
      for (const start of rows.slice(0, 4)) {
        const request = { key: keyOf(start), visibilityOf: seesAll };
        const [whole, cut] = [
          finish(findRelations(fleet, request)),
          finish(findRelations(fleet, { ...request, maxNodes })),
        ];
        expect(cut?.nodes.length).toBeLessThanOrEqual(maxNodes);
        expect(cut?.nodes).toEqual(whole?.nodes.slice(0, cut?.nodes.length));
        if ((whole?.nodes.length ?? 0) > maxNodes) expect(cut?.isTruncated).toBe(true);
        for (const { from, to } of cut?.edges ?? []) expect(Math.max(from, to)).toBeLessThan(maxNodes);
      }
    }),
    { numRuns: 20 },
  );
});
