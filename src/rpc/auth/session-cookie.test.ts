// SPDX-License-Identifier: Apache-2.0
import { expect, test } from "vitest";
import { requestWith } from "../testing/credential-request.ts";
import { createCookieCredential } from "./session-cookie.ts";

const read = createCookieCredential({ hubName: "hub_a", paths: ["/flotilla.page.", "/health"] });
const ofPage = { "sec-fetch-site": "same-origin" };
const page = { path: "/flotilla.page.v1.PageService/Open" };

test("[PG2][PG3] the cookie is read among others, from a page of the hub", () => {
  expect(read(requestWith({ ...ofPage, cookie: "a=1; flotilla-hub_a=flt_x_y; b=2" }, page))).toBe("flt_x_y");
  expect(read(requestWith({ ...ofPage, cookie: "flotilla-hub_a=flt_x_y" }, { path: "/health" }))).toBe("flt_x_y");
});

test("[PG3] from anywhere else it is as if it were not sent", () => {
  const cookie = "flotilla-hub_a=flt_x_y";
  expect(read(requestWith({ cookie }, page))).toBeUndefined();
  expect(read(requestWith({ cookie, "sec-fetch-site": "same-site" }, page))).toBeUndefined();
  expect(read(requestWith({ cookie, origin: "http://127.0.0.1:3000" }, page))).toBeUndefined();
});

test.each([
  "/clusters/root/api/v1/pods",
  "/metrics",
  "/health/",
  "/healthz",
  "/",
  "/ui/",
  "/flotilla.session.v1.SessionService/Connect",
  "/x/flotilla.page.v1.PageService/Open",
])("[PG3] on %s it is as if it were not sent", (path) => {
  expect(read(requestWith({ ...ofPage, cookie: "flotilla-hub_a=flt_x_y" }, { path }))).toBeUndefined();
});

test("[PG2] the cookie of another hub on this host is not ours", () => {
  const cookie = "flotilla-hub_b=flt_x_y; xflotilla-hub_a=flt_x_y; flotilla-hub_ab=flt_x_y";
  expect(read(requestWith({ ...ofPage, cookie }, page))).toBeUndefined();
});

test("[PG2] on TLS only the name counts that a browser keeps for this host and TLS, and on plain HTTP the other", () => {
  const [plain, secure] = ["flotilla-hub_a=flt_p_p", "__Host-flotilla-hub_a=flt_s_s"];
  const overTls = { ...page, scheme: "https" } as const;
  expect(read(requestWith({ ...ofPage, cookie: `${plain}; ${secure}` }, overTls))).toBe("flt_s_s");
  expect(read(requestWith({ ...ofPage, cookie: plain }, overTls))).toBeUndefined();
  expect(read(requestWith({ ...ofPage, cookie: `${plain}; ${secure}` }, page))).toBe("flt_p_p");
});

test("[PG3][RP49] a cookie that is there twice, is empty or holds what no token does is none", () => {
  for (const cookie of [
    "flotilla-hub_a=flt_x_y; flotilla-hub_a=flt_z_z",
    "flotilla-hub_a=",
    "flotilla-hub_a",
    'flotilla-hub_a="flt_x_y"',
    "flotilla-hub_a=a b",
    `flotilla-hub_a=${"a".repeat(5_000)}`,
  ]) {
    expect([cookie, read(requestWith({ ...ofPage, cookie }, page))]).toEqual([cookie, undefined]);
  }
});
