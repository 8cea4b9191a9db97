// SPDX-License-Identifier: Apache-2.0
import { describe, expect, test } from "vitest";
import { FlotillaError } from "../base/error.ts";
import { settle } from "../base/testing/manual-clock.ts";
import { CommitGroups } from "./commit-groups.ts";
import type { EngineUnit, StorePort, UnitOutcome } from "./store-engine.ts";

/**
 * An engine whose transactions end when the test says so, in the order they came, as a thread with one queue runs them.
 */
class SlowEngine {
  readonly groups: (readonly EngineUnit[])[] = [];
  readonly #underWay: PromiseWithResolvers<void>[] = [];

  get port(): Pick<StorePort, "commit"> {
    return {
      commit: async (units) => {
        this.groups.push(units);
        const end = Promise.withResolvers<void>();
        this.#underWay.push(end);
        await end.promise;
        return units.map(() => ({ kind: "committed", results: [] }));
      },
    };
  }

  /** Ends the oldest transaction. */
  async finish(failure?: Error): Promise<void> {
    const oldest = this.#underWay.shift();
    if (failure === undefined) oldest?.resolve();
    else oldest?.reject(failure);
    await settle();
  }
}

function open(): { readonly engine: SlowEngine; readonly groups: CommitGroups; readonly seen: EngineUnit[] } {
  const engine = new SlowEngine();
  const seen: EngineUnit[] = [];
  const groups = new CommitGroups(engine.port as StorePort, (units) => void seen.push(...units));
  return { engine, groups, seen };
}

function unit(name: string, options: { readonly writes?: number; readonly bytes?: number } = {}): EngineUnit {
  const body = new Uint8Array(options.bytes ?? 10);
  return {
    writes: Array.from({ length: options.writes ?? 1 }, (_, index) => {
      return { table: "objects", key: `${name}-${index}`, body, expect: "any" } as const;
    }),
  };
}

const sizes = (engine: SlowEngine): readonly number[] => engine.groups.map((units) => units.length);

