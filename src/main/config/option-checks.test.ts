// SPDX-License-Identifier: Apache-2.0
import { expect, test } from "vitest";
import { checkHost, checkHubUrl, checkResources } from "./option-checks.ts";

test.each(["localhost", "hub.example.com", "10.0.0.1", "::1", "0.0.0.0", "a-b.c"])("%s is a host", (text) => {
  expect(checkHost(text)).toBeUndefined();
});

test.each(["", "a b", "hub:7443", "[::1]", "-a", "a..b", "https://hub", `${"a".repeat(64)}.x`])(
  "%j is no host",
  (text) => {
    expect(checkHost(text)).toBeDefined();
  },
);

test.each(["https://hub.example.com", "https://10.0.0.1:7443/", "http://localhost:7080", "http://[::1]:7080"])(
  "%s is a hub's URL",
  (text) => {
    expect(checkHubUrl(text)).toBeUndefined();
  },
);

test.each([
  "hub.example.com:7443",
  "ftp://hub",
  "https://ann:pw@hub",
  "https://hub/path",
  "https://hub?x=1",
  "http://hub.example.com",
  "http://127.0.0.1.example.com",
])("%s is not, as a token must not travel in the clear nor to a place nobody meant", (text) => {
  expect(checkHubUrl(text)).toBeDefined();
});

test.each<[readonly string[], boolean]>([
  [["secrets", "apps/deployments", "fleet.flotilla.dev/tokens"], true],
  [[], true],
  [["/secrets"], false],
  [["/Secrets"], false],
  [["a//b"], false],
])("resources %j: %j", (resources, isFine) => {
  expect(checkResources(resources) === undefined).toBe(isFine);
});
