// SPDX-License-Identifier: Apache-2.0
// Random HTTP requests over the words that the path of a Kubernetes request is made of.
import * as fc from "fast-check";

/** A request line. */
export interface HttpRequest {
  readonly method: string;
  readonly path: string;
  /** Without the question mark; may be empty. */
  readonly query: string;
}

const word = fc.constantFrom("p", "q", "namespaces", "n", "m", "a", "status", "finalize", "l", "watch", "proxy");

/**
 * Well-formed and less well-formed: the place of a word decides what it means, so every place gets every word at times.
 */
const resourcePath: fc.Arbitrary<string> = fc
  .record({
    prefix: fc.constantFrom("/api/v1", "/api/v1", "/apis/x/v1", "/apis/x.example/v1beta1", "//api/v1"),
    special: fc.oneof(
      { weight: 8, arbitrary: fc.constant([]) },
      { weight: 1, arbitrary: fc.constant(["watch"]) },
      { weight: 1, arbitrary: fc.constant(["proxy"]) },
    ),
    namespace: fc.oneof(fc.constant([]), fc.constantFrom(["namespaces", "n"], ["namespaces", "m"])),
    rest: fc.array(word, { maxLength: 4, size: "max" }),
    end: fc.constantFrom("", "", "", "/", "//"),
  })
  .map(({ prefix, special, namespace, rest, end }) => [prefix, ...special, ...namespace, ...rest].join("/") + end);

const otherPath = fc.constantFrom(
  "/",
  "/f",
  "/f/",
  "/f/g",
  "/metrics",
  "/api",
  "/api/v1",
  "/apis",
  "/apis/x",
  "/apis/x/v1",
  "/API/v1/p",
  "/logs/../f",
  "/%66",
);

const parameter = fc.constantFrom(
  "watch=true",
  "watch=false",
  "watch=FALSE",
  "watch=0",
  "watch=1",
  "watch=",
  "watch",
  "watch=no",
  "limit=5",
  "limit=x",
  "timeoutSeconds=1",
  "timeoutSeconds=x",
  "labelSelector=app%3Dweb",
  "labelSelector=%21%21",
  "fieldSelector=metadata.name%3Da",
  "fieldSelector=metadata.name%3D%3Db",
  "fieldSelector=metadata.name%21%3Da",
  "fieldSelector=metadata.name%3Da%2Fb",
  "fieldSelector=metadata.name%3Da,metadata.name%3Db",
  "fieldSelector=metadata.name%3Db,spec.nodeName%3Dx",
  "fieldSelector=spec.nodeName%3Dx",
  "fieldSelector=metadata.name",
  "resourceVersion=0",
  "resourceVersionMatch=Exact",
  "sendInitialEvents=true",
  "allowWatchBookmarks=x",
);

/** A request of any method on any path. */
export const anyHttpRequest: fc.Arbitrary<HttpRequest> = fc.record({
  method: fc.constantFrom("GET", "GET", "GET", "GET", "POST", "PUT", "PATCH", "DELETE", "DELETE", "OPTIONS", "PURGE"),
  path: fc.oneof({ weight: 9, arbitrary: resourcePath }, { weight: 1, arbitrary: otherPath }),
  query: fc.array(parameter, { maxLength: 2, size: "max" }).map((parameters) => parameters.join("&")),
});

const soup = (tokens: readonly string[]): fc.Arbitrary<string> =>
  fc.array(fc.constantFrom(...tokens), { maxLength: 6, size: "max" }).map((found) => found.join(""));

const fieldTokens = [
  "metadata.name",
  "metadata.namespace",
  "spec.x",
  "=",
  "==",
  "!=",
  ",",
  ",",
  "a",
  "b/c",
  "..",
  "",
  " ",
  "\\",
  "\\,",
  "\\=",
  "%",
];
const labelTokens = [
  "app",
  "example.com/app",
  "a b",
  "=",
  "==",
  "!=",
  "!",
  ",",
  " in ",
  " notin ",
  "(",
  ")",
  "(a,b)",
  ">",
  "<",
  "5",
  "x",
  "-",
  "UPPER",
  "/",
  "\u00e9",
  "\t",
];
const numbers = [
  "5",
  "-1",
  "0",
  "+5",
  "",
  " 5",
  "5.0",
  "0x5",
  "1e3",
  "1_0",
  "9223372036854775807",
  "9223372036854775808",
  "-9223372036854775809",
  "\u0665",
];

/**
 * One parameter, its value as it is meant; the common ones often enough that a name is set and everything else may undo
 * it.
 */
const listParameter: fc.Arbitrary<readonly [string, string]> = fc.oneof(
  fc.tuple(
    fc.constant("fieldSelector"),
    fc.constantFrom("metadata.name=a", "metadata.name==b", "metadata.name=a,spec.x=b"),
  ),
  fc.tuple(fc.constant("fieldSelector"), soup(fieldTokens)),
  fc.tuple(
    fc.constant("fieldSelector"),
    soup(fieldTokens).map((text) => `metadata.name=a,${text}`),
  ),
  fc.tuple(fc.constant("labelSelector"), soup(labelTokens)),
  fc.tuple(fc.constantFrom("limit", "timeoutSeconds"), fc.constantFrom(...numbers)),
  fc.tuple(
    fc.constantFrom("watch", "allowWatchBookmarks", "sendInitialEvents"),
    fc.constantFrom("true", "false", "0", "no", ""),
  ),
  fc.tuple(
    fc.constantFrom("resourceVersion", "resourceVersionMatch", "continue", "pretty", "x"),
    fc.constantFrom("", "0", "x"),
  ),
);

/**
 * A list or watch whose options are right and wrong in many ways: one that does not parse makes the name in another
 * count for nothing.
 */
export const anyListRequest: fc.Arbitrary<HttpRequest> = fc
  .tuple(
    fc.constantFrom("/api/v1/namespaces/n/p", "/apis/x/v1/q"),
    fc.array(listParameter, { minLength: 1, maxLength: 3, size: "max" }),
  )
  .map(([path, parameters]) => ({
    method: "GET",
    path,
    query: parameters.map(([name, value]) => `${name}=${encodeURIComponent(value)}`).join("&"),
  }));
