// SPDX-License-Identifier: Apache-2.0
import { expect, test } from "vitest";
import { type EffectiveSetting, printConfig } from "./config.ts";
import { recordIo } from "./testing/recorded-io.ts";

const settings: readonly EffectiveSetting[] = [
  { name: "port", value: 1, source: "flag", place: "--port" },
  { name: "hosts", value: ["a", "b"], source: "file", place: "f.yaml:2:8" },
  { name: "admin-port", value: undefined, source: "default", place: "default" },
];

test("each value stands beside its source and place", async () => {
  const { io, stdout } = recordIo();
  await printConfig({ io, output: "text" }, "hub", settings);
  expect(stdout()).toBe(
    [
      "OPTION      VALUE  SOURCE   PLACE",
      "port        1      flag     --port",
      "hosts       a,b    file     f.yaml:2:8",
      "admin-port  -      default  default",
      "",
    ].join("\n"),
  );
});

test("programs get values with their types, and null for what is not set", async () => {
  const { io, stdout } = recordIo();
  await printConfig({ io, output: "json" }, "hub", settings);
  expect(JSON.parse(stdout())).toMatchObject({
    verb: "hub",
    settings: [{ value: 1 }, { value: ["a", "b"] }, { value: null }],
  });
});
