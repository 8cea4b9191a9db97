// SPDX-License-Identifier: Apache-2.0
import { describe, expect, test } from "vitest";
import { FlotillaError } from "../../base/error.ts";
import { findHub, findPageUrl, type HubChoice, type ReadText } from "./find-hub.ts";

const running = JSON.stringify({
  pid: 1,
  hubUrl: "https://127.0.0.1:7443",
  httpUrl: "http://127.0.0.1:7080",
  caFile: "/d/ca.crt",
  adminTokenFile: "/d/admin.token",
  kubeconfig: "/d/kubeconfig",
  clusters: [],
});

function files(texts: Readonly<Record<string, string>>): ReadText {
  return (path) => {
    const text = texts[path];
    return text === undefined ? { kind: "unreadable", reason: `${path} does not exist` } : { kind: "text", text };
  };
}

const disk = { "/d/run.json": running, "/d/ca.crt": "OWN CA", "/d/admin.token": "flt_admin\n", "/ca": "GIVEN CA" };
const nothing: HubChoice = { hub: undefined, caFile: undefined, token: undefined, dataDir: "/d" };

function failure(choice: Partial<HubChoice>, texts: Readonly<Record<string, string>>): FlotillaError {
  try {
    findHub({ ...nothing, ...choice }, files(texts));
  } catch (reason) {
    if (reason instanceof FlotillaError) return reason;
    throw reason;
  }
  throw new Error("a hub was found");
}

test("the running hub is found through run.json, with its own certificate and admin token", () => {
  expect(findHub(nothing, files(disk))).toEqual({ url: "https://127.0.0.1:7443", ca: "OWN CA", token: "flt_admin" });
});

test("a token or certificate that was given is used with the running hub", () => {
  expect(findHub({ ...nothing, token: "flt_ann", caFile: "/ca" }, files(disk))).toEqual({
    url: "https://127.0.0.1:7443",
    ca: "GIVEN CA",
    token: "flt_ann",
  });
});

test("[L15] the local admin token is never sent to a hub that was named by URL", () => {
  const error = failure({ hub: "https://other.example.com" }, disk);
  expect(error.code).toBe("UNAUTHENTICATED");
  expect(findHub({ ...nothing, hub: "https://other.example.com", token: "flt_x" }, files(disk))).toEqual({
    url: "https://other.example.com",
    token: "flt_x",
  });
});

test("[CL30, L18] an admin token file or a saved token with other content is refused without repeating it", () => {
  const secret = "s3cr3t value";
  const inFile = failure({}, { ...disk, "/d/admin.token": secret });
  expect(inFile.code).toBe("CONFIG_INVALID");
  expect(inFile.message).toBe(
    "the content of /d/admin.token is not an access token; delete it and restart the hub, which then writes a new one",
  );
  const context = { name: "prod", url: "https://hub.example.com", ca: undefined, token: secret, user: "ann" };
  const saved = failure({ contexts: { current: "prod", contexts: [context] } }, {});
  expect(saved.code).toBe("CONFIG_INVALID");
  expect(saved.message).toBe(
    "the saved token of context prod is not an access token; log in again with `flotilla login https://hub.example.com`",
  );
});

describe("[IN22] a user who has logged in", () => {
  const prod = { name: "prod", url: "https://hub.example.com", ca: "PINNED", token: "flt_prod", user: "ann" };
  const away = { name: "away", url: "https://away.example.com", ca: undefined, token: undefined, user: "ann" };
  const contexts = { current: "prod", contexts: [prod, away] };
  const address = { url: prod.url, ca: "PINNED", token: "flt_prod" };

  test("calls the hub of the context in use from anywhere", () => {
    expect(findHub({ ...nothing, contexts }, files({}))).toEqual(address);
    expect(findPageUrl({ ...nothing, contexts }, files({}))).toBe(prod.url);
  });

  test("calls the hub that runs in the data directory where one does", () => {
    expect(findHub({ ...nothing, contexts }, files(disk)).url).toBe("https://127.0.0.1:7443");
  });

  test("names a hub by URL and needs no token for it", () => {
    expect(findHub({ ...nothing, hub: "https://hub.example.com/", contexts }, files(disk))).toEqual(address);
    expect(findHub({ ...nothing, hub: prod.url, token: "flt_other", caFile: "/ca", contexts }, files(disk))).toEqual({
      url: prod.url,
      ca: "GIVEN CA",
      token: "flt_other",
    });
  });

  test("is told to log in again after a logout, and what to do where no context is in use", () => {
    const out = failure({ contexts: { ...contexts, current: "away" } }, {});
    expect([out.code, out.message]).toEqual([
      "UNAUTHENTICATED",
      "you are logged out of away; log in with `flotilla login https://away.example.com`",
    ]);
    expect(failure({ contexts: { ...contexts, current: undefined } }, {}).code).toBe("UNAVAILABLE");
  });
});

describe("without a hub", () => {
  test("the sentence says what to do", () => {
    const error = failure({}, {});
    expect(error.code).toBe("UNAVAILABLE");
    expect(error.message).toBe(
      "no hub runs in /d (/d/run.json does not exist); start one with `flotilla up`, log in to one with `flotilla login`, or name one with --hub",
    );
  });

  test.each(["", "{", "[]", "null", "7", '{"hubUrl": 7}', '{"hubUrl": "https://x", "caFile": ""}'])(
    "a run file of %j is refused by name",
    (text) => {
      const error = failure({}, { ...disk, "/d/run.json": text });
      expect(error.code).toBe("MALFORMED");
      expect(error.message).toContain("/d/run.json");
    },
  );

  test("a token file that is gone is named", () => {
    const { "/d/admin.token": _gone, ...rest } = disk;
    expect(failure({}, rest).message).toBe("the admin token cannot be read: /d/admin.token does not exist");
  });
});

test("[PG4] the page is opened on the plain listener of the running hub, which no browser warns about, or on the hub that was named", () => {
  expect(findPageUrl(nothing, files(disk))).toBe("http://127.0.0.1:7080");
  expect(findPageUrl({ ...nothing, hub: "https://hub.example" }, files({}))).toBe("https://hub.example");
  const tlsOnly = running.replace("http://127.0.0.1:7080", "");
  expect(findPageUrl(nothing, files({ "/d/run.json": tlsOnly }))).toBe("https://127.0.0.1:7443");
  expect(() => findPageUrl(nothing, files({}))).toThrow("no hub runs in /d");
});
