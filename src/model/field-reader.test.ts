// SPDX-License-Identifier: Apache-2.0
import { describe, expect, test } from "vitest";
import { FieldReader } from "./field-reader.ts";

describe("data of the expected shape", () => {
  const fields = FieldReader.ofJson(
    '{"name":"a","port":7,"on":true,"tags":["x"],"in":{"b":"c"},"each":[{"n":"1"}],"none":null,"empty":""}',
  );

  test("is read by name, and what is missing, null or empty is undefined", () => {
    expect([fields.text("name"), fields.integer("port", { min: 1 }), fields.flag("on")]).toEqual(["a", 7, true]);
    expect([fields.texts("tags"), fields.below("in")?.text("b")]).toEqual([["x"], "c"]);
    expect(fields.entries("each").map((each) => each.requiredText("n", /^\d$/))).toEqual(["1"]);
    expect(["none", "empty", "absent", "constructor"].map((name) => fields.text(name))).toEqual(
      Array(4).fill(undefined),
    );
    expect(fields.problem("file")).toBeUndefined();
  });
});

describe("[L18] mistakes are all collected, named by field, without a value", () => {
  test("in fields, below fields and in lists", () => {
    const fields = new FieldReader({ a: 1, c: "s3cr3t", d: "s3cr3t", in: "s3cr3t", each: [{ n: 3 }, "s3cr3t", null] });
    fields.text("a");
    fields.requiredText("b");
    fields.requiredText("c", /^\d+$/);
    fields.integer("d", { min: 0, max: 9 });
    fields.below("in");
    for (const each of fields.entries("each")) each.text("n");
    expect(fields.mistakes.map(({ field, sentence }) => `${field} ${sentence}`)).toEqual([
      "a must be text; put it in quotes",
      "b is missing",
      "c has another form than expected",
      "d must be a whole number from 0 to 9",
      "in must be a map",
      "each[1] must be a map",
      "each[2] must be a map",
      "each[0].n must be text; put it in quotes",
    ]);
    expect(fields.problem("f.json")).toBe("f.json: a must be text; put it in quotes");
  });

  test.each([
    ['{"a": s3cr3t', "f.json is not JSON"],
    ["null", "f.json must be a map"],
    ["[1]", "f.json must be a map"],
    ['"s3cr3t"', "f.json must be a map"],
  ])("in %j as a whole", (text, problem) => {
    expect(FieldReader.ofJson(text).problem("f.json")).toBe(problem);
  });
});