describe("groups of commits", () => {
  test.each(Array.from({ length: 40 }, (_, turn) => turn))(
    "[ST8] a commit that comes %i turns after two groups have ended together is written, though no other follows it",
    async (turnCount) => {
      const { engine, groups } = open();
      for (const name of ["a", "b"]) {
        void groups.commit(unit(name));
        await settle();
      }
      void engine.finish();
      void engine.finish();
      for (let turn = 0; turn < turnCount; turn += 1) await Promise.resolve();
      void groups.commit(unit("c"));
      await settle();
      expect(sizes(engine)).toEqual([1, 1, 1]);
    },
  );

  test("[ST8] commits that arrive while two groups are written form the next, in order, at most 256 writes", async () => {
    const { engine, groups, seen } = open();
    const units = Array.from({ length: 602 }, (_, index) => unit(`u${index}`));
    const answers = [groups.commit(units[0]!)];
    await settle();
    answers.push(groups.commit(units[1]!));
    await settle();
    answers.push(...units.slice(2).map((one) => groups.commit(one)));
    await settle();
    expect(sizes(engine)).toEqual([1, 1]);
    for (let turn = 0; turn < 6; turn += 1) await engine.finish();
    expect(sizes(engine)).toEqual([1, 1, 256, 256, 88]);
    await Promise.all(answers);
    expect(seen).toEqual(units);
  });

  test("[ST8] commits made at one moment make two halves, and so do those of callers that write again when answered", async () => {
    const { engine, groups } = open();
    const writeOn = async (name: string): Promise<void> => {
      for (let round = 1; round <= 3; round += 1) await groups.commit(unit(`${name}-${round}`));
    };
    const writers = Array.from({ length: 64 }, (_, index) => writeOn(`w${index}`));
    await settle();
    for (let turn = 0; turn < 6; turn += 1) await engine.finish();
    await Promise.all(writers);
    expect(sizes(engine)).toEqual([32, 32, 32, 32, 32, 32]);
  });

  test("[ST8] a lone commit beside a crowd does not split it into one and all the others for ever", async () => {
    const { engine, groups } = open();
    const writeOn = async (name: string): Promise<void> => {
      for (let round = 1; round <= 3; round += 1) await groups.commit(unit(`${name}-${round}`));
    };
    const writers = [writeOn("early")];
    await settle();
    writers.push(...Array.from({ length: 63 }, (_, index) => writeOn(`w${index}`)));
    await settle();
    for (let turn = 0; turn < 7; turn += 1) await engine.finish();
    await Promise.all(writers);
    expect(sizes(engine).slice(0, 4)).toEqual([1, 32, 32, 32]);
  });

  test("[ST8] up to 16 commits share one transaction", async () => {
    const { engine, groups } = open();
    const answers = Array.from({ length: 16 }, (_, index) => groups.commit(unit(`u${index}`)));
    await settle();
    await engine.finish();
    await Promise.all(answers);
    expect(sizes(engine)).toEqual([16]);
  });

  test("[ST8] a group ends before the commit that would bring it over 256 writes or 8 MiB; a larger one goes alone", async () => {
    const { engine, groups } = open();
    const answers = [
      groups.commit(unit("a", { writes: 200 })),
      groups.commit(unit("b", { writes: 57 })),
      groups.commit(unit("huge", { writes: 1000 })),
      groups.commit(unit("c", { bytes: 3_000_000 })),
      groups.commit(unit("d", { bytes: 3_000_000 })),
      groups.commit(unit("e", { bytes: 3_000_000 })),
    ];
    await settle();
    for (let turn = 0; turn < 5; turn += 1) await engine.finish();
    await Promise.all(answers);
    expect(sizes(engine)).toEqual([1, 1, 1, 2, 1]);
  });

  test("[ST10] no commit is answered before the listener has seen the group", async () => {
    const engine = new SlowEngine();
    const order: string[] = [];
    const listening = Promise.withResolvers<void>();
    const groups = new CommitGroups(engine.port as StorePort, async () => {
      order.push("listener");
      await listening.promise;
    });
    const answer = groups.commit(unit("a")).then(() => order.push("answer"));
    await settle();
    await engine.finish();
    expect(order).toEqual(["listener"]);
    listening.resolve();
    await answer;
    expect(order).toEqual(["listener", "answer"]);
  });

  test("[ST23] a failed transaction rejects its own commits only; later ones are written", async () => {
    const { engine, groups, seen } = open();
    const first = groups.commit(unit("first"));
    await settle();
    const rest = [groups.commit(unit("a")), groups.commit(unit("b"))];
    const refused = expect(first).rejects.toMatchObject({ code: "STORE_FULL" });
    await engine.finish(new FlotillaError("STORE_FULL", "no room"));
    await refused;
    await engine.finish();
    expect(await Promise.all(rest)).toHaveLength(2);
    expect(seen).toHaveLength(2);
  });

  test("[ST9] the bytes of a commit count until it is answered, also when it failed", async () => {
    const { engine, groups } = open();
    const most = 64 * 1024 * 1024;
    const failing = groups.commit(unit("a", { bytes: most - 100 }));
    await settle();
    await expect(groups.commit(unit("b", { bytes: 200 }))).rejects.toMatchObject({ code: "OVERLOADED" });
    const fitting = groups.commit(unit("c", { bytes: 50 }));
    const refused = expect(failing).rejects.toMatchObject({ code: "STORE_FULL" });
    await engine.finish(new FlotillaError("STORE_FULL", "no room"));
    await refused;
    await engine.finish();
    await fitting;
    const large = groups.commit(unit("d", { bytes: most - 100 }));
    await settle();
    await engine.finish();
    expect(await large).toMatchObject({ kind: "committed" } satisfies Partial<UnitOutcome>);
  });

  test("[ST7] drain waits for everything taken, including what is taken while it waits", async () => {
    const { engine, groups } = open();
    const answers = [groups.commit(unit("a"))];
    await settle();
    let isDrained = false;
    const drained = groups.drain().then(() => {
      isDrained = true;
    });
    answers.push(groups.commit(unit("b")));
    await engine.finish();
    expect(isDrained).toBe(false);
    await engine.finish();
    await drained;
    await Promise.all(answers);
  });
});
