// SPDX-License-Identifier: Apache-2.0
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { createHostCheck, parseHost } from "./host-check.ts";

const check = createHostCheck({ hostNames: ["Hub.Example", "2001:db8::1"], origins: ["https://console.example/"] });
const statusOf = (method: string, host: string | undefined, origin?: string): number | undefined =>
  check({ method, host, origin })?.status;

test("[RP19] names of the hub pass with any port, any case and a trailing dot; IPv6 in brackets", () => {
  for (const host of ["localhost", "hub.example:7443", "HUB.EXAMPLE.", "[::1]", "[2001:db8::1]:7443"]) {
    expect([host, statusOf("GET", host)]).toEqual([host, undefined]);
  }
});

test("[RP19] a host is accepted exactly if it reads as one of the names", () => {
  const names = new Set(["localhost", "127.0.0.1", "[::1]", "hub.example", "[2001:db8::1]"]);
  const odd = fc.constantFrom("localhost", "[::1]:1", "evil@localhost", "localhost:1:2", "localhost/", "[::1");
  fc.assert(
    fc.property(fc.oneof(fc.string(), fc.webAuthority(), odd), (host) => {
      expect(statusOf("GET", host) === undefined).toBe(names.has(parseHost(host)?.name ?? ""));
    }),
  );
});

test("[RP19] no host at all is a bad request", () => {
  expect(statusOf("GET", undefined)).toBe(400);
});

test("[RP20] only the same host and port, or a configured origin, may use an unsafe method", () => {
  expect(statusOf("POST", "hub.example:7443", "https://hub.example:7443")).toBeUndefined();
  expect(statusOf("POST", "hub.example", "https://hub.example")).toBeUndefined();
  expect(statusOf("POST", "hub.example", "https://console.example")).toBeUndefined();
  expect(statusOf("POST", "hub.example:7443", "https://hub.example:7444")).toBe(403);
  expect(statusOf("POST", "hub.example:7443", "https://hub.example")).toBe(403);
  expect(statusOf("DELETE", "hub.example", "null")).toBe(403);
  expect(statusOf("POST", "hub.example", "https://hub.example/path")).toBe(403);
  expect(statusOf("POST", "hub.example", "file://")).toBe(403);
});
