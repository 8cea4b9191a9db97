// SPDX-License-Identifier: Apache-2.0
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { FlotillaError, hasCode } from "../../base/error.ts";
import { settle } from "../../base/testing/manual-clock.ts";
import { type EstablishedIdentity, type EstablishIdentityOptions, establishIdentity } from "./establish-identity.ts";
import type { IdentityStore } from "./identity-record.ts";
import { IdentityRig, parseModelKey } from "./testing/identity-rig.ts";
import { MemoryIdentityStore } from "./testing/memory-identity-store.ts";
import { hex } from "./testing/model-join-hub.ts";

const never = new AbortController().signal;

/**
 * What happens at one await: it works, its answer or the request itself is lost, or the process ends before or after it
 * took effect.
 */
const fates = ["works", "requestLost", "answerLost", "crashBefore", "crashAfter"] as const;
type Fate = (typeof fates)[number];

const crashed = new Error("the process ended");

/** Ports whose every call meets the next fate; once they are used up, all works. */
function unreliable(rig: IdentityRig, fate: () => Fate, rotate: boolean): EstablishIdentityOptions {
  const meet = async <T>(act: () => Promise<T>): Promise<T> => {
    const met = fate();
    await settle();
    if (met === "crashBefore") throw crashed;
    if (met === "requestLost") throw new FlotillaError("UNAVAILABLE", "the request was lost");
    const result = await act();
    await settle();
    if (met === "crashAfter") throw crashed;
    if (met === "answerLost") throw new FlotillaError("UNAVAILABLE", "the answer was lost");
    return result;
  };
  const memory = new MemoryIdentityStore(rig.kept);
  const store: IdentityStore = {
    load: () => meet(() => memory.load()),
    save: (record) => meet(() => memory.save(record)),
  };
  const plain = rig.options();
  return {
    ...plain,
    store,
    rotate,
    token: { where: "the test", load: () => meet(() => Promise.resolve(rig.token)) },
    join: (request) =>
      meet(() => {
        const answer = rig.hub.join(request);
        // Never lost: whatever the hub has just registered is stored already.
        expect(storedKeys(rig)).toContain(hex(request.publicKey));
        return Promise.resolve(answer);
      }),
  };
}

function storedKeys({ kept }: IdentityRig): readonly string[] {
  const pems = [kept.record?.privateKeyPem ?? "", kept.record?.nextPrivateKeyPem ?? ""];
  return pems.filter((pem) => pem !== "").map((pem) => hex(parseModelKey(pem).publicKey));
}

/** Lets time pass until the promise is settled. */
async function finish<T>(rig: IdentityRig, promise: Promise<T>): Promise<T> {
  const progress = { isSettled: false };
  const watched = promise.finally(() => {
    progress.isSettled = true;
  });
  watched.catch(() => undefined); // it is returned below; this only keeps it from counting as unhandled meanwhile
  for (let round = 0; round < 10_000 && !progress.isSettled; round += 1) {
    await settle();
    rig.clock.runNext();
  }
  expect(progress.isSettled).toBe(true);
  return watched;
}

/** Starts processes until one ends well. */
async function runThroughCrashes(rig: IdentityRig, fate: () => Fate, rotate = false): Promise<EstablishedIdentity> {
  for (;;) {
    try {
      return await finish(rig, establishIdentity(unreliable(rig, fate, rotate), never));
    } catch (reason) {
      if (reason !== crashed) throw reason;
    }
  }
}

function taking(queue: readonly Fate[]): () => Fate {
  const rest = [...queue];
  return () => rest.shift() ?? "works";
}

const someFates = fc.array(fc.constantFrom(...fates), { maxLength: 24 });

test("[SE5] whatever is lost and wherever the process ends, one key is registered, by one use, and it is the stored one", async () => {
  await fc.assert(
    fc.asyncProperty(someFates, async (queue) => {
      const rig = new IdentityRig();
      const { key } = await runThroughCrashes(rig, taking(queue));
      expect(rig.hub.keys).toEqual([{ publicKey: hex(key.publicKey), state: "active" }]);
      expect(storedKeys(rig)).toEqual([hex(key.publicKey)]);
      expect(rig.hub.tokens.get("token-one")?.usesLeft).toBe(0);
      expect(rig.statuses.filter(({ kind }) => kind === "refused")).toEqual([]);
    }),
    { numRuns: 80 },
  );
});

test("[SE5] a crash at each single await, before or after its effect, loses no key", async () => {
  for (const fate of ["crashBefore", "crashAfter", "answerLost", "requestLost"] as const) {
    for (let at = 0; at < 8; at += 1) {
      const rig = new IdentityRig();
      const queue = Array.from({ length: at + 1 }, (_, place): Fate => (place === at ? fate : "works"));
      const { key } = await runThroughCrashes(rig, taking(queue));
      expect(rig.hub.keys.map(({ publicKey }) => publicKey)).toEqual([hex(key.publicKey)]);
    }
  }
});

test("[SE8] through a rotation with crashes the stored keys can always prove the cluster, and the second key ends as the only one", async () => {
  await fc.assert(
    fc.asyncProperty(someFates, async (queue) => {
      const rig = new IdentityRig();
      const first = await establishIdentity(rig.options(), never);
      rig.token = rig.hub.issue("token-two", true);
      const fate = taking(queue);
      const watchfulFate = (): Fate => {
        const current = parseModelKey(rig.kept.record?.privateKeyPem ?? "");
        expect(rig.hub.keys.map(({ publicKey }) => publicKey)).toContain(hex(current.publicKey));
        return fate();
      };
      const second = await runThroughCrashes(rig, watchfulFate, true);
      expect(hex(second.key.publicKey)).not.toBe(hex(first.key.publicKey));
      expect(rig.hub.canProve(second.key.publicKey)).toBe(true);
      expect(rig.hub.keys).toEqual([{ publicKey: hex(second.key.publicKey), state: "active" }]);
      expect(storedKeys(rig)).toEqual([hex(second.key.publicKey)]);
      expect(rig.hub.tokens.get("token-two")?.usesLeft).toBe(0);
      expect(rig.logged.text()).not.toContain("not rotated");
    }),
    { numRuns: 50 },
  );
});

test("[L15] two agents that start at once end with the same key", async () => {
  await fc.assert(
    fc.asyncProperty(someFates, someFates, async (left, right) => {
      const rig = new IdentityRig();
      const both = [left, right].map((queue) => runThroughCrashes(rig, taking(queue)));
      const [one, two] = await Promise.all(both);
      expect(rig.hub.keys.map(({ publicKey }) => publicKey)).toEqual([hex(one?.key.publicKey ?? new Uint8Array())]);
      expect(hex(two?.key.publicKey ?? new Uint8Array())).toBe(hex(one?.key.publicKey ?? new Uint8Array()));
    }),
    { numRuns: 50 },
  );
});

test("a stored key that is none is refused, and nobody is asked to register it", async () => {
  const rig = new IdentityRig();
  await establishIdentity(rig.options(), never);
  rig.kept.record = { ...rig.kept.record!, privateKeyPem: "nonsense", hubName: "" };
  const failure = await establishIdentity(rig.options(), never).catch((reason: unknown) => reason);
  expect(hasCode(failure, "CONFIG_INVALID")).toBe(true);
  expect(rig.hub.joinCount).toBe(1);
});
