// SPDX-License-Identifier: Apache-2.0
import { systemClock } from "../../src/base/time/system-clock.ts";
import { openHubStore } from "../../src/store/sqlite/open-hub-store.ts";
import { put, type Store } from "../../src/store/store.ts";
import { objects } from "../../src/store/tables.ts";
import { BareSqlite } from "./bare-sqlite.ts";
import { makeKey, makeObject } from "./objects.ts";
import { report } from "./report.ts";

/**
 * The store and its peers take turns of this length, many times over, and the sums count: the disk of a shared machine
 * is not the same for two seconds running.
 */
const turnMs = 250;
const turnCount = 9;

/** What is asked for, at 64 in flight. */
const goal = { inFlight: 64, ofBare: 0.6, timesSingle: 5 };

/** Keeps `inFlight` commits under way for about that long; gives how many were acknowledged. */
async function runStore(store: Store, inFlight: number, runMs: number): Promise<number> {
  const first = Number(store.revision);
  let serial = first;
  const endMs = performance.now() + runMs;
  const writeOn = async (): Promise<void> => {
    while (performance.now() < endMs) {
      serial += 1;
      await store.commit([put(objects, makeKey(serial), { body: makeObject(serial) })]);
    }
  };
  await Promise.all(Array.from({ length: inFlight }, writeOn));
  return serial - first;
}

/** Adds up writes and the time they took. */
class Rate {
  #count = 0;
  #tookMs = 0;

  get perSecond(): number {
    return this.#count / (this.#tookMs / 1000);
  }

  async add(run: () => number | Promise<number>): Promise<void> {
    const startMs = performance.now();
    this.#count += await run();
    this.#tookMs += performance.now() - startMs;
  }
}

async function benchInFlight(makeFolder: () => string, inFlight: number): Promise<void> {
  const folder = makeFolder();
  const files = { file: `${folder}/hub.db`, keyFile: `${folder}/keys`, encryptedResources: ["/secrets"] };
  const store = await openHubStore(files, { clock: systemClock });
  using sameBatch = new BareSqlite(`${makeFolder()}/hub.db`, inFlight);
  using oneByOne = new BareSqlite(`${makeFolder()}/hub.db`, 1);
  const rates = { store: new Rate(), sameBatch: new Rate(), oneByOne: new Rate() };
  for (let turn = 0; turn < turnCount; turn += 1) {
    await rates.store.add(() => runStore(store, inFlight, turnMs));
    await rates.sameBatch.add(() => sameBatch.run(turnMs));
    await rates.oneByOne.add(() => oneByOne.run(turnMs));
  }
  await store.close();
  const ofBare = rates.store.perSecond / rates.sameBatch.perSecond;
  const timesSingle = rates.store.perSecond / rates.oneByOne.perSecond;
  const meetsGoal = ofBare >= goal.ofBare && timesSingle >= goal.timesSingle;
  report(`durable writes/s, ${inFlight} in flight`, {
    store: rates.store.perSecond,
    bareSameBatch: rates.sameBatch.perSecond,
    bareOneByOne: rates.oneByOne.perSecond,
    ofBare,
    timesSingle,
    ...(inFlight === goal.inFlight ? { meetsGoal } : {}),
  });
}

/**
 * Durable writes of 1.4 KB objects: the store with several numbers in flight, beside bare SQLite in the same seconds.
 */
export async function benchDurableWrites(makeFolder: () => string): Promise<void> {
  for (const inFlight of [1, 16, 64, 256]) await benchInFlight(makeFolder, inFlight);
}
