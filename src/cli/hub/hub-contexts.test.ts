// SPDX-License-Identifier: Apache-2.0
import { describe, expect, test } from "vitest";
import {
  addContext,
  contextsPath,
  findContext,
  forgetToken,
  formatHubContexts,
  noContexts,
  parseHubContexts,
  removeContext,
  useContext,
} from "./hub-contexts.ts";
import { toHubUrl } from "./login.ts";

const one = { name: "one", url: "https://one:7443", ca: "CA", token: "flt_1", user: "ann" };
const two = { name: "two", url: "https://two", ca: undefined, token: "flt_2", user: "bob" };

describe("[IN22] the contexts of a user", () => {
  const both = addContext(addContext(noContexts, one), two);

  test("are read back as they were written, the newest login in use", () => {
    expect(both).toEqual({ current: "two", contexts: [one, two] });
    expect(parseHubContexts("f", formatHubContexts(both))).toEqual(both);
    expect(parseHubContexts("f", formatHubContexts(noContexts))).toEqual(noContexts);
  });

  test("a login of the same name takes the place of the one before", () => {
    expect(addContext(both, { ...one, token: "flt_3" }).contexts.map(({ token }) => token)).toEqual(["flt_2", "flt_3"]);
  });

  test("are used, logged out and removed by name", () => {
    expect(findContext(useContext(both, "one")).url).toBe(one.url);
    expect(findContext(forgetToken(both, "two")).token).toBeUndefined();
    expect(removeContext(both, "two")).toEqual({ current: undefined, contexts: [one] });
    expect(removeContext(both, "one")).toEqual({ current: "two", contexts: [two] });
    for (const act of [useContext, forgetToken, removeContext])
      expect(() => act(both, "three")).toThrow('there is no context "three"; `flotilla context list` lists');
    expect(() => findContext(noContexts)).toThrow("no context is in use");
  });

  test.each(["", "{", "[]", "7", '{"contexts": [{"name": "x"}]}'])("a file of %j is refused by its path", (text) => {
    expect(() => parseHubContexts("/home/ann/.flotilla/config", text)).toThrow(/^\/home\/ann\/\.flotilla\/config[: ]/);
  });

  test("a broken file is not quoted, since it holds tokens", () => {
    expect(() => parseHubContexts("f", '{"token": "flt_secret" x')).toThrow(/^(?!.*secret)/);
  });

  test("lie in the home of the user", () => {
    expect(contextsPath({ HOME: "/home/ann" })).toBe("/home/ann/.flotilla/config");
    expect(contextsPath({})).toBeUndefined();
  });
});

test.each([
  ["hub.example.com", "https://hub.example.com:7443"],
  ["hub.example.com:443", "https://hub.example.com"],
  ["10.0.0.5:8443", "https://10.0.0.5:8443"],
  ["https://hub.example.com", "https://hub.example.com"],
  ["https://hub.example.com:7443/", "https://hub.example.com:7443"],
])("%s means %s", (text, url) => {
  expect(toHubUrl(text)).toBe(url);
});

test.each(["http://hub.example.com", "https://a@hub", "https://hub/path", "a b", ""])("%j is no hub", (text) => {
  expect(() => toHubUrl(text)).toThrow("is not the address of a hub; write HOST, HOST:PORT or https://HOST:PORT");
});
