// SPDX-License-Identifier: Apache-2.0
import { expect, test } from "vitest";
import { FileAnswer } from "./file-answer.ts";
import type { PageFile } from "./page-files.ts";

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
const page: PageFile = {
  contentType: "text/html; charset=utf-8",
  hash: "abc",
  isImmutable: false,
  identity: bytes("plain"),
  coded: new Map([
    ["br", bytes("by brotli")],
    ["gzip", bytes("by gzip")],
  ]),
};

function answer(file: PageFile, headers: Readonly<Record<string, string>>) {
  const byName = new Map(Object.entries(headers));
  const { status, headers: list, body } = FileAnswer.of(file, { header: (name) => byName.get(name) });
  return { status, headers: new Map(list), body: new TextDecoder().decode(body) };
}

test.each([
  ["", "plain"],
  ["identity", "plain"],
  ["gzip", "by gzip"],
  ["gzip, deflate, br, zstd", "by brotli"],
  ["GZIP;q=1.0, BR;q=0.1", "by brotli"],
  ["br;q=0, gzip", "by gzip"],
  ["br; q=0.000, gzip;q=0", "plain"],
  ["*", "by brotli"],
  ["br;q=0, *", "by gzip"],
  ["*;q=0", "plain"],
  ["br;q=much", "plain"],
  [",;,", "plain"],
])("[PG6] Accept-Encoding %j gets the file %s", (accept, body) => {
  const got = answer(page, { "accept-encoding": accept });
  expect(got.body).toBe(body);
  expect(got.headers.get("content-encoding")).toBe({ "by brotli": "br", "by gzip": "gzip" }[body]);
  expect(got.headers.get("vary")).toBe("accept-encoding");
});

test("[PG6] a file that the build did not compress comes as it is", () => {
  const font = { ...page, coded: new Map() };
  expect(answer(font, { "accept-encoding": "br" })).toMatchObject({ status: 200, body: "plain" });
});

test("[PG6] the page is asked for each time, and a hashed file is kept for a year", () => {
  expect(answer(page, {}).headers.get("cache-control")).toBe("no-cache");
  const hashed = answer({ ...page, isImmutable: true }, {}).headers.get("cache-control");
  expect(hashed).toBe("public, max-age=31536000, immutable");
});

test("[PG6] an unchanged file is answered 304 without a body, with the policy, per form of it", () => {
  const first = answer(page, { "accept-encoding": "br" });
  const tag = first.headers.get("etag") ?? "";
  expect(tag).toMatch(/^"[\w.-]+"$/);
  for (const known of [tag, `W/${tag}`, `"x", ${tag}`, "*"]) {
    const again = answer(page, { "accept-encoding": "br", "if-none-match": known });
    expect(again).toMatchObject({ status: 304, body: "" });
    expect(again.headers.get("content-security-policy")).toBe(first.headers.get("content-security-policy"));
    expect(again.headers.get("etag")).toBe(tag);
  }
  for (const other of ['"x"', "", tag.slice(1)]) {
    expect(answer(page, { "accept-encoding": "br", "if-none-match": other }).status).toBe(200);
  }
  expect(answer(page, { "accept-encoding": "gzip", "if-none-match": tag }).status).toBe(200);
  expect(answer({ ...page, hash: "abd" }, { "accept-encoding": "br", "if-none-match": tag }).status).toBe(200);
});

test("[PG5] the policy takes everything from the hub itself and allows no inline script, style or frame", () => {
  const policy = answer(page, {}).headers.get("content-security-policy") ?? "";
  const directives = new Map(policy.split("; ").map((part) => [part.split(" ")[0], part.split(" ").slice(1)]));
  expect(directives.get("default-src")).toEqual(["'none'"]);
  for (const name of ["base-uri", "form-action", "frame-ancestors"]) expect(directives.get(name)).toEqual(["'none'"]);
  for (const name of ["script-src", "style-src", "font-src", "img-src", "connect-src", "worker-src", "manifest-src"]) {
    expect([name, directives.get(name)]).toEqual([name, ["'self'"]]);
  }
  expect(policy).not.toMatch(/unsafe|https?:|data:|blob:|\*/);
});
