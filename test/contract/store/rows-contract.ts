// SPDX-License-Identifier: Apache-2.0
import { expect, test } from "vitest";
import { put, remove } from "../../../src/store/store.ts";
import { objects, tokens } from "../../../src/store/tables.ts";
import { body, commit, listAll, objectKey, putObject, putToken, textOf, tokenValue } from "../../support/store-rows.ts";
import type { OpenStore } from "../../support/store-under-test.ts";

/** Names in the order of their UTF-8: U+FF5E takes one UTF-16 unit and U+1F6A2 two, of which the first is lower. */
const namesInOrder = [
  "",
  " ",
  "a",
  "a!",
  "a-b",
  "aa",
  "b",
  "\u007f",
  "é",
  "\ud7ff",
  "\ue000",
  "～",
  "🚢",
  "\u{10ffff}",
];

/** Rows, keys and values: ST1, ST2. */
export function describeRows(open: OpenStore): void {
  test("[ST1] rows come in the order of the UTF-8 of their names, also beyond the basic plane", async () => {
    await using under = await open();
    for (const name of namesInOrder.toReversed()) await commit(under.store, putObject(name, "x"));
    const rows = await listAll(under.store, objects, { limit: 3 });
    expect(rows.map(({ key }) => key[3])).toEqual(namesInOrder);
  });

  test("[ST1] keys are ordered part by part: a shorter part comes first", async () => {
    await using under = await open();
    const keys = [
      ["a", "r", "z", "z"],
      ["a", "r!", "a", "a"],
      ["a!", "q", "a", "a"],
      ["a-", "a", "a", "a"],
    ];
    for (const key of keys.toReversed()) await commit(under.store, put(objects, key, body("x")));
    expect((await listAll(under.store, objects, { limit: 1 })).map(({ key }) => key)).toEqual(keys);
  });

  test("[ST1] a value comes back with every column as it was", async () => {
    await using under = await open();
    const value = {
      secret_hash: Uint8Array.of(0, 255, 1),
      user_name: "anna\u0000 \u{1f6a2}",
      group_names: '["a"]',
      description: "",
      created_at_ms: Number.MAX_SAFE_INTEGER,
      expires_at_ms: null,
      parent_id: null,
    };
    await commit(under.store, put(tokens, ["root", "t1"], value), put(objects, objectKey("empty"), body("")));
    expect((await under.store.get(tokens, ["root", "t1"]))?.value).toEqual(value);
    expect(textOf((await under.store.get(objects, objectKey("empty")))?.value)).toBe("");
  });

  test("[ST1] tables with equal keys are apart", async () => {
    await using under = await open();
    await commit(under.store, putObject("one", "x"), putToken("one", "anna"));
    expect((await listAll(under.store, tokens)).map(({ key }) => key)).toEqual([["root", "one"]]);
    expect(await listAll(under.store, objects)).toHaveLength(1);
  });

  test.each([
    ["a control character", "line\nbreak", "INVALID_ARGUMENT"],
    ["the character that joins key parts", "a\u001fb", "INVALID_ARGUMENT"],
    ["half of a surrogate pair", "\ud800", "INVALID_ARGUMENT"],
    ["513 bytes", "x".repeat(513), "TOO_LARGE"],
    ["513 bytes in 171 characters", "～".repeat(171), "TOO_LARGE"],
  ])("[ST2] a name with %s is refused by every method that takes a key", async (_what, name, code) => {
    await using under = await open();
    const { store } = under;
    const refusal = { name: "FlotillaError", code, message: expect.stringContaining("name of objects") };
    await expect(store.commit([putObject(name, "x")])).rejects.toMatchObject(refusal);
    await expect(store.get(objects, objectKey(name))).rejects.toMatchObject(refusal);
    await expect(store.list(objects, { prefix: objectKey(name) })).rejects.toMatchObject(refusal);
    await expect(store.list(objects, { after: objectKey(name) })).rejects.toMatchObject(refusal);
    expect(store.revision).toBe(0n);
  });

  test("[ST2] names of 512 bytes are kept", async () => {
    await using under = await open();
    const name = `${"～".repeat(170)}xy`;
    await commit(under.store, putObject(name, "x"));
    expect((await under.store.get(objects, objectKey(name)))?.key[3]).toBe(name);
  });

  test("[ST2] a key with too few or too many parts is refused with the parts it should have", async () => {
    await using under = await open();
    for (const key of [["root"], ["root", "configmaps", "default", "a", "b"]]) {
      await expect(under.store.commit([remove(objects, key)])).rejects.toMatchObject({
        code: "INVALID_ARGUMENT",
        message: expect.stringContaining("workspace_id, resource, namespace, name"),
      });
    }
    await expect(under.store.list(objects, { prefix: ["a", "b", "c", "d", "e"] })).rejects.toMatchObject({
      code: "INVALID_ARGUMENT",
    });
  });

  test("[ST2] a value over 4 MiB is refused with its size, one of 4 MiB is kept", async () => {
    await using under = await open();
    const most = 4 * 1024 * 1024;
    await expect(
      under.store.commit([put(objects, objectKey("big"), { body: new Uint8Array(most + 1) })]),
    ).rejects.toMatchObject({ code: "TOO_LARGE", message: expect.stringContaining(`${most + 1} bytes`) });
    await commit(under.store, put(objects, objectKey("big"), { body: new Uint8Array(most) }));
    expect((await under.store.get(objects, objectKey("big")))?.value.body).toHaveLength(most);
  });

  test("[ST2] a text column that has no UTF-8 form is refused, because it would not come back as it went in", async () => {
    await using under = await open();
    const write = put(tokens, ["root", "t1"], { ...tokenValue("anna"), description: "\udc00" });
    await expect(under.store.commit([write])).rejects.toMatchObject({
      code: "INVALID_ARGUMENT",
      message: expect.stringContaining("description"),
    });
  });
}
