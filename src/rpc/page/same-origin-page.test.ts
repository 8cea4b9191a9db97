// SPDX-License-Identifier: Apache-2.0
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { requestWith } from "../testing/credential-request.ts";
import { isSameOriginPage } from "./same-origin-page.ts";

const own = "http://127.0.0.1:7080";

test("[PG3] a call is a page's own by its Origin, by Sec-Fetch-Site, or by both", () => {
  expect(isSameOriginPage(requestWith({ origin: own }))).toBe(true);
  expect(isSameOriginPage(requestWith({ "sec-fetch-site": "same-origin" }))).toBe(true);
  expect(isSameOriginPage(requestWith({ origin: own, "sec-fetch-site": "same-origin" }))).toBe(true);
});

test("[PG3] a caller that says nothing of where it comes from is no page", () => {
  expect(isSameOriginPage(requestWith({}))).toBe(false);
  expect(isSameOriginPage(requestWith({ referer: `${own}/ui/` }))).toBe(false);
});

test.each(["same-site", "cross-site", "none", "", "SAME-ORIGIN", "same-origin, same-origin"])(
  "[PG3] Sec-Fetch-Site %j does not count, whatever the Origin says",
  (site) => {
    expect(isSameOriginPage(requestWith({ "sec-fetch-site": site }))).toBe(false);
    expect(isSameOriginPage(requestWith({ "sec-fetch-site": site, origin: own }))).toBe(false);
  },
);

test.each([
  ["another port of the same host", "http://127.0.0.1:3000"],
  ["another name of the same machine", "http://localhost:7080"],
  ["another scheme", "https://127.0.0.1:7080"],
  ["a scheme of nobody", "evil://127.0.0.1:7080"],
  ["no port", "http://127.0.0.1"],
  ["nothing", "null"],
  ["a name that begins alike", "http://127.0.0.1:7080.evil.example"],
  ["user information", "http://127.0.0.1:7080@evil.example"],
  ["a path", "http://127.0.0.1:7080/ui/"],
  ["a file", "file://"],
  ["empty text", ""],
])("[PG3] an Origin of %s does not count, whatever Sec-Fetch-Site says", (_what, origin) => {
  expect(isSameOriginPage(requestWith({ origin }))).toBe(false);
  expect(isSameOriginPage(requestWith({ origin, "sec-fetch-site": "same-origin" }))).toBe(false);
});

test("[PG3] the port that a scheme implies may be left out on either side, and only that one", () => {
  const at = (host: string, origin: string): boolean =>
    isSameOriginPage(requestWith({ origin }, { host, scheme: "https" }));
  expect(at("hub.example", "https://hub.example")).toBe(true);
  expect(at("hub.example:443", "https://hub.example")).toBe(true);
  expect(at("HUB.example.", "https://hub.example")).toBe(true);
  expect(at("hub.example", "https://hub.example:80")).toBe(false);
  expect(at("hub.example", "http://hub.example")).toBe(false);
  expect(at("[::1]:7443", "https://[::1]:7443")).toBe(true);
});

test("[PG3] no other Origin than the request's own counts", () => {
  const parts = fc.tuple(
    fc.constantFrom("http://", "https://", "HTTP://", "ws://", ""),
    fc.constantFrom("127.0.0.1", "127.0.0.1.", "127.0.0.2", "localhost", "[::1]", "", "evil.example"),
    fc.constantFrom(":7080", ":07080", ":7081", ":", "", ":80"),
    fc.constantFrom("", "", "/", "@evil.example", " ", "\u0000"),
  );
  fc.assert(
    fc.property(
      fc.oneof(
        fc.string(),
        parts.map((pieces) => pieces.join("")),
      ),
      (origin) => {
        // A dot at the end of a name is the same name.
        const isOwn = origin === own || origin === "http://127.0.0.1.:7080";
        expect(isSameOriginPage(requestWith({ origin }))).toBe(isOwn);
      },
    ),
    { numRuns: 500 },
  );
});

test("[PG3] a request without a host has no origin to be of", () => {
  expect(isSameOriginPage(requestWith({ origin: own }, { host: undefined }))).toBe(false);
});
