// SPDX-License-Identifier: Apache-2.0
import { expect, test } from "vitest";
import { findPublicUrl, hubHosts } from "./find-public-name.ts";

const alone = { publicUrl: undefined, hosts: [], address: "127.0.0.1" };

test.each([
  [{ ...alone, publicUrl: "https://hub.example.com" }, "https://hub.example.com"],
  [{ ...alone, publicUrl: "https://127.0.0.1:7443" }, "https://127.0.0.1:7443"],
  [{ ...alone, hosts: ["localhost", "hub.example.com"] }, "https://hub.example.com:7443"],
  [{ ...alone, address: "10.0.0.5" }, "https://10.0.0.5:7443"],
  [{ ...alone, address: "fd00::5" }, "https://[fd00::5]:7443"],
  [{ ...alone, address: "0.0.0.0", hosts: ["10.0.0.5"] }, "https://10.0.0.5:7443"],
  [{ ...alone, address: "0.0.0.0" }, undefined],
  [alone, undefined],
] as const)("[IN10] of %j the public URL is %s", (names, url) => {
  expect(findPublicUrl(names, 7_443)).toBe(url);
});

test("[IN10] the host of the public URL is one that the hub answers to", () => {
  expect(hubHosts({ ...alone, publicUrl: "https://[fd00::5]:7443", hosts: ["hub"] })).toEqual([
    "fd00::5",
    "hub",
    "127.0.0.1",
  ]);
});
