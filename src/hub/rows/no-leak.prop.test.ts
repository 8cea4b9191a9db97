// SPDX-License-Identifier: Apache-2.0
// Two fleets that differ only in what a user may not see give that user the same answers, on every surface.
import * as fc from "fast-check";
import { expect, test } from "vitest";
import type { BuiltRow } from "../../index/relations/testing/built-fleet.ts";
import { hubSubject } from "../access/hub-subject.ts";
import { plainQuery, type QueriedObject } from "./fleet-queries.ts";
import { anyHalfSeenFleets, halfSeeing, halfSeenClusters } from "./testing/half-seen-fleet.ts";
import { ReadFleet } from "./testing/read-fleet.ts";
import { type ReadQuestions, readSurfaces, toComparedText } from "./testing/read-surfaces.ts";

const texts = [
  "",
  "status=unhealthy",
  "kind:Pod",
  "kind:Thingone",
  "kind:Thingtwo",
  "things",
  "field.columnone=x",
  "field.colum=x",
  "label.only-one=value-one",
  "label.onli=x",
  "label.app!=web",
  "ns:hidden-one or ns:shop",
  "reason:Onlyone",
  '"Onlytwo"',
  "name~e owner:web",
  "field.node=a image~i",
  "statsu=unhealthy",
  "not cluster:e* age>1s",
];

const objectOf = ({ cluster, resource, content: { namespace, name } }: BuiltRow): QueriedObject => ({
  cluster,
  resource,
  namespace,
  name,
});

/** What others were given of a fleet: cursors of their queries, ids of the problems that the hub knows of. */
async function readAsOthers({ reader }: ReadFleet): Promise<Pick<ReadQuestions, "foreignCursors" | "problemIds">> {
  const others = [
    { user: "zoe-one", groups: ["system:masters"] },
    { ...halfSeeing, groups: ["team", "more"] },
  ];
  const pages = await Promise.all(
    others.map((subject) => reader.queries(subject).list({ ...plainQuery, text: "", limit: 1 })),
  );
  const own = await reader.queries(halfSeeing).list({ ...plainQuery, text: "status=unhealthy", limit: 1 });
  const asked = { text: "", limit: 100, includeDegraded: true, problemId: "", cursor: "" };
  const { problems } = await reader.queries(hubSubject).listProblems(asked);
  return {
    foreignCursors: [...pages.map(({ next }) => next), own.next, "bm90IGEgY3Vyc29y"].filter((next) => next !== ""),
    problemIds: [...problems.map(({ id }) => id), "0"],
  };
}

async function openFleet(rows: readonly BuiltRow[]): Promise<ReadFleet> {
  const fleet = new ReadFleet(halfSeenClusters);
  await fleet.foldAll(rows);
  return fleet;
}

async function answersOf(fleet: ReadFleet, surface: string, questions: ReadQuestions): Promise<readonly string[]> {
  const answers: string[] = [];
  for await (const answer of readSurfaces[surface]?.ask(fleet.reader, questions) ?? [])
    answers.push(toComparedText(answer));
  return answers;
}

/** Pairs of fleets, and what the user asks of both. Opened once for all surfaces. */
const { seed = 1 } = fc.readConfigureGlobal();
const pairs = await Promise.all(
  fc.sample(anyHalfSeenFleets, { numRuns: 40, seed }).map(async ({ fleets, haveSameKinds }) => {
    const [one, two] = [await openFleet(fleets[0]), await openFleet(fleets[1])];
    const objects = fleets.flatMap((rows) => rows.map(objectOf).slice(0, 20));
    const common = { subject: halfSeeing, clusters: halfSeenClusters, objects, texts };
    return { one, two, haveSameKinds, questions: { ...common, ...(await readAsOthers(one)) } };
  }),
);

test.each(Object.keys(readSurfaces))("[L17] [Q-37] %s: hidden rows and grants change no answer", async (surface) => {
  for (const [at, { one, two, haveSameKinds, questions }] of pairs.entries()) {
    if (readSurfaces[surface]?.showsKinds === true && !haveSameKinds) continue;
    const expected = await answersOf(one, surface, questions);
    if (surface === "foreign cursors")
      expect(new Set(expected), "all are refused by one sentence").toHaveProperty(
        "size",
        expected.length === 0 ? 0 : 1,
      );
    expect(await answersOf(two, surface, questions), `pair ${at} of seed ${seed}`).toEqual(expected);
  }
});

/** A live view that is read all the time. */
class OpenView {
  readonly #closing = new AbortController();
  readonly #reading: Promise<unknown>;
  readonly updates: string[] = [];

  constructor({ reader }: ReadFleet, text: string) {
    const query = { text, limit: 3, sort: ["-status"], facets, position: "" };
    const read = async (): Promise<void> => {
      for await (const update of reader.queries(halfSeeing).watch(query, this.#closing.signal))
        this.updates.push(toComparedText(update));
    };
    this.#reading = read().catch((reason: unknown) => {
      if (!this.#closing.signal.aborted) this.updates.push(String(reason));
    });
  }

  async close(): Promise<void> {
    this.#closing.abort(new Error("the test is over"));
    await this.#reading;
  }
}

const facets = ["kind", "namespace", "label.only-one"];
const liveTexts = ["", "status=unhealthy", "kind:Pod or label.only-one=value-one"];

/** The user's own grants of a cluster. */
const isOwnGrant = ({ resource, content }: BuiltRow): boolean =>
  resource.endsWith("bindings") && content.name.startsWith(halfSeeing.user);

test("[L17] [QL16] live views: hidden rows that come, change and go send no update", async () => {
  const turn = fc.record({ share: fc.nat({ max: 3 }), isRevoked: fc.nat({ max: 3 }).map((n) => n === 0) });
  await fc.assert(
    fc.asyncProperty(anyHalfSeenFleets, fc.array(turn, { maxLength: 4 }), async ({ fleets, seen }, turns) => {
      const runs = fleets.map(async (rows): Promise<readonly (readonly string[])[]> => {
        const seenKeys = new Set(seen.map(toComparedText));
        const isHidden = (row: BuiltRow): boolean => !seenKeys.has(toComparedText(row)) && !isOwnGrant(row);
        const fleet = await openFleet(rows.filter((row) => !isHidden(row)));
        const views = liveTexts.map((text) => new OpenView(fleet, text));
        await fleet.clock.advance(6_000);
        for (const { share, isRevoked } of turns) {
          const ofTurn = (row: BuiltRow): boolean => row.content.name.length % 4 === share;
          await fleet.foldAll(rows.filter((row) => isHidden(row) && ofTurn(row)));
          await fleet.clock.advance(6_000);
          const changed = seen.filter(ofTurn).map((row) => ({ ...row, content: { ...row.content, generation: 2 } }));
          await fleet.foldAll(changed, isRevoked ? rows.filter(isOwnGrant) : []);
          await fleet.clock.advance(6_000);
          await fleet.foldAll(
            [],
            rows.filter((row) => isHidden(row) && ofTurn(row)),
          );
          await fleet.clock.advance(6_000);
        }
        for (const view of views) await view.close();
        return views.map(({ updates }) => updates);
      });
      const [one, two] = await Promise.all(runs);
      expect(two).toEqual(one);
    }),
    { numRuns: 25 },
  );
});
