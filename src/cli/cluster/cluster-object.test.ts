// SPDX-License-Identifier: Apache-2.0
import { createRouterTransport } from "@connectrpc/connect";
import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import { type GetObjectRequest, QueryService } from "../../gen/flotilla/query/v1/query_pb.ts";
import type { OutputFormat } from "../output/output.ts";
import { recordIo } from "../testing/recorded-io.ts";
import { showObject } from "./cluster-object.ts";

const wanted = { cluster: "east", kind: "Pod", namespace: "shop", name: "web-1" };

/** What is printed of an answer of the hub. */
async function print(object: string, output: OutputFormat, asked: GetObjectRequest[] = []): Promise<string> {
  const { io, stdout } = recordIo();
  const transport = createRouterTransport(({ service }) =>
    service(QueryService, { getObject: (request) => (asked.push(request), { object }) }),
  );
  await showObject({ transport, io, output, signal: new AbortController().signal }, wanted);
  return stdout();
}

const pod = {
  kind: "Pod",
  metadata: { name: "web-1", managedFields: [{ manager: "kubectl" }], labels: { managedFields: "mine" } },
  spec: { managedFields: ["this is no such field"] },
};

test("the hub is asked for the object that was named", async () => {
  const asked: GetObjectRequest[] = [];
  await print("{}", "text", asked);
  expect(asked).toMatchObject([wanted]);
});

describe("as text", () => {
  test("it is YAML without the fields' managers; fields of that name elsewhere stay", async () => {
    expect(await print(JSON.stringify(pod), "text")).toBe(
      [
        "kind: Pod",
        "metadata:",
        "  name: web-1",
        "  labels:",
        "    managedFields: mine",
        "spec:",
        "  managedFields:",
        "    - this is no such field",
        "",
      ].join("\n"),
    );
  });

  test("what could steer a terminal is shown as its code; lines stay lines", async () => {
    const data = {
      a: "\u001b[2J",
      b: "x\u009b31m",
      c: "\u202eabc",
      d: "one\ntwo\u0007\n",
      "k\u001b": "\u2066",
      e: "1\n2\n",
    };
    const text = await print(JSON.stringify({ data }), "text");
    expect(text.replaceAll("\n", "")).not.toMatch(/[\p{Cc}\u202e\u2066]/u);
    expect(text).toContain("\\u009b31m");
    expect(text).toContain("\\u202eabc");
    expect(text).toContain("  e: |\n    1\n    2\n");
  });

  test.each(["[]", '"text"', "null", "7", '{"metadata":null}', '{"metadata":[1]}'])(
    "%s is shown as it is",
    async (value) => {
      expect(parse(await print(value, "text"))).toEqual(JSON.parse(value));
    },
  );
});

describe("as json", () => {
  test("[CO71] what could steer a terminal is escaped, numbers keep their digits, and it reads back as the same", async () => {
    const answer = '{"a":"\u202e\u009b\u007f","big":12345678901234567890,\r"b":1}';
    const text = await print(answer, "json");
    expect(text).toBe('{"a":"\\u202e\\u009b\\u007f","big":12345678901234567890, "b":1}\n');
    expect(JSON.parse(text)).toEqual(JSON.parse(answer));
  });

  test.each(["", "<html>\u001b[2J</html>", '{"a":"\u001b"}', "{"])(
    "[CO71] %j is refused: it is not JSON",
    async (answer) => {
      for (const format of ["json", "yaml", "text"] as const)
        await expect(print(answer, format)).rejects.toMatchObject({ code: "MALFORMED" });
    },
  );
});

describe("as yaml", () => {
  test("it is whole, and reads back as the same in YAML 1.1, as kubectl reads it, and in 1.2", async () => {
    const texts = [
      "no",
      "on",
      "y",
      "1e3",
      "0x10",
      "012",
      "null",
      "123",
      "1:30",
      "2026-01-01T00:00:00Z",
      "1_000",
      "~",
      "a\nb",
    ];
    const object = { ...pod, data: Object.fromEntries(texts.map((text) => [text, text])) };
    const yaml = await print(JSON.stringify(object), "yaml");
    for (const version of ["1.1", "1.2"] as const) expect(parse(yaml, { version })).toEqual(object);
  });

  test("equal parts are written out, not referred to", async () => {
    expect(await print('{"a":{"x":1},"b":{"x":1}}', "yaml")).toBe("a:\n  x: 1\nb:\n  x: 1\n");
  });

  test.each(["yaml", "text"] as const)("integers of 64 bits survive as %s", async (output) => {
    const text =
      '{"a":9223372036854775807,"b":-9223372036854775808,"c":9007199254740993,"d":1.5,"e":18446744073709551615}';
    expect(await print(text, output)).toBe(
      "a: 9223372036854775807\nb: -9223372036854775808\nc: 9007199254740993\nd: 1.5\ne: 18446744073709551615\n",
    );
  });

  test("keys that objects have by themselves are keys", async () => {
    const yaml = await print('{"__proto__":{"x":"y"},"metadata":{"__proto__":1,"constructor":2}}', "yaml");
    expect(yaml).toBe('__proto__:\n  x: "y"\nmetadata:\n  __proto__: 1\n  constructor: 2\n');
    expect(await print('{"metadata":{"__proto__":1,"managedFields":[]}}', "text")).toBe("metadata:\n  __proto__: 1\n");
  });
});

test("[TU9] as json it is every byte that the API server sent, and a newline where there was none", async () => {
  const odd = '{ "a" : 1.0,\n"a":2e0, "b":12345678901234567890, "c":"\\u00e9é\\u001b" }';
  expect(await print(odd, "json")).toBe(`${odd}\n`);
  expect(await print(`${odd}\n`, "json")).toBe(`${odd}\n`);
});

test.each([4_000, 20_000])("what is nested %i deep is refused as YAML, with what to do", async (depth) => {
  const deep = `${'{"a":'.repeat(depth)}1${"}".repeat(depth)}`;
  await expect(print(deep, "text")).rejects.toMatchObject({
    code: "TOO_LARGE",
    message: "the object is nested too deep for YAML; use --output json",
  });
  expect(await print(deep, "json")).toBe(`${deep}\n`);
});
