// SPDX-License-Identifier: Apache-2.0
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { settle } from "../../base/testing/manual-clock.ts";
import { LiveBudget } from "../../index/live/live-budget.ts";
import { createHasher } from "../../model/rows/hasher.ts";
import type { RowContent } from "../../model/rows/row.ts";
import type { Subject } from "../../model/subject.ts";
import { bindingTo, contentOf, LiveRig, type RigReader, viewerRole } from "./testing/live-rig.ts";

const hasher = await createHasher();
const clusters = ["east", "west"];
const subjects: readonly Subject[] = [
  { user: "ada", groups: ["team"] },
  { user: "bob", groups: ["team"] },
  { user: "eve", groups: [] },
];
const queries = [
  { text: "kind:Pod", sort: ["name"], facets: ["status", "namespace"], limit: 2 },
  { text: "", sort: [], facets: ["cluster"], limit: 3 },
  { text: "status=unhealthy or age<5s", sort: ["-created"], facets: [], limit: 4 },
];

const cluster = fc.constantFrom(...clusters);
const object = fc.record({
  name: fc.constantFrom("a", "b", "c", "d"),
  namespace: fc.constantFrom("a", "b"),
  status: fc.constantFrom("healthy" as const, "unhealthy" as const),
  ageMs: fc.nat({ max: 6_000 }),
});
const someObjects = (maxLength: number) =>
  fc.uniqueArray(object, { maxLength, selector: ({ namespace, name }) => `${namespace}/${name}` });
const binding = fc
  .record({
    kind: fc.constantFrom("User" as const, "Group" as const),
    role: fc.constantFrom("pods", "everything", "list-only"),
    namespace: fc.constantFrom("", "a", "b"),
  })
  .chain(({ kind, role, namespace }) =>
    fc
      .constantFrom(...(kind === "User" ? ["ada", "bob", "eve"] : ["team"]))
      .map((name) => bindingTo(kind, name, role, namespace)),
  );

const reader = fc.nat({ max: 8 });
const anyStep = fc.oneof(
  fc.record({
    kind: fc.constant("fold" as const),
    cluster,
    resource: fc.constantFrom("pods", "apps/deployments"),
    brought: someObjects(4),
    deleted: someObjects(3),
  }),
  fc.record({
    kind: fc.constant("grant" as const),
    cluster,
    applied: fc.array(binding, { maxLength: 2 }),
    removed: fc.array(binding, { maxLength: 3 }),
  }),
  fc.record({ kind: fc.constant("withhold" as const), cluster, isWithheld: fc.boolean() }),
  fc.record({ kind: fc.constant("wait" as const), ms: fc.constantFrom(0, 30, 200, 3_000) }),
  fc.record({ kind: fc.constantFrom("poll" as const, "reopen" as const, "check" as const), reader }),
);
type Step = typeof anyStep extends fc.Arbitrary<infer Value> ? Value : never;
type Made = Extract<Step, { readonly kind: "fold" }>["brought"][number];

const isEqual = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b);

/** Three users with three views each, over two clusters. */
class World {
  readonly rig: LiveRig;
  readonly #readers: readonly RigReader[];

  constructor(options: ConstructorParameters<typeof LiveRig>[1]) {
    this.rig = new LiveRig(hasher, options);
    for (const each of clusters) {
      this.rig.register(each);
      this.rig.grant(each, [
        viewerRole("pods", ["pods"]),
        viewerRole("everything", ["*"]),
        viewerRole("list-only", ["*"], ["list"]),
      ]);
    }
    this.#readers = subjects.flatMap((subject) => queries.map((query) => this.rig.open(subject, query)));
  }

  async apply(step: Step): Promise<void> {
    const { rig } = this;
    switch (step.kind) {
      case "fold": {
        const toContent = ({ name, ageMs, ...fields }: Made): RowContent =>
          contentOf(name, { ...fields, createdAt: rig.clock.wallMs() - ageMs });
        return rig.fold(step.cluster, step.resource, step.brought.map(toContent), step.deleted.map(toContent));
      }
      case "grant":
        return rig.grant(step.cluster, step.applied, step.removed);
      case "withhold":
        rig.access.setWithheld(step.cluster, step.isWithheld);
        return rig.engine.noteChange();
      case "wait":
        return rig.clock.advance(step.ms);
      case "poll":
        // What the call is answered with is applied, and each row must be visible at that moment.
        return void this.#readers[step.reader]?.poll();
      case "reopen":
        await settle();
        return this.#readers[step.reader]?.reopen();
      case "check":
        return this.check(step.reader);
    }
  }

  /** What the reader shows is the answer of its query. A row that has just reached an age is shown at its next refresh. */
  async check(at: number): Promise<void> {
    const reader = this.#readers[at];
    if (reader === undefined) return;
    await reader.catchUp();
    if (!isEqual(reader.shown(), await this.rig.ask(reader))) {
      await this.rig.clock.advance(200);
      await reader.catchUp();
    }
    expect(reader.shown()).toEqual(await this.rig.ask(reader));
  }

  async end(): Promise<void> {
    for (const at of this.#readers.keys()) await this.check(at);
    this.rig.engine.closeAll();
    await this.rig.clock.advance(0);
    expect(this.rig.clock.timerCount).toBe(0);
  }
}

test("[QL16] [QL17] [QL20] [L17] readers that poll and come back at any moment show what their users may see then", async () => {
  const budgets = fc.constantFrom(1_000, 1_000_000);
  await fc.assert(
    fc.asyncProperty(
      fc.array(anyStep, { maxLength: 40, size: "max" }),
      budgets,
      fc.constantFrom(1, 1_000),
      async (steps, maxViewBytes, sliceRows) => {
        const world = new World({ budget: new LiveBudget({ maxViewBytes }), sizes: { sliceRows, wholeAgeMs: 0 } });
        // Slices run when the clock moves, so that other steps come in between.
        if (sliceRows === 1) world.rig.pause = () => world.rig.clock.sleep(0);
        for (const step of steps) await world.apply(step);
        await world.end();
      },
    ),
    { numRuns: 40 },
  );
});
