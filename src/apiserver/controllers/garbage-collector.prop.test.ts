// SPDX-License-Identifier: Apache-2.0
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { createSeededRandom } from "../../base/random.ts";
import { DrivenController } from "../bootstrap/testing/driven-controller.ts";
import { openTestCluster, type TestCluster } from "../bootstrap/testing/open-test-cluster.ts";
import { type DraftObject } from "../json/json.ts";
import { listAt, textAt } from "../json/json-fields.ts";
import type { Propagation } from "../request/delete-options.ts";
import { createGarbageCollector } from "./garbage-collector.ts";

interface Owner {
  readonly name: string;
  readonly isBlocking: boolean;
}

/** Objects by name and the names of their owners. */
type Family = ReadonlyMap<string, readonly Owner[]>;

/** Few, so that circles are frequent. */
const names = ["a", "b", "c", "d", "e"];
/** An owner that never existed. */
const ghost = "ghost";
const namespace = "n";
const configMaps = "configmaps";

/** Any graph: circles, objects that own themselves, owners that never were. */
const families: fc.Arbitrary<Family> = fc
  .tuple(
    ...names.map((name) =>
      fc
        .uniqueArray(fc.record({ name: fc.constantFrom(...names, ghost), isBlocking: fc.boolean() }), {
          maxLength: 3,
          selector: (owner) => owner.name,
        })
        .map((owners) => [name, owners] as const),
    ),
  )
  .map((entries) => new Map(entries));

/**
 * What must be left: an object with owners goes when none of them is there, and keeps only the references to those that
 * are.
 */
class Model {
  readonly #owners: Map<string, readonly string[]>;

  constructor(family: Family) {
    this.#owners = new Map([...family].map(([name, owners]) => [name, owners.map((owner) => owner.name)]));
  }

  get state(): Readonly<Record<string, readonly string[]>> {
    return Object.fromEntries(this.#owners);
  }

  delete(name: string, propagation: Propagation): void {
    if (!this.#owners.delete(name) || propagation !== "Orphan") return;
    for (const [other, owners] of this.#owners) {
      const kept = owners.filter((owner) => owner !== name);
      this.#owners.set(other, kept);
    }
  }

  settle(): void {
    for (let isSettled = false; !isSettled; ) {
      isSettled = true;
      for (const [name, owners] of this.#owners) {
        const living = owners.filter((owner) => this.#owners.has(owner));
        if (living.length === owners.length) continue;
        isSettled = false;
        if (living.length === 0) this.#owners.delete(name);
        else this.#owners.set(name, living);
      }
    }
  }
}

async function create({ client }: TestCluster, family: Family): Promise<void> {
  await client.create("namespaces", { metadata: { name: namespace } });
  const uids = new Map([[ghost, "no-such-uid"]]);
  for (const name of family.keys()) {
    const made = await client.create(configMaps, { metadata: { namespace, name } });
    uids.set(name, textAt(made, "metadata", "uid") ?? "");
  }
  for (const [name, owners] of family) {
    await client.update({ resource: configMaps, namespace, name }, (draft) => {
      (draft["metadata"] as DraftObject)["ownerReferences"] = owners.map((owner) => ({
        apiVersion: "v1",
        kind: "ConfigMap",
        name: owner.name,
        uid: uids.get(owner.name) ?? "",
        blockOwnerDeletion: owner.isBlocking,
      }));
    });
  }
}

function stateOf({ client }: TestCluster): Readonly<Record<string, readonly string[]>> {
  return Object.fromEntries(
    client.objects.list(configMaps, namespace).map((object) => {
      const references = listAt(object, "metadata", "ownerReferences") ?? [];
      return [textAt(object, "metadata", "name") ?? "", references.map((each) => textAt(each, "name") ?? "")];
    }),
  );
}

function startCollector(cluster: TestCluster, seed: number): DrivenController {
  const random = createSeededRandom(seed);
  return new DrivenController(cluster.client, createGarbageCollector(cluster), (count) => random.int(count));
}

test("after a delete with any propagation policy the objects are those of the model", async () => {
  const deletes = fc.array(
    fc.record({
      name: fc.constantFrom(...names),
      propagation: fc.constantFrom<Propagation>("Background", "Foreground", "Orphan"),
    }),
    { minLength: 1, maxLength: 5 },
  );
  await fc.assert(
    fc.asyncProperty(families, deletes, fc.nat(), async (family, steps, seed) => {
      await using cluster = await openTestCluster();
      await create(cluster, family);
      const model = new Model(family);
      const collector = startCollector(cluster, seed);
      await collector.settle();
      model.settle();
      expect(stateOf(cluster)).toEqual(model.state);
      for (const { name, propagation } of steps) {
        await cluster.client.delete({ resource: configMaps, namespace, name }, { propagation });
        await collector.settle();
        model.delete(name, propagation);
        model.settle();
        expect(stateOf(cluster)).toEqual(model.state);
      }
      expect(collector.failures).toEqual([]);
    }),
    { numRuns: 40 },
  );
});

test("deletes that come while the collector works or is started again lead to the same end", async () => {
  const steps = fc.array(
    fc.oneof(
      fc.record({
        name: fc.constantFrom(...names),
        propagation: fc.constantFrom<Propagation>("Background", "Foreground"),
        workCount: fc.nat({ max: 4 }),
      }),
      fc.constant("restart" as const),
    ),
    { minLength: 1, maxLength: 6 },
  );
  await fc.assert(
    fc.asyncProperty(families, steps, fc.nat(), async (family, each, seed) => {
      await using cluster = await openTestCluster();
      await create(cluster, family);
      const model = new Model(family);
      let collector = startCollector(cluster, seed);
      for (const step of each) {
        if (step === "restart") {
          collector.stop();
          collector = startCollector(cluster, seed + 1);
          continue;
        }
        const { name, propagation, workCount } = step;
        await cluster.client.delete({ resource: configMaps, namespace, name }, { propagation });
        model.delete(name, propagation);
        await collector.settle(workCount);
      }
      await collector.settle();
      model.settle();
      expect(stateOf(cluster)).toEqual(model.state);
    }),
    { numRuns: 40 },
  );
});
