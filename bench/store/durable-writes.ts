// SPDX-License-Identifier: Apache-2.0
import { systemClock } from "../../src/base/system-clock.ts";
import { openHubStore } from "../../src/store/sqlite/open-hub-store.ts";
import { put } from "../../src/store/store.ts";
import { objects } from "../../src/store/tables.ts";
import { measureBare } from "./bare-sqlite.ts";
import { makeKey, makeObject } from "./objects.ts";
import { report } from "./report.ts";

/** One measurement; long enough for a few checkpoints of the write-ahead log. */
const runMs = 1000;
/** The store and its peers take turns, and the middle ratio counts: the disk of a shared machine is not the same twice. */
const roundCount = 3;

/** What is asked for, at 64 in flight. */
const goal = { inFlight: 64, ofBare: 0.6, timesSingle: 5 };

async function measureStore(folder: string, inFlight: number): Promise<number> {
  const files = { file: `${folder}/hub.db`, keyFile: `${folder}/keys`, encryptedResources: ["secrets"] };
  const store = await openHubStore(files, { clock: systemClock });
  let serial = 0;
  const startMs = performance.now();
  const writeOn = async (): Promise<void> => {
    while (performance.now() - startMs < runMs) {
      serial += 1;
      await store.commit([put(objects, makeKey(serial), { body: makeObject(serial) })]);
    }
  };
  await Promise.all(Array.from({ length: inFlight }, writeOn));
  const perSecond = serial / ((performance.now() - startMs) / 1000);
  await store.close();
  return perSecond;
}

function median(figures: readonly number[]): number {
  return figures.toSorted((a, b) => a - b)[Math.floor(figures.length / 2)] ?? 0;
}

interface Round {
  readonly store: number;
  /** Bare SQLite with as many writes in a transaction as the store has in flight. */
  readonly bare: number;
  /** Bare SQLite with a transaction for each write. */
  readonly single: number;
}

async function measureRound(makeFolder: () => string, inFlight: number): Promise<Round> {
  return {
    store: await measureStore(makeFolder(), inFlight),
    bare: measureBare(`${makeFolder()}/hub.db`, inFlight, runMs),
    single: measureBare(`${makeFolder()}/hub.db`, 1, runMs),
  };
}

/** Durable writes of 1.4 KB objects: the store at several numbers in flight, beside bare SQLite in the same minute. */
export async function benchDurableWrites(makeFolder: () => string): Promise<void> {
  for (const inFlight of [1, 16, 64, 256]) {
    const rounds: Round[] = [];
    for (let round = 0; round < roundCount; round += 1) rounds.push(await measureRound(makeFolder, inFlight));
    const ofBare = median(rounds.map(({ store, bare }) => store / bare));
    const timesSingle = median(rounds.map(({ store, single }) => store / single));
    report(`durable writes/s, ${inFlight} in flight`, {
      store: median(rounds.map(({ store }) => store)),
      bareSameBatch: median(rounds.map(({ bare }) => bare)),
      bareOneByOne: median(rounds.map(({ single }) => single)),
      ofBare,
      timesSingle,
      ...(inFlight === goal.inFlight ? { meetsGoal: ofBare >= goal.ofBare && timesSingle >= goal.timesSingle } : {}),
    });
  }
}
