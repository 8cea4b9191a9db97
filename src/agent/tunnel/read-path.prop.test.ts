// SPDX-License-Identifier: Apache-2.0
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { FlotillaError } from "../../base/error.ts";
import { KindState } from "../../gen/flotilla/session/v1/session_pb.ts";
import { defaultKinds } from "../../kinds/all-kinds.ts";
import type { KubeSource } from "../../kube/kube-source.ts";
import { resourceIdText } from "../../model/gvr.ts";
import type { ObjectRead } from "../../session/tunnel/tunnel.ts";
import type { KindStatusReport } from "../uplink/uplink-options.ts";
import { readObject } from "./read-object.ts";
import { allowRead } from "./read-policy.ts";

const report = { state: KindState.WATCHING, version: "v1" } as KindStatusReport;
const hostile = fc.constantFrom(
  "..",
  "/",
  "%2f",
  "?",
  "#",
  ";",
  "\\",
  "\n",
  ":",
  "é",
  "𝄞",
  " ",
  "&",
  "@",
  "//evil",
  "%00",
);
const part = fc.oneof(
  fc.string({ unit: "binary", maxLength: 20 }),
  fc.array(fc.oneof(hostile, fc.constantFrom("a", "b-1", "system")), { maxLength: 6 }).map((parts) => parts.join("")),
);

/** The path and headers that a question leads to; undefined where it is refused. */
async function requestOf(asked: ObjectRead): Promise<{ readonly path: string; readonly query: unknown } | undefined> {
  let request: { readonly path: string; readonly query: unknown } | undefined;
  const source: KubeSource = {
    async request({ path, query }) {
      request = { path, query };
      return { status: 200, headers: new Map(), body: (async function* () {})() };
    },
  };
  try {
    const allowed = allowRead(asked, { kinds: defaultKinds, filter: {}, reportOf: () => report });
    const stay = new AbortController().signal;
    for await (const _bytes of readObject({ source, requestTimeoutMs: 1 }, allowed, stay)) break;
  } catch (reason) {
    expect(reason).toBeInstanceOf(FlotillaError);
    return undefined;
  }
  return request;
}

test("[TU6] whatever is allowed is asked for by exactly the segments meant", async () => {
  const kinds = fc.constantFrom(...defaultKinds.filter(({ resource }) => resourceIdText(resource) !== "secrets"));
  let allowedCount = 0;
  await fc.assert(
    fc.asyncProperty(kinds, part, part, async ({ resource, isNamespaced }, someNamespace, name) => {
      const namespace = isNamespaced ? someNamespace : "";
      const read = { user: "ann", groups: [], resource: resourceIdText(resource), namespace, name };
      const request = await requestOf(read);
      if (request === undefined) return;
      allowedCount += 1;
      const root = resource.group === "" ? ["api", "v1"] : ["apis", resource.group, "v1"];
      const place = isNamespaced ? ["namespaces", namespace] : [];
      const meant = ["", ...root, ...place, resource.resource, name];
      const url = new URL(request.path, "https://server.example");
      // As a server reads it: no host, query or fragment of the name's making, and no segment more or less.
      expect([url.origin, url.search, url.hash]).toEqual(["https://server.example", "", ""]);
      expect(url.pathname.split("/").map(decodeURIComponent)).toEqual(meant);
      expect(request.path.split("/").map(decodeURIComponent)).toEqual(meant);
      expect(request.query).toBeUndefined();
    }),
    { numRuns: 500 },
  );
  expect(allowedCount).toBeGreaterThan(100);
});
