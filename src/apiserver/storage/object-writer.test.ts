// SPDX-License-Identifier: Apache-2.0
import { expect, test } from "vitest";
import { TestStorage, toConfigMap } from "../../../test/support/api-storage.ts";
import { put } from "../../store/store.ts";
import { objects } from "../../store/tables.ts";
import type { JsonObject } from "../json/json.ts";
import { WriteContended } from "./object-writer.ts";
import { encodeBody } from "./stored-body.ts";

const place = { resource: "configmaps", namespace: "default", name: "a" };

function numbersOf(object: JsonObject | undefined): readonly number[] {
  const { numbers = [] } = (object ?? {}) as { readonly numbers?: readonly number[] };
  return numbers;
}

test("[AP4] a client whose write was answered reads it at the answered revision", async () => {
  await using storage = await TestStorage.open();
  const written = await storage.writer.write(place, () => ({ kind: "put", object: toConfigMap({ name: "a" }) }));
  expect(written).toMatchObject({ kind: "created", object: { metadata: { name: "a", resourceVersion: "1" } } });
  expect(storage.cache.get("configmaps", "default", "a")).toEqual(written?.object);
  expect(storage.cache.revision).toBe(1);
});

test("[AP2] storing what is there changes nothing, not even the revision; key order and the client's version do not count", async () => {
  await using storage = await TestStorage.open();
  await storage.put({ name: "a", labels: { x: "1", y: "2" }, value: "v" });
  const same: JsonObject = {
    data: { value: "v" },
    metadata: { resourceVersion: "999", labels: { y: "2", x: "1" }, namespace: "default", name: "a" },
  };
  const written = await storage.writer.write(place, () => ({ kind: "put", object: same }));
  expect(written).toMatchObject({ kind: "unchanged", object: { metadata: { resourceVersion: "1" } } });
  expect(storage.revision).toBe(1);
  expect(await storage.put({ name: "a", labels: { x: "1", y: "3" }, value: "v" })).toBe(2);
});

test("a large integer written again is no change", async () => {
  await using storage = await TestStorage.open();
  const object = { metadata: { name: "a" }, spec: { big: 9007199254740993n, huge: 1e20 } };
  await storage.writer.write(place, () => ({ kind: "put", object }));
  const written = await storage.writer.write(place, () => ({ kind: "put", object }));
  expect(written?.kind).toBe("unchanged");
  expect(storage.revision).toBe(1);
});

test("keeping gives what is there, or nothing", async () => {
  await using storage = await TestStorage.open();
  expect(await storage.writer.write(place, () => ({ kind: "keep" }))).toBeUndefined();
  expect(await storage.writer.write(place, () => ({ kind: "delete" }))).toBeUndefined();
  await storage.put({ name: "a" });
  expect(await storage.writer.write(place, () => ({ kind: "keep" }))).toMatchObject({ kind: "unchanged" });
  expect(storage.revision).toBe(1);
});

test("a deletion returns the object at the revision of the deletion; a create after it starts from nothing", async () => {
  await using storage = await TestStorage.open();
  await storage.put({ name: "a", value: "old" });
  const gone = await storage.writer.write(place, () => ({ kind: "delete" }));
  expect(gone).toMatchObject({
    kind: "deleted",
    object: { metadata: { resourceVersion: "2" }, data: { value: "old" } },
  });
  expect(storage.cache.get("configmaps", "default", "a")).toBeUndefined();
  const seen: unknown[] = [];
  const again = await storage.writer.write(place, (current) => {
    seen.push(current);
    return { kind: "put", object: toConfigMap({ name: "a", value: "new" }) };
  });
  expect(seen).toEqual([undefined]);
  expect(again).toMatchObject({ kind: "created", object: { metadata: { resourceVersion: "3" } } });
});

test("a refusal by the one who decides is passed on, and nothing is written", async () => {
  await using storage = await TestStorage.open();
  const refused = storage.writer.write(place, () => {
    throw new Error("refused");
  });
  await expect(refused).rejects.toThrow("refused");
  expect(storage.revision).toBe(0);
});

test("[AP3] 64 writers of one object at the same time end with all of their changes", async () => {
  await using storage = await TestStorage.open();
  const writers = Array.from({ length: 64 }, (_, index) =>
    storage.writer.write(place, (current) => ({
      kind: "put",
      object: { metadata: { name: "a" }, numbers: [...numbersOf(current), index] },
    })),
  );
  const versions = (await Promise.all(writers)).map((each) => each?.object["metadata"]);
  const numbers = numbersOf(storage.cache.get("configmaps", "default", "a"));
  expect(numbers.toSorted((a, b) => a - b)).toEqual(Array.from({ length: 64 }, (_, index) => index));
  expect(new Set(versions.map((each) => JSON.stringify(each))).size).toBe(64);
});

test("[AP3] creates of one name: exactly one of many is the creator", async () => {
  await using storage = await TestStorage.open();
  const kinds = await Promise.all(
    Array.from({ length: 20 }, async (_, index) => {
      const written = await storage.writer.write(place, (current) =>
        current === undefined
          ? { kind: "put", object: toConfigMap({ name: "a", value: `${index}` }) }
          : { kind: "keep" },
      );
      return written?.kind;
    }),
  );
  expect(kinds.filter((kind) => kind === "created")).toHaveLength(1);
  expect(kinds.filter((kind) => kind === "unchanged")).toHaveLength(19);
});

test("a write that always conflicts gives up after its attempts", async () => {
  await using storage = await TestStorage.open();
  let count = 0;
  const late = storage.writer.write(place, async () => {
    count += 1;
    const body = encodeBody(toConfigMap({ name: "a", value: `${count}` }));
    await storage.store.commit([put(objects, ["test", "configmaps", "default", "a"], { body })]);
    return { kind: "put", object: toConfigMap({ name: "a", value: "late" }) };
  });
  await expect(late).rejects.toBeInstanceOf(WriteContended);
  expect(count).toBe(64);
  expect(storage.cache.get("configmaps", "default", "a")).toMatchObject({ data: { value: "64" } });
});
