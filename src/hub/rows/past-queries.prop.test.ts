// SPDX-License-Identifier: Apache-2.0
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { type OpenLog, openMemoryLog, openSqliteLog } from "../../../test/support/store-fleet-log.ts";
import { hasCode } from "../../base/error.ts";
import type { Subject } from "../../model/subject.ts";
import { hubSubject } from "../access/hub-subject.ts";
import { bindingTo, contentOf, viewerRole } from "../index/testing/live-rig.ts";
import { type FleetQueries, type FoundFleetRow, plainQuery } from "./fleet-queries.ts";
import { type HubState, PastHub } from "./testing/past-hub.ts";

const clusters = ["east", "west"];
const resources = ["pods", "services"];

/** Sees namespace `a` of `east`, and everything of `west`. */
const dev: Subject = { user: "dev", groups: [] };
const isShownToDev = (key: string): boolean => key.startsWith("west ") || / a\//.test(key);

const content = fc.record({
  namespace: fc.constantFrom("a", "b"),
  name: fc.constantFrom("n1", "n2", "n3"),
  uid: fc.constantFrom("00000000-0000-4000-8000-000000000001", "00000000-0000-4000-8000-000000000002"),
  reason: fc.constantFrom("", "r1", "r2"),
});
const contents = fc.uniqueArray(content, { selector: ({ namespace, name }) => `${namespace}/${name}`, maxLength: 4 });

const steps = fc.array(
  fc.oneof(
    {
      weight: 8,
      arbitrary: fc.record({
        kind: fc.constant("flush" as const),
        cluster: fc.constantFrom(...clusters),
        resource: fc.constantFrom(...resources),
        put: contents,
        deleted: contents,
        pauseMs: fc.constantFrom(0, 1, 7, 100),
      }),
    },
    {
      weight: 3,
      arbitrary: fc.record({
        kind: fc.constant("checkpoint" as const),
        cluster: fc.constantFrom(...clusters),
        resource: fc.constantFrom(...resources),
      }),
    },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant("retain" as const), keptMs: fc.constantFrom(1, 150) }) },
    { weight: 1, arbitrary: fc.constant({ kind: "restart" as const }) },
  ),
  { minLength: 4, maxLength: 14 },
);

async function play(hub: PastHub, history: typeof steps extends fc.Arbitrary<infer Steps> ? Steps : never) {
  const granted = [viewerRole("view", ["*"])];
  await hub.grant("east", [...granted, bindingTo("User", "dev", "view", "a")]);
  await hub.grant("west", [...granted, bindingTo("User", "dev", "view")]);
  for (const step of history) {
    if (step.kind === "flush") {
      hub.wait(step.pauseMs);
      const put = step.put.map(({ name, ...fields }) => contentOf(name, fields));
      await hub.flush(step.cluster, step.resource, put, step.deleted);
    } else if (step.kind === "checkpoint") await hub.checkpoint(step.cluster, step.resource);
    else if (step.kind === "retain") await hub.retain(hub.nowMs - step.keptMs);
    else await hub.restart();
  }
}

const textOf = ({ cluster, resource, row }: FoundFleetRow): string =>
  `${cluster} ${resource} ${row.namespace}/${row.name} ${row.rowHash}`;

/** The rows of all pages, two a page; undefined for a moment that is no longer kept. */
async function listAt(queries: FleetQueries, atMs: number) {
  const text = `kind:in(pods,services) at:${new Date(atMs).toISOString()}`;
  const rows: string[] = [];
  let first: Awaited<ReturnType<FleetQueries["list"]>> | undefined;
  for (let cursor = ""; ; ) {
    const page = await queries.list({ ...plainQuery, text, limit: 2, cursor, facets: ["namespace"] });
    first ??= page;
    rows.push(...page.rows.map(textOf));
    cursor = page.next;
    if (cursor === "") return { rows, total: first.total, facets: first.facets, moment: first.moment };
  }
}

function expectedOf(state: HubState | undefined, isShown: (key: string) => boolean) {
  const shown = [...(state ?? [])].filter(([key]) => isShown(key)).sort(([a], [b]) => (a < b ? -1 : 1));
  const countOf = (namespace: string): number => shown.filter(([, row]) => row.namespace === namespace).length;
  const values = ["a", "b"]
    .map((value) => ({ value, count: countOf(value) }))
    .filter(({ count }) => count > 0)
    .sort((a, b) => b.count - a.count);
  return { rows: shown.map(([key, { rowHash }]) => `${key} ${rowHash}`), total: shown.length, values };
}

/** At the moment of a flush, or a little before or after it. */
const moments = fc.array(
  fc.record({
    share: fc.integer({ min: 0, max: 99 }).map((part) => part / 100),
    laterMs: fc.constantFrom(0, 0, -1, 1),
  }),
  { minLength: 3, maxLength: 3 },
);

const engines: readonly (readonly [string, OpenLog, number])[] = [
  ["memory", openMemoryLog, 25],
  ["sqlite", openSqliteLog, 3],
];

test.each(engines)(
  "[QL30] [L17] `at:` answers with the rows of that moment that the user may see now, over checkpoints, retention and restarts: %s",
  async (_name, open, numRuns) => {
    await fc.assert(
      fc.asyncProperty(steps, moments, async (history, picks) => {
        await using under = await open();
        const hub = new PastHub(under);
        await play(hub, history);
        hub.wait(10_000);
        for (const { share, laterMs } of picks) {
          const atMs = (hub.states[Math.floor(share * hub.states.length)]?.atMs ?? 0) + laterMs;
          const state = hub.states.findLast((each) => each.atMs <= atMs)?.state;
          for (const [subject, isShown] of [[hubSubject, () => true] as const, [dev, isShownToDev] as const]) {
            const asking = listAt(hub.queries(subject), atMs);
            const answer = await asking.catch((reason: unknown) => {
              if (!hasCode(reason, "GONE")) throw reason;
              return reason;
            });
            if ("code" in answer) {
              expect(history.some(({ kind }) => kind === "retain")).toBe(true);
              expect(Number(answer.ids["earliestMs"])).toBeGreaterThan(atMs);
              await listAt(hub.queries(subject), Number(answer.ids["earliestMs"]));
              continue;
            }
            const { rows, total, values } = expectedOf(state, isShown);
            expect([answer.rows, answer.total, answer.facets[0]?.values]).toEqual([rows, total, values]);
            expect(answer.moment?.atMs).toBe(atMs);
          }
        }
      }),
      { numRuns },
    );
  },
);
