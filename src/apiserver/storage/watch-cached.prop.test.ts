// SPDX-License-Identifier: Apache-2.0
// Any history, any selector, any place to resume at: what a client folds from events is what a list says.
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { listed, type SeenEvent, TestStorage } from "../../../test/support/api-storage.ts";

interface Step {
  readonly name: string;
  readonly namespace: string;
  /** Undefined deletes. */
  readonly labels: Readonly<Record<string, string>> | undefined;
  readonly value: string;
}

const arbitraryStep: fc.Arbitrary<Step> = fc.record({
  name: fc.constantFrom("a", "a-b", "a.b", "b", "z"),
  namespace: fc.constantFrom("n", "m"),
  labels: fc.option(
    fc.dictionary(fc.constantFrom("app", "tier"), fc.constantFrom("web", "db", ""), {
      maxKeys: 2,
      noNullPrototype: true,
    }),
    { nil: undefined, freq: 3 },
  ),
  value: fc.constantFrom("1", "2"),
});

const arbitrarySelector = fc.constantFrom(
  "",
  "labelSelector=app%3Dweb",
  "labelSelector=app%21%3Dweb",
  "labelSelector=app",
  "labelSelector=%21tier",
  "labelSelector=app+in+%28web%2Cdb%29%2Ctier",
  "fieldSelector=metadata.name%3Da",
  "fieldSelector=metadata.name%21%3Da",
  "labelSelector=app%3Dweb&fieldSelector=metadata.namespace%3Dn",
);

async function play(storage: TestStorage, { name, namespace, labels, value }: Step): Promise<void> {
  if (labels === undefined) await storage.remove(name, namespace);
  else await storage.put({ name, namespace, labels, value });
}

/** What a client knows: objects by key, and the version of each. */
class Folded {
  readonly objects = new Map<string, string>();
  revision: number;

  constructor(revision: number) {
    this.revision = revision;
  }

  copy(): Folded {
    const copy = new Folded(this.revision);
    for (const [key, version] of this.objects) copy.objects.set(key, version);
    return copy;
  }

  /** Throws where the event cannot be: one of the past, an addition of what is there, a change of what is not. */
  apply({ type, object }: SeenEvent): void {
    const metadata = object["metadata"] as { namespace?: string; name?: string; resourceVersion: string };
    const revision = Number(metadata.resourceVersion);
    if (revision < this.revision || (revision === this.revision && type !== "BOOKMARK"))
      throw new Error(`${type} of ${revision} came after ${this.revision}`);
    this.revision = revision;
    if (type === "BOOKMARK") return;
    const key = `${metadata.namespace}/${metadata.name}`;
    if (this.objects.has(key) !== (type !== "ADDED")) throw new Error(`${type} of ${key}`);
    if (type === "DELETED") this.objects.delete(key);
    else this.objects.set(key, `${metadata.name}@${revision}`);
  }

  get listed(): readonly string[] {
    return [...this.objects.entries()].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, version]) => version);
  }
}

test("[AP7] a watch resumed at any version that it has seen folds to the same state as a list", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(arbitraryStep, { minLength: 1, maxLength: 25 }),
      fc.array(arbitraryStep, { maxLength: 10 }),
      arbitrarySelector,
      fc.constantFrom(undefined, "n"),
      fc.boolean(),
      async (before, after, selector, namespace, isRestarted) => {
        await using storage = await TestStorage.open();
        const start = new Folded(0);
        const seen = [start.copy()];
        await using watch = storage.watch(`${selector}&resourceVersion=0&allowWatchBookmarks=true`, namespace);
        for (const step of before) {
          await play(storage, step);
          for (const event of await watch.read()) {
            start.apply(event);
            seen.push(start.copy());
          }
        }
        await storage.clock.advance(70_000);
        for (const event of await watch.read()) start.apply(event);
        expect(start.revision).toBe(storage.revision);
        seen.push(start.copy());
        await using restarted = isRestarted ? await TestStorage.open({ over: storage }) : undefined;
        const now = restarted ?? storage;
        for (const step of after) await play(now, step);
        const expected = listed(await now.page(selector, namespace));
        for (const state of seen) {
          // Version 0 would ask for the state itself.
          if (state.revision === 0) continue;
          await using resumed = now.watch(`${selector}&resourceVersion=${state.revision}`, namespace);
          for (const event of await resumed.read()) state.apply(event);
          expect(state.listed).toEqual(expected);
        }
      },
    ),
    { numRuns: 100 },
  );
});
